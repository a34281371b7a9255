"""Sums, products and exponentials are read as algebra has them: order, signs, factors, views and variables apart."""

from __future__ import annotations

import ast

import pytest

from nanlint.analysis.algebra import beside, monomial, ratio, root, terms
from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.exponentials import logistic, tangent
from nanlint.analysis.facts import Facts
from nanlint.frontend.lower import Lowering, lower
from nanlint.graph.node import Node
from nanlint.ops.catalogue import catalogue
from nanlint.source import Source


def lowered(*expressions: str) -> tuple[Evaluator, list[Node], Lowering]:
    """The nodes of expressions of x, y and z, each the operand of a logarithm."""
    lines = "\n".join(f"    torch.log({e})" for e in expressions)
    program = f"import torch\n\n\ndef f(x, y, z):\n{lines}\n"
    lowering = lower(ast.parse(program), catalogue({}), ("torch",), frozenset({"log"}))
    logs = [n for n in lowering.graph if n.op == "log" and n.site is not None]
    outer = sorted((n for n in logs if n.site.col_offset == 4), key=lambda n: n.site.lineno)
    return Evaluator(lowering), [n["x"] for n in outer], lowering


def facts(*expressions: str) -> tuple[Facts, list[Node]]:
    _, nodes, lowering = lowered(*expressions)
    return Facts(Source("f.py", ""), lowering), nodes


ONE_PLUS = ["1 + x", "x + 1", "torch.add(x, 1)", "x.add(1.0)", "x - (-1)", "-(-x - 1)", "torch.ones_like(x) + x"]
ONE_MINUS = ["1 - x", "-x + 1", "torch.sub(1, x)", "-(x - 1)", "1 + (-x)"]


@pytest.mark.parametrize("expression", ONE_PLUS)
def test_one_plus_something_is_found_in_every_order(expression: str) -> None:
    evaluator, (node, x), _ = lowered(expression, "x")
    term = beside(node, 1, evaluator.value)
    assert term is not None
    assert (term.node.key, term.negative) == (x.key, False)


@pytest.mark.parametrize("expression", ONE_MINUS)
def test_one_minus_something_is_found_in_every_order(expression: str) -> None:
    evaluator, (node, x), _ = lowered(expression, "x")
    term = beside(node, 1, evaluator.value)
    assert term is not None
    assert (term.node.key, term.negative) == (x.key, True)


@pytest.mark.parametrize("expression", ["2 + x", "x - 1", "1 + x + y", "1.0", "x", "x * 1"])
def test_other_sums_are_not_one_plus_something(expression: str) -> None:
    evaluator, (node,), _ = lowered(expression)
    assert beside(node, 1, evaluator.value) is None


def test_terms_carry_their_signs_through_brackets() -> None:
    _, (node,), _ = lowered("x - (y - z) + (-x)")
    assert [t.negative for t in terms(node)] == [False, True, False, True]


def test_a_product_is_a_number_over_factors_and_divisors() -> None:
    evaluator, (node, x, y), _ = lowered("-2 * x**2 / (4 * y)", "x", "y")
    found = monomial(node, evaluator.value)
    assert found.number == -0.5
    assert [f.key for f in found.above] == [x.key, x.key]
    assert [f.key for f in found.below] == [y.key]


MULTIPLES = {
    ("-x", "x"): -1.0,
    ("2 * x", "x"): 2.0,
    ("x / 2", "x"): 0.5,
    ("x - y", "y - x"): -1.0,
    ("3 * x * y", "y * x"): 3.0,
    ("x", "y"): None,
    ("x * x", "x"): None,
}


@pytest.mark.parametrize(("pair", "number"), MULTIPLES.items(), ids=[f"{a} of {b}" for a, b in MULTIPLES])
def test_multiples_of_the_same(pair: tuple[str, str], number: float | None) -> None:
    evaluator, (a, b), _ = lowered(*pair)
    assert ratio(a, b, evaluator.value) == number


def test_a_power_of_one_half_is_a_root() -> None:
    evaluator, (by_function, by_power, other, x), _ = lowered("torch.sqrt(x)", "x**0.5", "x**2", "x")
    assert [n and n.key for n in (root(m, evaluator.value) for m in (by_function, by_power))] == [x.key, x.key]
    assert root(other, evaluator.value) is None


LOGISTIC = {
    "1 / (1 + torch.exp(-x))": (True, False, False),
    "(1 + torch.exp(-x)) ** -1": (True, False, False),
    "torch.exp(x) / (torch.exp(x) + 1)": (False, False, True),
    "y / (1 + torch.exp(x))": (True, True, False),
    "(torch.exp(x) - y) / (1 + torch.exp(x))": (True, True, True),
}


@pytest.mark.parametrize(("expression", "form"), LOGISTIC.items(), ids=LOGISTIC)
def test_forms_of_a_sigmoid(expression: str, form: tuple[bool, bool, bool]) -> None:
    asked, (node,) = facts(expression)
    found = logistic(node, asked)
    assert found is not None
    assert (found.negative, found.rest is not None, found.both) == form


@pytest.mark.parametrize(
    "expression", ["1 / (2 + torch.exp(x))", "1 / (1 - torch.exp(x))", "1 / (1 + x)", "x / torch.exp(x)"]
)
def test_other_quotients_are_no_sigmoid(expression: str) -> None:
    asked, (node,) = facts(expression)
    assert logistic(node, asked) is None


TANGENTS = {
    "(torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))": 1.0,
    "(torch.exp(-x) - torch.exp(x)) / (torch.exp(x) + torch.exp(-x))": 1.0,
    "(torch.exp(x) - 1) / (1 + torch.exp(x))": 0.5,
    "(1 - torch.exp(x)) / (1 + torch.exp(x))": -0.5,
    "torch.sinh(x) / torch.cosh(x)": 1.0,
}


@pytest.mark.parametrize(("expression", "scale"), TANGENTS.items(), ids=TANGENTS)
def test_forms_of_tanh(expression: str, scale: float) -> None:
    asked, (node, x) = facts(expression, "x")
    found = tangent(node, asked)
    assert found is not None
    assert abs(found.scale) == abs(scale)
    assert ratio(found.x, x, asked.value) in (1.0, -1.0)


@pytest.mark.parametrize(
    "expression",
    [
        "(torch.exp(x) - torch.exp(y)) / (torch.exp(x) + torch.exp(y))",
        "(torch.exp(x) - 2) / (torch.exp(x) + 2)",
        "(torch.exp(x) + 1) / (torch.exp(x) - 1)",
        "torch.sinh(x) / torch.cosh(y)",
    ],
)
def test_other_quotients_are_no_tanh(expression: str) -> None:
    asked, (node,) = facts(expression)
    assert tangent(node, asked) is None
