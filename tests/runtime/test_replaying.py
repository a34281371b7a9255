"""The step that went bad is repeated, whatever drew its random numbers; what is no repetition is said to be none."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import pytest

from nanlint.runtime.adapters.entropy import Entropy
from nanlint.runtime.adapters.numpy import RandomState
from nanlint.runtime.events import Alert, Birth, Event, Step
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.replaying import PYTHON, Repeated, steps_to_repeat
from nanlint.runtime.runfile import RunError, read_run
from tests.runtime.running import nanlint, python, verify

NUMPY = """
import numpy as np
rng = np.random.default_rng()
x = rng.random(1000) - 0.5
for part in np.split(x[np.random.permutation(1000)], 10):
    print(np.log(part).sum())  # born
"""

TORCH = """
import random
import numpy as np
import torch
weight = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([weight], lr=0.01)
words = list({"a", "b", "c", "d", "e", "f", "g"})
for step in range(1000):
    optimizer.zero_grad()
    noise = torch.rand(3) + len(words[0]) + words.index("a")
    if random.random() + np.random.default_rng().random() < 0.3:
        noise[0] = 0
    loss = (torch.sqrt(noise * weight)).sum()  # born
    loss.backward()
    optimizer.step()
"""

JAX = """
import jax
import jax.numpy as jnp
import numpy as np
weight = jax.random.normal(jax.random.key(np.random.randint(1 << 30)), (4,))

def loss_of(weight, x):
    return jnp.sqrt(jnp.abs(x * weight)).mean()  # born

@jax.jit
def train(weight, x):
    loss, gradient = jax.value_and_grad(loss_of)(weight, x)
    return weight - 0.01 * gradient, loss

for step in range(1000):
    x = np.random.rand(4).astype("float32")
    x[0] *= np.random.rand() > 0.05
    weight, loss = train(weight, x)
"""

TENSORFLOW = """
import tensorflow as tf
weight = tf.Variable(tf.random.normal([4]))
generator = tf.random.Generator.from_non_deterministic_state()

@tf.function
def train(x):
    with tf.GradientTape() as tape:
        kept = tf.nn.dropout(tf.abs(x * weight), 0.1) + tf.random.uniform([4])
        kept = kept * tf.cast(generator.uniform([]) > 0.05, tf.float32)
        loss = tf.reduce_mean(tf.sqrt(kept))  # born
    weight.assign_sub(0.01 * tape.gradient(loss, weight))

for x in tf.data.Dataset.from_tensor_slices(tf.random.uniform([500, 4])).shuffle(500):
    train(x + tf.random.normal([]))
"""

PROGRAMS = {"numpy": NUMPY, "torch": TORCH, "jax": JAX, "tensorflow": TENSORFLOW}


def events(directory: Path) -> list[Event]:
    return [event for _, event in read_run(str(directory))]


@pytest.mark.slow
@pytest.mark.parametrize("framework", PROGRAMS)
def test_the_bad_step_of_a_program_without_seeds_is_repeated(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    program = PROGRAMS[framework].lstrip()
    (tmp_path / "train.py").write_text(program, "utf-8")
    first = verify("train.py", cwd=tmp_path, options=("--watch", "sentinel", "--run-dir", "first"))
    early, bad = steps_to_repeat(read_run(str(tmp_path / "first")))
    again = nanlint("replay", "first", "--run-dir", "again", cwd=tmp_path)
    found = events(tmp_path / "again")
    assert not [e for e in found if isinstance(e, Alert) and e.alert in ("not-repeated", "internal")]
    birth = next(event for event in found if isinstance(event, Birth))
    assert early <= birth.step <= bad
    line = next(i for i, text in enumerate(program.splitlines(), 1) if "# born" in text)
    assert (birth.forward or birth.frames)[0].line == line
    assert all(step.number <= bad for step in found if isinstance(step, Step))
    if framework == "numpy":
        assert again.stdout == first.stdout


def recorded(directory: Path, replay: tuple[int, int] | None = None) -> Recorder:
    """The watch of a run; of one that repeats ``first``."""
    directory.mkdir()
    options = Options(str(directory), watch="sentinel")
    if replay is not None:
        options = Options(str(directory), replay=replay, replayed=str(directory.parent / "first"))
    return Recorder(options)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A run in which step 2 went bad."""
    recorder = recorded(tmp_path / "first")
    for loss in (3.0, 2.0):
        recorder.step(loss=loss)
    recorder.alert("non-finite", "the loss is nan")
    recorder.end()
    return tmp_path / "first"


def not_repeated(directory: Path) -> list[str]:
    return [e.message for e in events(directory) if isinstance(e, Alert) and e.alert == "not-repeated"]


def test_the_step_before_is_watched_too_as_it_may_leave_bad_parameters(first: Path, tmp_path: Path) -> None:
    assert steps_to_repeat(read_run(str(first))) == (1, 2)
    recorder = recorded(tmp_path / "again", (1, 2))
    modes = []
    for _ in range(2):
        modes.append(recorder.mode)
        recorder.step()
    assert [*modes, recorder.mode] == ["sentinel", "all", "all"]
    with pytest.raises(Repeated):
        recorder.step()
    recorder.end()
    assert not_repeated(tmp_path / "again") == ["no problem appeared in step 2 this time, which says nothing"]


def test_a_run_that_takes_another_course_is_no_repetition(first: Path, tmp_path: Path) -> None:
    recorder = recorded(tmp_path / "again", (1, 2))
    recorder.step(loss=3.1)
    recorder.end()
    (message,) = not_repeated(tmp_path / "again")
    assert message.startswith("the loss of step 0 is 3.1, but was 3.0 in the original run: ")


def test_a_program_that_ends_before_the_step_did_not_repeat_it(first: Path, tmp_path: Path) -> None:
    recorder = recorded(tmp_path / "again", (1, 2))
    recorder.end()
    assert not_repeated(tmp_path / "again") == ["the program ended before step 2 began"]


def test_pythons_random_numbers_go_on_as_they_did(first: Path, tmp_path: Path) -> None:
    state = PYTHON.snapshot()
    begun = min(first.glob("state-python-*"), key=lambda file: len(file.name))
    PYTHON.restore(begun.read_bytes())
    expected = random.random()
    random.random()
    recorded(tmp_path / "again", (1, 2)).end()
    assert random.random() == expected
    PYTHON.restore(state)


def test_generators_without_a_seed_go_on_as_they_did(tmp_path: Path) -> None:
    states = RandomState(Recorder(Options(directory=str(tmp_path))))
    try:
        np.random.rand(3), np.random.randn()
        state = states.snapshot()
        expected = np.random.randn(3), np.random.default_rng().random(3)
        states.restore(state)
        assert all(map(np.array_equal, expected, (np.random.randn(3), np.random.default_rng().random(3))))
    finally:
        states.leave()
    assert np.random.default_rng().random() != np.random.default_rng().random()


FORK = """
import os
from nanlint.runtime.adapters.entropy import Entropy
entropy = Entropy()
read, write = os.pipe()
if not os.fork():
    os.write(write, str(entropy.bits(64)).encode())
    os._exit(0)
print(int(os.read(read, 64)) != entropy.bits(64))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_draws_other_seeds_than_the_process_that_it_is_of(tmp_path: Path) -> None:
    assert python("-c", FORK, cwd=tmp_path).stdout == "True\n"


def test_seeds_by_name_stay_and_others_do_not() -> None:
    entropy = Entropy()
    assert entropy.named("uniform", 32) == entropy.named("uniform", 32) != entropy.named("normal", 32)
    assert entropy.bits(32) != entropy.bits(32)
    assert entropy.bits(12) < 1 << 12


def test_a_run_that_went_well_has_no_step_to_repeat(tmp_path: Path) -> None:
    recorded(tmp_path / "first").end()
    with pytest.raises(RunError, match="no bad step was recorded; choose one with --step"):
        steps_to_repeat(read_run(str(tmp_path / "first")))
    (tmp_path / "train.py").touch()
    for run, said in (("first", "no bad step was recorded"), ("none", "no such run")):
        ran = nanlint("replay", run, cwd=tmp_path)
        assert (ran.code, ran.stderr.startswith(f"error: {run}: {said}")) == (2, True), ran.stderr
