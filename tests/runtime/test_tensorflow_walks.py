"""The tutorials of TensorFlow's debuggers, walked with nanlint: from the alert to the line, to the fix, to training."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from nanlint.runtime.events import Birth
from nanlint.runtime.runfile import read_run
from tests.runtime.running import ROOT, nanlint, verify

pytest.importorskip("tensorflow")

pytestmark = pytest.mark.slow

DIGITS = ROOT / "benchmarks" / "programs" / "tf_mnist.py"


@pytest.mark.parametrize("flags", [(), ("--eager",)])
def test_digits_the_alert_leads_to_the_log_of_one_zero_and_the_fix_trains(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    shutil.copy(DIGITS, tmp_path)
    line = next(i for i, text in enumerate(DIGITS.read_text("utf-8").splitlines(), 1) if "tf.math.log(" in text)

    ran = verify(
        *("tf_mnist.py", "--steps", "20", *flags), cwd=tmp_path, options=("--watch", "all", "--run-dir", "run")
    )
    assert ran.code == 1
    births = [event for _, event in read_run(str(tmp_path / "run")) if isinstance(event, Birth)]
    first = births[0]
    assert (first.op, first.kinds) == ("Log", ("ninf",))
    assert first.inputs[0].health.zero > 0
    assert first.outputs[0].health.ninf == first.inputs[0].health.zero
    assert (Path(first.frames[0].path).name, first.frames[0].line) == ("tf_mnist.py", line)
    assert "confirmed" in {verdict for _, verdict in ran.verdicts()}

    mended = verify(
        *("tf_mnist.py", "--steps", "20", "--fix", "--learning-rate", "0.001", *flags),
        cwd=tmp_path,
        options=("--watch", "all", "--run-dir", "mended"),
    )
    assert not [event for _, event in read_run(str(tmp_path / "mended")) if isinstance(event, Birth)]
    assert float(re.findall(r"steps: ([\d.]+)", mended.stdout)[-1]) > 0.9


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


def test_tape_the_variable_that_stays_at_1_is_told_with_the_line_to_move_inside(tmp_path: Path) -> None:
    (tmp_path / "frozen.py").write_text(FROZEN, "utf-8")
    ran = verify("frozen.py", cwd=tmp_path, options=("--watch", "all", "--run-dir", "run"))
    assert ran.stdout == "x = 1.0\n"
    (alert,) = [one for one in ran.report["alerts"] if one["kind"] == "dead-gradient"]
    assert "x has no gradient: it was used outside of the tape at line 5" in alert["message"]
    assert "inside at line 8" in alert["message"]

    moved = FROZEN.replace("y = 2.0 * x\n", "", 1).replace("loss = (y", "loss = (2.0 * x", 1)
    (tmp_path / "frozen.py").write_text(moved, "utf-8")
    mended = verify("frozen.py", cwd=tmp_path, options=("--watch", "all", "--run-dir", "mended"))
    assert not [one for one in mended.report["alerts"] if one["kind"] == "dead-gradient"]
    assert float(mended.stdout.split("=")[1]) > 2.5
