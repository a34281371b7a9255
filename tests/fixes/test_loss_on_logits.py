"""Losses of activations become losses of logits: by how much they change, and that they are exact then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nanlint
from tests.fixes.programs import Mend, Shown
from tests.fixes.proving import ADAPTERS, function
from tests.fixes.styles import IMPORTS

np = pytest.importorskip("numpy")


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
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def functions(loss: Loss) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The function as it is, and as it is mended: silent, and left alone by a second fix."""
    pytest.importorskip(loss.framework)
    rule: dict[str, Any] = {"select": [loss.code], "confidence": "possible", "unsafe_fixes": True}
    outcome = nanlint.fix_source(loss.source, **rule)
    assert outcome.fixed
    assert not outcome.remaining, outcome.source.text
    assert not nanlint.fix_source(outcome.source.text, **rule).fixed
    return function(loss.source), function(outcome.source.text)


def exact(meant: str, x: Any, y: Any) -> tuple[Any, Any]:
    """The cross-entropy of logits and its gradient, in float64."""
    if meant == "binary":
        return (np.logaddexp(0, x) - x * y).sum(), np.exp(-np.logaddexp(0, -x)) - y
    log_z = np.logaddexp.reduce(x, axis=1, keepdims=True)
    return (y * (log_z - x)).sum(), np.exp(x - log_z) - y


def inputs(meant: str, logits: list[float], classes: tuple[int, int]) -> tuple[Any, Any]:
    x = np.array(logits, "float32").reshape(2, 3)
    one_hot = np.eye(3, dtype="float32")[list(classes)]
    return x, one_hot


def sized(size: float) -> st.SearchStrategy[list[float]]:
    special = st.sampled_from([0.0, -0.0, 17.0 * size / 200, size, -size])
    return st.lists(st.one_of(special, st.floats(-size, size, width=32)), min_size=6, max_size=6)


quick = settings(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck))
CLASSES = st.tuples(st.integers(0, 2), st.integers(0, 2))


@pytest.mark.slow
@every_loss
def test_the_mended_loss_is_the_cross_entropy_of_the_logits(loss: Loss) -> None:
    _, mended = functions(loss)

    @quick
    @given(logits=sized(200.0), classes=CLASSES)
    def check(logits: list[float], classes: tuple[int, int]) -> None:
        x, y = inputs(loss.meant, logits, classes)
        value, gradients = ADAPTERS[loss.framework](mended, [x, y])
        wanted, slope = exact(loss.meant, x.astype("float64"), y.astype("float64"))
        assert value == pytest.approx(wanted, rel=1e-4, abs=1e-4)
        assert gradients[0] == pytest.approx(slope, abs=1e-5)

    check()


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss", [one for one in LOSSES.values() if one.alike], ids=[k for k, v in LOSSES.items() if v.alike]
)
def test_where_the_page_says_so_the_loss_was_that_before(loss: Loss) -> None:
    original, mended = functions(loss)
    assert loss.alike is not None
    size, tolerance = loss.alike

    @quick
    @given(logits=sized(size), classes=CLASSES)
    def check(logits: list[float], classes: tuple[int, int]) -> None:
        given_ = [*inputs(loss.meant, logits, classes)]
        run = ADAPTERS[loss.framework]
        (before, slopes), (after, new_slopes) = run(original, given_), run(mended, given_)
        assert before.dtype == after.dtype
        assert before.shape == after.shape
        assert before == pytest.approx(after, rel=tolerance, abs=tolerance)
        assert slopes[0] == pytest.approx(new_slopes[0], abs=tolerance)

    check()


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
