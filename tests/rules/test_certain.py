"""What is called certain: the program itself does it, and it is executed here."""

from __future__ import annotations

import random

import pytest

import nanlint
from tests.marked import KERAS, NUMPY, TF, TORCH, program, said


def shown(*parts: str) -> list[tuple[str, str]]:
    """(code, confidence) of what is shown by default."""
    return [(one.code, str(one.confidence)) for one in nanlint.check_source(program(*parts))]


#: what is made of two arrays; an operation that has a pole stands outermost
MADE_OF = [
    "a / np.sqrt(np.sum(b * b))",
    "a / np.linalg.norm(b)",
    "a / b",
    "a / (b + 3)",
    "np.log(a * a + b * b)",
    "np.log(np.max(a) - np.min(a))",
    "1 / np.diff(a)",
    "1 / (np.max(a) - np.min(b))",
    "np.sqrt(a[0] - b[1])",
    "np.log(a[1:] + 1)",
    "1 / np.mean(a)",
    "np.sum(a * b) / np.sum(b)",
    "1 / np.prod(a)",
    "np.arccos(a - b)",
    "np.where(b == 0, 1, a) / np.where(b == 0, 1, b)",
    "1 / np.where(np.logical_and(a > 0, b > 0), a, 1)",
    "1 / (a[:, None] - b[None, :])",
    "np.log(np.array([a[0], b[0], 2.0]))",
    "1 / (np.abs(a) + np.abs(b))",
    "1 / np.float32(np.min(a))",
    "np.power(a, -1.0)",
    "np.log1p(np.minimum(a, b))",
    "np.sqrt(np.maximum(a, 0) - 1)",
]


#: that these break is found where one number alone says so
NOT_FOLLOWED = ("np.arccos(a - b)", "1 / (a[:, None] - b[None, :])", "np.power(a, -1.0)")


@pytest.mark.parametrize("made", MADE_OF)
def test_what_is_made_of_arrays_that_are_written_out_breaks_for_certain_or_not_at_all(made: str) -> None:
    """Executed: an array is not the range of its numbers."""
    np = pytest.importorskip("numpy")
    draw = random.Random(made)
    for _ in range(12):
        a, b = ([draw.choice([-1.0, 0.0, 1.0, 2.0]) for _ in range(3)] for _ in range(2))
        source = f"def f():\n    a = np.array({a})\n    b = np.array({b})\n    return {made}\n"
        scope = {"np": np}
        exec(source, scope)
        with np.errstate(all="ignore"):
            well = bool(np.isfinite(scope["f"]()).all())  # type: ignore[operator]
        levels = {level for _, level in shown(NUMPY, source)}
        assert not well or not levels, source
        assert well or "certain" in levels or made in NOT_FOLLOWED, source


#: a function of which callers may take one result or the other
TWO = "def g(logits):\n    return logits, torch.log(torch.softmax(logits, -1))\n"


@pytest.mark.parametrize(
    ("source", "level"),
    [
        ("def f(x):\n    if False:\n        return torch.log(torch.zeros(3))\n    return x\n", None),
        ("def f(x):\n    if True:\n        return x\n    else:\n        return torch.log(torch.zeros(3))\n", None),
        ("def f(x):\n    while 0:\n        x = torch.log(torch.zeros(3))\n    return x\n", None),
        ("DEBUG = False\ndef f(x):\n    if DEBUG:\n        return torch.log(torch.zeros(3))\n    return x\n", "likely"),
        ("def f(x):\n    if x.sum() > 3:\n        return torch.log(torch.zeros(3))\n    return x\n", "certain"),
        (TWO + "def f(logits):\n    kept, _ = g(logits)\n    return kept\n", "likely"),
        (TWO + "def f(logits):\n    _, kept = g(logits)\n    return kept\n", "certain"),
    ],
)
def test_what_the_program_does_not_do_is_not_certain(source: str, level: str | None) -> None:
    assert [found for _, found in shown(TORCH, source)] == ([] if level is None else [level])


def test_that_labels_are_differentiated_is_not_certain() -> None:
    source = """
        def yolo_loss(y_true, anchors, outputs):
            present = y_true[..., 4:5]
            wanted = K.log(y_true[..., 2:4] / anchors)
            wanted = K.switch(present, wanted, K.zeros_like(wanted))
            return K.sum(present * K.square(wanted - outputs[..., 2:4]))
        """
    assert "certain" not in [level for _, level in shown(KERAS, source)]


def test_a_method_that_is_not_seen_may_use_no_variable_of_its_object() -> None:
    source = """
        def step(net, x, n):
            state = net.initial_state(n)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(net(x, state))
            return tape.gradient(loss, net.trainable_variables)
        """
    called = source.replace("net.initial_state(n)", "net(x)")
    assert [(said(TF, one)) for one in (source, called)] == [[("NL601", "possible")], [("NL601", "likely")]]
