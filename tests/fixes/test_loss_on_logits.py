"""Losses of activations become losses of logits: by how much they change, and that they are exact then."""

from __future__ import annotations

import random
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import nanlint
from tests.fixes.executing import outcomes
from tests.fixes.programs import Mend, Shown
from tests.fixes.proving import numbers, repaired
from tests.fixes.styles import IMPORTS


@dataclass(frozen=True)
class Loss:
    """A function of logits x and targets y (2 by 3 each), mended by a rule.

    ``meant``: the cross-entropy it is meant to be, "binary" or "categorical". ``alike``: for logits up to this size it
    was that already, within the tolerance given.
    """

    framework: str
    code: str
    body: str
    meant: str
    alike: tuple[float, float] | None = None

    @property
    def source(self) -> str:
        header = "\n".join([*IMPORTS[self.framework].values(), *(["import optax"] if self.framework == "jax" else [])])
        lines = "\n".join(f"    {line}" for line in self.body.split("\n"))
        return f"{header}\n\n\ndef f(x, y):\n{lines}\n"


SUMS = "reduction='sum'"
LOSSES = {
    "torch": Loss(
        "torch", "NL702", f"return F.binary_cross_entropy(torch.sigmoid(x), y, {SUMS})", "binary", (9.0, 1e-3)
    ),
    "torch-variable": Loss(
        "torch", "NL702", f"p = x.sigmoid()\nreturn F.binary_cross_entropy(p, y, {SUMS})", "binary", (9.0, 1e-3)
    ),
    "torch-layer": Loss(
        "torch", "NL702", f"bce = torch.nn.BCELoss({SUMS})\nreturn bce(torch.sigmoid(x), y)", "binary", (9.0, 1e-3)
    ),
    "torch-layer-at-once": Loss(
        "torch",
        "NL702",
        f"return torch.nn.BCELoss({SUMS})(target=y, input=torch.sigmoid(x))",
        "binary",
        (9.0, 1e-3),
    ),
    "torch-twice": Loss(
        "torch", "NL702", f"return F.binary_cross_entropy_with_logits(x.sigmoid(), y, {SUMS})", "binary"
    ),
    "tf-twice": Loss(
        "tensorflow",
        "NL702",
        "return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=tf.sigmoid(x)))",
        "binary",
    ),
    "tf-keras-twice": Loss(
        "tensorflow",
        "NL702",
        "bce = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction='sum')\nreturn 3 * bce(y, tf.sigmoid(x))",
        "binary",
    ),
    "tf-keras-clipped": Loss(
        "tensorflow",
        "NL702",
        "return 3 * tf.reduce_sum(tf.keras.losses.binary_crossentropy(y, tf.sigmoid(x)))",
        "binary",
        (8.0, 2e-3),
    ),
    "jax-twice": Loss(
        "jax", "NL702", "return optax.sigmoid_binary_cross_entropy(jax.nn.sigmoid(x), y).sum()", "binary"
    ),
    "torch-softmax": Loss("torch", "NL701", f"return F.cross_entropy(F.softmax(x, dim=1), y, {SUMS})", "categorical"),
    "torch-softmax-method": Loss(
        "torch",
        "NL701",
        f"p = x.softmax(-1)\nloss = torch.nn.CrossEntropyLoss({SUMS})\nreturn loss(p, y)",
        "categorical",
    ),
    "tf-softmax": Loss(
        "tensorflow",
        "NL701",
        "return tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(y, tf.nn.softmax(x)))",
        "categorical",
    ),
    "jax-softmax": Loss(
        "jax", "NL701", "return optax.softmax_cross_entropy(logits=jax.nn.softmax(x), labels=y).sum()", "categorical"
    ),
    "torch-nll": Loss("torch", "NL704", f"return F.nll_loss(F.softmax(x, 1), y.argmax(1), {SUMS})", "categorical"),
    "torch-nll-layer": Loss(
        "torch",
        "NL704",
        f"nll = torch.nn.NLLLoss({SUMS})\nreturn nll(torch.softmax(x, dim=1), y.argmax(1))",
        "categorical",
    ),
    "torch-nll-epsilon": Loss(
        "torch",
        "NL704",
        f"return F.nll_loss(torch.log(F.softmax(x, 1) + 1e-9), y.argmax(1), {SUMS})",
        "categorical",
        (5.0, 1e-3),
    ),
    "torch-nll-clamped": Loss(
        "torch",
        "NL704",
        f"logp = F.softmax(x, 1).clamp(min=1e-9).log()\nreturn F.nll_loss(logp, y.argmax(1), {SUMS})",
        "categorical",
        (5.0, 1e-3),
    ),
}


def mended(loss: Loss) -> str:
    """The program as it is mended: silent, and left alone by a second fix."""
    text = repaired(loss.code, loss.source)
    assert not nanlint.fix_source(text, select=[loss.code], confidence="possible", unsafe_fixes=True).fixed
    return text


def exact(meant: str, x: Any, y: Any) -> tuple[Any, Any]:
    """The cross-entropy of logits and its gradient, in float64."""
    if meant == "binary":
        return (np.logaddexp(0, x) - x * y).sum(), np.exp(-np.logaddexp(0, -x)) - y
    log_z = np.logaddexp.reduce(x, axis=1, keepdims=True)
    return (y * (log_z - x)).sum(), np.exp(x - log_z) - y


def inputs(size: float) -> list[list[Any]]:
    """Pairs of logits up to a size, and classes that are meant, one-hot."""
    pick = random.Random(0)
    domain = (-size, size, (0.0, -0.0, 17.0 * size / 200, size, -size))
    return [
        [numbers(pick, domain, (2, 3), "float32"), np.eye(3, dtype="float32")[[pick.randrange(3), pick.randrange(3)]]]
        for _ in range(15)
    ]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_mended_loss_is_the_cross_entropy_of_the_logits(loss: Loss) -> None:
    given = inputs(200.0)
    for (x, y), outcome in zip(given, outcomes(loss.framework, mended(loss), given), strict=True):
        assert outcome is not None
        wanted, slope = exact(loss.meant, x.astype("float64"), y.astype("float64"))
        assert outcome[0] == pytest.approx(wanted, rel=1e-4, abs=1e-4)
        assert outcome[1][0] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize(
    "loss", [one for one in LOSSES.values() if one.alike], ids=[k for k, v in LOSSES.items() if v.alike]
)
def test_where_the_page_says_so_the_loss_was_that_before(loss: Loss) -> None:
    assert loss.alike is not None
    size, tolerance = loss.alike
    given = inputs(size)
    originals, new = (outcomes(loss.framework, text, given) for text in (loss.source, mended(loss)))
    for before, after in zip(originals, new, strict=True):
        assert before is not None
        assert after is not None
        assert (before[0].dtype, before[0].shape) == (after[0].dtype, after[0].shape)
        assert before[0] == pytest.approx(after[0], rel=tolerance, abs=tolerance)
        assert before[1][0] == pytest.approx(after[1][0], abs=tolerance)


def test_a_criterion_with_other_uses_is_left_to_a_person(shown: Shown) -> None:
    text = """
    import torch

    def f(x, p, y):
        bce = torch.nn.BCELoss()
        return bce(torch.sigmoid(x), y) + bce(p, y)
    """
    assert shown("NL702", text) == [("display", "torch.nn.BCEWithLogitsLoss")]


def test_a_sigmoid_in_another_function_is_left_to_a_person(shown: Shown) -> None:
    text = """
    import torch
    import torch.nn.functional as F

    def gate(x):
        return torch.sigmoid(x)

    def f(x, y):
        return F.binary_cross_entropy(gate(x), y)
    """
    assert shown("NL702", text) == [("display", "F.binary_cross_entropy_with_logits")]


def test_what_lies_between_activation_and_loss_stays(mend: Mend) -> None:
    text = """
    import torch
    import torch.nn.functional as F

    def f(a, b, y):
        return F.binary_cross_entropy(torch.sigmoid(a @ b).view(-1), y)
    """
    assert "F.binary_cross_entropy_with_logits((a @ b).view(-1), y)" in mend("NL702", text, unsafe=True)
    assert mend("NL702", text) == dedent(text)


def test_a_loss_of_keras_is_told_of_logits(mend: Mend) -> None:
    text = """
    import keras

    def f(x):
        model = keras.Sequential([keras.layers.Dense(3)])
        model.compile(loss=keras.losses.CategoricalCrossentropy(label_smoothing=0.1))
    """
    assert "CategoricalCrossentropy(label_smoothing=0.1, from_logits=True)" in mend("NL701", text, unsafe=True)
