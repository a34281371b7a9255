"""The tutorials of TensorFlow's debuggers, walked with nanlint: from the alert to the line, to the fix, to training."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from nanlint.runtime.events import Birth
from nanlint.runtime.runfile import read_run
from tests.runtime.running import ROOT, Ran, nanlint, together, verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="tensorflow is not installed"),
]

DIGITS = ROOT / "benchmarks" / "programs" / "tf_mnist.py"


FROZEN = """
import tensorflow as tf

x = tf.Variable(1.0, name="x")
y = 2.0 * x
for step in range(5):
    with tf.GradientTape() as tape:
        loss = (y - 6.0) ** 2
    gradient = tape.gradient(loss, x)
    if gradient is not None:
        x.assign_sub(0.1 * gradient)
print("x =", float(x))
"""
WAYS = {"graph.py": "", "eager.py": "--eager"}
Walked = tuple[Ran, dict[str, list[Birth]]]


def walk(directory: Path, tape: str, options: str) -> Walked:
    """The tape, and digits in a graph and without one, one after the other."""
    for name in WAYS:
        shutil.copy(DIGITS, directory / name)
    (directory / "frozen.py").write_text(tape, "utf-8")
    digits = (f"{name} --steps 20 {flag} {options}" for name, flag in WAYS.items())
    return together("frozen.py", *digits, cwd=directory, run="run")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Walked:
    return walk(tmp_path_factory.mktemp("bad"), FROZEN, "")


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Walked:
    moved = FROZEN.replace("y = 2.0 * x\n", "", 1).replace("loss = (y", "loss = (2.0 * x", 1)
    return walk(tmp_path_factory.mktemp("mended"), moved, "--fix --learning-rate 0.001")


@pytest.mark.parametrize("name", WAYS)
def test_digits_the_alert_leads_to_the_log_of_one_zero(bad: Walked, name: str) -> None:
    line = next(i for i, text in enumerate(DIGITS.read_text("utf-8").splitlines(), 1) if "tf.math.log(" in text)
    ran, births = bad
    assert ran.code == 1
    first = births[name][0]
    assert (first.op, first.kinds) == ("Log", ("ninf",))
    assert first.inputs[0].health.zero > 0
    assert first.outputs[0].health.ninf == first.inputs[0].health.zero
    assert first.frames[0].line == line
    found = [finding for finding in ran.report["findings"] if Path(finding["filename"]).name == name]
    assert "confirmed" in {finding["verdict"]["state"] for finding in found}


def test_digits_the_fix_trains(mended: Walked) -> None:
    ran, births = mended
    assert births == {}
    assert [float(last) > 0.9 for last in re.findall(r"20 steps: ([\d.]+)", ran.stdout)] == [True, True]


def test_tape_the_variable_that_stays_at_1_is_told_with_the_line_to_move_inside(bad: Walked, mended: Walked) -> None:
    ran, _ = bad
    assert ran.stdout.startswith("x = 1.0\n")
    (alert,) = [one for one in ran.report["alerts"] if one["kind"] == "dead-gradient"]
    assert "x has no gradient: it was used outside of the tape at line 5" in alert["message"]
    assert "inside at line 8" in alert["message"]

    ran, _ = mended
    assert not [one for one in ran.report["alerts"] if one["kind"] == "dead-gradient"]
    assert float(ran.stdout.splitlines()[0].removeprefix("x = ")) > 2.5


KERAS = """
import keras
import numpy as np

keras.utils.set_random_seed(0)


def cross_entropy(labels, predictions):
    return -keras.ops.sum(labels * keras.ops.log(predictions), axis=-1)


images = np.random.default_rng(0).random((256, 784)).astype("float32")
labels = np.eye(10, dtype="float32")[np.random.default_rng(1).integers(0, 10, 256)]
model = keras.Sequential([keras.Input((784,)), keras.layers.Dense(10, activation="softmax")])
model.compile(keras.optimizers.SGD(1.0), loss=cross_entropy)
model.fit(images, labels, batch_size=32, epochs=2, verbose=0)
"""


def test_keras_the_unstable_loss_is_run_until_the_filter_hits_then_listed_printed_and_traced(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(KERAS, "utf-8")
    ran = verify("train.py", cwd=tmp_path, options=("--watch", "all", "--run-dir", "run", "--on-nan", "stop"))
    assert ran.code == 1
    first = next(event for _, event in read_run(str(tmp_path / "run")) if isinstance(event, Birth))
    assert (first.op, first.frames[0].text) == (
        "Log",
        "return -keras.ops.sum(labels * keras.ops.log(predictions), axis=-1)",
    )
    assert first.frames[-1].text.startswith("model.fit(")

    commands = ("lt -f has_inf_or_nan", "where")
    asked = [part for command in commands for part in ("-c", command)]
    told = nanlint("inspect", "run", *asked, cwd=tmp_path)
    assert told.code == 0, told.stderr
    assert "Log" in told.stdout
    assert "keras.ops.log(predictions)" in told.stdout
