"""Templates over neutral ops, in each framework, with operands as they are written."""

from __future__ import annotations

import pytest

from nanlint.fixes.template import NotSpelled, Spelling, negated, written

OPERANDS = {"x": "a + b", "y": "c", "z": "-d"}
WRITTEN = {
    ("jax", "2 * sin(x / 2) ** 2"): "2 * jax.numpy.sin((a + b) / 2) ** 2",
    ("tensorflow", "-expm1(y)"): "-tensorflow.math.expm1(c)",
    ("numpy", "sigmoid(-x)"): "scipy.special.expit(-(a + b))",
    ("torch", "clamp(x, min=1)"): "(a + b).clamp(min=1)",
    ("torch", "clamp(y, 0, 1)"): "c.clamp(0, 1)",
    ("jax", "clamp(x, min=1)"): "jax.numpy.maximum(a + b, 1)",
    ("torch", "where(y == 0, 1.0, x)"): "(a + b).masked_fill(c == 0, 1.0)",
    (
        "tensorflow",
        "where(y == 0, 1.0, x)",
    ): "tensorflow.where(tensorflow.equal(c, 0), tensorflow.ones_like(a + b), a + b)",
    (
        "tensorflow",
        "(x == 0) & (y != 0)",
    ): "tensorflow.logical_and(tensorflow.equal(a + b, 0), tensorflow.not_equal(c, 0))",
    ("numpy", "-z * x"): "d * (a + b)",
    ("numpy", "x - x"): "a + b - (a + b)",
    ("numpy", "x.dtype"): "(a + b).dtype",
}


@pytest.mark.parametrize(("framework", "template"), WRITTEN)
def test_it_is_written_in_the_functions_of_the_framework(framework: str, template: str) -> None:
    assert written(template, OPERANDS, Spelling(framework, lambda name: name)) == WRITTEN[framework, template]


def test_what_cannot_be_named_is_not_written() -> None:
    with pytest.raises(NotSpelled):
        written("hypot(x, y)", OPERANDS, Spelling("tensorflow", lambda name: name))
    with pytest.raises(NotSpelled):
        written("log(x)", OPERANDS, Spelling("jax", lambda name: None))


def test_operands_stand_as_they_are_written() -> None:
    assert written("f(x)", {"x": "a[\n    0,  # first\n]"}) == "f(a[\n    0,  # first\n])"
    assert written("x + 1", {"x": "a\n+ b"}) == "(a\n+ b) + 1"
    assert written("f(x, y)", {"x": "a, b", "y": "k := 1"}) in ("f((a, b), (k := 1))", "f((a, b), k := 1)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", "-a"), ("-a", "a"), ("a - b", "b - a"), ("a + b", "-(a + b)"), ("-a * b", "a * b"), ("a ** 2", "-a ** 2"),
     ("(a + b) * c - d", "d - (a + b) * c")],
)  # fmt: skip
def test_minus_an_expression_has_no_second_minus(text: str, expected: str) -> None:
    assert negated(text) == expected
