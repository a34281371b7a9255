"""The tutorials of tfdbg and Debugger V2, played at the terminal: their commands, on programs like theirs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.debugger_v2 import read_dump
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.inspecting.terminal import Terminal
from nanlint.runtime.runfile import read_run
from tests.runtime.running import nanlint, python

Say = Callable[..., str]

KERAS = """\
import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(7)


def unstable_categorical_crossentropy(y_true, y_pred):
    return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)


def dense(units, activation, seed):
    kernel = keras.initializers.TruncatedNormal(stddev=0.1, seed=seed)
    return keras.layers.Dense(units, activation=activation, kernel_initializer=kernel)


draw = np.random.RandomState(0)
labels = draw.randint(0, 10, 200)
x = (draw.rand(10, 64)[labels] + 0.1 * draw.randn(200, 64)).astype("float32") * 9
model = keras.Sequential([keras.layers.Input((64,)), dense(50, "relu", 1), dense(10, "softmax", 2)])
model.compile(loss=unstable_categorical_crossentropy, optimizer=keras.optimizers.Adam(learning_rate=0.3))
model.fit(x, np.eye(10, dtype="float32")[labels], batch_size=50, epochs=2, verbose=0)
"""

SESSION = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
draw = np.random.RandomState(0)
x = tf.placeholder(tf.float32, [None, 8])
y_ = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [8, 3], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
y_conv = tf.nn.softmax(tf.matmul(x, w))
cross_entropy = -tf.reduce_sum(y_ * tf.log(y_conv))
train_step = tf.train.GradientDescentOptimizer(5.0).minimize(cross_entropy)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: draw.rand(20, 8) * 9, y_: np.eye(3)[draw.randint(0, 3, 20)]}
        sess.run([train_step, cross_entropy], feed)
"""

TF2 = """\
import sys

import numpy as np
import tensorflow as tf

if len(sys.argv) > 1:
    tf.debugging.experimental.enable_dump_debug_info(sys.argv[1], "FULL_HEALTH", circular_buffer_size=-1)
draw = np.random.RandomState(0)
labels = tf.one_hot(draw.randint(0, 3, 20), 3)
images = tf.constant(draw.rand(20, 8).astype("float32") * 9)
w = tf.Variable(tf.random.stateless_normal([8, 3], seed=[1, 2], stddev=0.1))


@tf.function
def model(x):
    return tf.nn.softmax(tf.matmul(x, w))


@tf.function
def loss_of(probs, labels):
    diff = -labels * tf.math.log(probs)
    return tf.reduce_mean(diff)


for step in range(4):
    with tf.GradientTape() as tape:
        loss = loss_of(model(images), labels)
    w.assign_sub(300.0 * tape.gradient(loss, w))
"""


def line(program: str, text: str) -> int:
    return next(i for i, one in enumerate(program.splitlines(), 1) if text in one)


def terminal_of(run: Run) -> Say:
    """Does commands at one terminal; what the last printed. A mistake in one fails the test."""
    out = io.StringIO()
    terminal = Terminal(run, out)

    def say(*commands: str) -> str:
        for command in commands:
            out.seek(0)
            out.truncate()
            terminal.perform(command)
        return out.getvalue()

    return say


def watched(directory: Path, program: str, *options: str, watch: str = "all") -> Run:
    (directory / "train.py").write_text(program)
    ran = nanlint("verify", "--watch", watch, *options, "--run-dir", "run", "--", "train.py", cwd=directory)
    assert ran.code == 1, ran.stderr
    return run_of(read_run(str(directory / "run")))


@pytest.fixture(scope="module")
def keras_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    pytest.importorskip("tensorflow")
    pytest.importorskip("keras")
    return watched(tmp_path_factory.mktemp("keras"), KERAS)


@pytest.fixture(scope="module")
def session_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    pytest.importorskip("tensorflow")
    return watched(tmp_path_factory.mktemp("session"), SESSION)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Run:
    pytest.importorskip("tensorflow")
    directory = tmp_path_factory.mktemp("dump")
    (directory / "train.py").write_text(TF2)
    done = python("train.py", "logs", cwd=directory)
    assert done.code == 0, done.stderr
    return read_dump(str(directory / "logs"))


def test_tfdbg_and_keras_the_weights_are_listed_and_printed(keras_run: Run) -> None:
    say = terminal_of(keras_run)
    assert "dense/kernel:0" in say("run -f has_inf_or_nan", "lt")
    assert "float32 64×50" in say("pt dense/kernel:0")
    assert say("print_tensor dense/kernel:0") == say("pt dense/kernel:0")
    assert say("list_tensors") == say("lt")


def test_tfdbg_and_keras_from_the_inf_in_log_to_the_zero_in_softmax(keras_run: Run) -> None:
    say = terminal_of(keras_run)
    arrived = say("run -f has_inf_or_nan")
    assert "-inf first appeared in Log" in arrived
    bad = say("lt -f has_inf_or_nan")
    for name in ("Log:0", "mul:0", "Sum:0", "Neg:0"):
        assert f"crossentropy/{name}" in bad
    assert "Softmax:0" not in bad.replace("Softmax:0  input", "")
    log = say("pt -a Log:0")
    places = [one.split(" = ")[0] for one in say("/inf").splitlines() if one.endswith("= -inf")]
    assert "-inf" in log
    assert places
    assert "Softmax:0" in say("list_inputs Log:0")
    softmax = say("pt Softmax:0 /^0.0$/")
    assert [one.split(" = ")[0] for one in softmax.splitlines() if " = " in one] == places
    assert say(f"@{places[0].strip()}").splitlines()[-1].split()[-1] == "0.0"


def test_tfdbg_and_keras_the_source_and_the_stack_of_the_log(keras_run: Run) -> None:
    say = terminal_of(keras_run)
    where = line(KERAS, "tf.math.log(y_pred)")
    assert f"train.py:{where}: return -tf.reduce_sum" in say("ni Log")
    assert f"line {where}, in unstable_categorical_crossentropy" in say("ni -t Log")
    assert f" > {where:>5} │" in say("print_source")
    assert "Log@train.py" in say(f"ps train.py -b {where}")
    assert "train.py" in say("list_source")
    assert "Mul@train.py" in say("list_outputs Log")
    assert say('eval "bool((`Log:0` == -np.inf).sum() == (`Softmax:0` == 0).sum() > 0)"') == "True\n"


def test_tfdbg_and_keras_in_the_program_that_waits(tmp_path: Path) -> None:
    pytest.importorskip("keras")
    (tmp_path / "train.py").write_text(KERAS)
    commands = "lt -f has_inf_or_nan\npt -a Log:0\n/inf\nlist_inputs Log:0\npt Softmax:0\npt dense/kernel:0\nquit\n"
    ran = nanlint("verify", "--on-nan", "debug", "--run-dir", "run", "--", "train.py", cwd=tmp_path, stdin=commands)
    assert ran.code == 1
    first, bad, log, found, inputs, softmax, kernel = ran.stdout.split("nanlint> ")[:7]
    assert (
        f"-inf first appeared in Log (tensorflow, step 1): NL101\n  {tmp_path / 'train.py'}:{line(KERAS, 'math.log')}: "
        in first
    )
    assert "Log:0" in bad
    assert "mul:0" in bad
    assert "-inf" in log.split("finite elements")[1]
    assert "] = -inf" in found
    assert "Softmax:0" in inputs
    assert "  0.0" in softmax
    assert "float32 64×50" in kernel
    assert "nan" not in kernel


def test_tfdbg_and_keras_as_it_is_watched_by_default(tmp_path: Path) -> None:
    pytest.importorskip("keras")
    say = terminal_of(watched(tmp_path, KERAS, watch="sites"))
    assert "-inf first appeared in Log" in say("run -f has_inf_or_nan")
    places = [one.split(" = ")[0] for one in say("pt Log:0", "/-inf").splitlines() if " = " in one]
    assert places
    assert [one.split(" = ")[0] for one in say("pt Softmax:0 -r [0,0]").splitlines() if " = " in one] == places


def test_run_goes_on_from_step_to_step(keras_run: Run) -> None:
    from nanlint.runtime.inspecting.terminal import Mistake

    say = terminal_of(keras_run)
    first = say("run").split(":")[0]
    second = say("run").split(":")[0]
    assert (first, second) == ("step 0", "step 1")
    with pytest.raises(Mistake, match=r"no further step was recorded after step \d+; the program ended normally"):
        say("run -n", "run")


def test_the_elements_of_a_session_are_there(session_run: Run) -> None:
    say = terminal_of(session_run)
    assert "-inf first appeared in Log" in say("run -f has_inf_or_nan")
    assert "-inf" in say("pt Log:0")
    assert "Softmax:0" in say("li Log")
    assert "] = 0.0" in say("pt Softmax:0 -r [0,0]")
    assert "w:0" in say("lt -n ^w")


def test_a_filter_of_ones_own_gets_the_elements(
    session_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_filters.py").write_text(
        "def has_zero(health, tensor):\n    return tensor is not None and (tensor == 0).any()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    say = terminal_of(session_run)
    found = say("run -f my_filters:has_zero", "lt -f my_filters:has_zero")
    assert "Softmax:0" in found
    assert "Log:0" not in say("lt -f has_inf_or_nan -fenn Log")


@pytest.mark.parametrize("program", ["NUMPY", "TORCH", "COMPILED", "SESSION", "TF2"])
def test_by_default_the_elements_at_flagged_expressions_are_there(tmp_path: Path, program: str) -> None:
    pytest.importorskip("torch" if program in ("TORCH", "COMPILED") else "tensorflow")
    say = terminal_of(watched(tmp_path, globals()[program], watch="sites"))
    assert "-inf" in say("run -f has_inf_or_nan", "pt Log:0 /-inf/")
    assert "] = 0.0" in say("li Log:0", "pt 1 -r [0,0]")


def test_fewer_elements_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    say = terminal_of(watched(tmp_path, SESSION, "--keep-elements", "3"))
    assert "the run recorded the first 3 of 60 elements" in say("pt Log:0")


def test_debugger_v2_the_first_alert_is_the_log_with_the_zeros_of_its_input(dump: Run) -> None:
    say = terminal_of(dump)
    alerts = say("alerts").splitlines()
    assert "-inf first appeared in Log" in alerts[1]
    opened = say("alerts 1")
    assert "probs:0" in opened
    assert " zero" in next(one for one in opened.splitlines() if "probs:0" in one)
    assert f"train.py:{line(TF2, 'tf.math.log(probs)')}" in opened
    assert "probs" in say("li Log:0")
    assert f" > {line(TF2, 'tf.math.log(probs)'):>5} │     diff = -labels * tf.math.log(probs)" in say("ps")
    assert "Log:0" in say("run -f has_inf_or_nan", "lt -f has_inf_or_nan")


def test_debugger_v2_of_a_compiled_keras_model_opens_at_the_log_too(tmp_path: Path) -> None:
    pytest.importorskip("keras")
    dumps = 'tf.debugging.experimental.enable_dump_debug_info("logs", "FULL_HEALTH", circular_buffer_size=-1)\n'
    (tmp_path / "train.py").write_text(KERAS.replace("import keras\n", f"import keras\n\n{dumps}"))
    done = python("train.py", cwd=tmp_path)
    assert done.code == 0, done.stderr
    say = terminal_of(read_dump(str(tmp_path / "logs")))
    alerts = say("alerts").splitlines()
    assert "-inf first appeared in Log" in alerts[1]
    assert not [one for one in alerts if "Optional" in one]
    softmax = next(one for one in say("list_inputs Log:0").splitlines() if "Softmax" in one and "input" in one)
    assert " zero" in softmax


TORCH = """\
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.log(torch.softmax(self.proj(x), -1))


net = torch.nn.Sequential(Block())
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for scale in (1.0, 1e4):
    loss = -net(scale * torch.ones(2, 4))[:, 0].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


COMPILED = TORCH.replace("net = ", "torch._dynamo.reset()\nnet = ").replace(
    "loss = -net(", "loss = -torch.compile(net, backend='aot_eager')("
)

NUMPY = """\
import numpy as np


def cross_entropy(logits, target):
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return -(target * np.log(odds / odds.sum(-1, keepdims=True))).sum()


print(cross_entropy(1000 * np.eye(3), np.eye(3)))
"""


def test_the_parameters_of_a_torch_model_are_listed_by_their_module_path(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    say = terminal_of(watched(tmp_path, TORCH))
    assert "-inf" in say("run -f has_inf_or_nan", "pt Log:0")
    assert "float32 3×4" in next(one for one in say("lt").splitlines() if "net.0.proj.weight" in one)
    assert "nan" not in say("pt -a net.0.proj.weight")  # as it was before the step with the bad gradient


ANOMALY = """\
import torch

x = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
y = torch.sqrt(x)
loss = torch.nn.functional.mse_loss(x, y)
loss.backward()
"""

LEAK = """\
import tensorflow as tf

x = tf.Variable(1.0)
y = tf.Variable(1.0)


@tf.function
def step():
    square_x = x**2
    with tf.GradientTape() as tape:
        loss = square_x + 0 * x + y**2
    return tape.gradient(loss, [x, y])


step()
"""


def test_wanting_nan_the_forward_line_of_a_bad_gradient_is_shown(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    say = terminal_of(watched(tmp_path, ANOMALY))
    forward, backward = say("where").split("where the gradient was requested:")
    assert f"line {line(ANOMALY, 'torch.sqrt(x)')}" in forward
    assert f"line {line(ANOMALY, 'loss.backward()')}" in backward
    assert "sqrt" in say("lt -f has_inf_or_nan")


def test_a_tape_that_lost_a_gradient_is_a_verdict(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    say = terminal_of(watched(tmp_path, LEAK))
    verdict = say("verdicts").splitlines()[1]
    assert verdict.startswith("confirmed")
    assert "tape" in verdict


def test_the_question_the_greatest_weight_is_computed_at_each_step(session_run: Run) -> None:
    say = terminal_of(session_run)
    say("run -f has_inf_or_nan")
    assert say('eval "np.abs(`MatMul:0`).max() < np.inf"').strip() in ("True", "np.True_")
