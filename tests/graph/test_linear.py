"""What a condition says holds of all multiples of the same sum; and nothing is added to a graph that is lowered."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.facts import Facts
from nanlint.graph.lower import lower
from nanlint.graph.node import CONST, Graph, Node
from nanlint.ops.catalogue import catalogue
from nanlint.ops.value import NEVER, UNKNOWN, Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source

FIXTURES = Path(__file__).parents[1] / "fixtures"


def under(condition: str, expression: str) -> Value:
    """What is known of an expression of x, y and z where a condition holds."""
    program = f"import torch\n\n\ndef f(x, y, z):\n    if {condition}:\n        torch.log({expression})\n"
    lowering = lower(ast.parse(program), catalogue({}), ("torch",), frozenset({"log"}))
    log = next(n for n in lowering.graph if n.op == "log")
    return Evaluator(lowering).at(log).value(log["x"])


@pytest.mark.parametrize("condition", ["x > y", "y < x", "not x <= y", "x - y > 0", "0 < x - y", "y - x < 0"])
@pytest.mark.parametrize("expression", ["x - y", "-(y - x)", "-y + x", "2 * (x - y)", "(x - y) / 4"])
def test_however_a_difference_is_written_its_sign_is_known(condition: str, expression: str) -> None:
    v = under(condition, expression)
    assert v.neg is NEVER
    assert v.lo >= 0


@pytest.mark.parametrize("condition", ["x > y", "y - x < 0", "-x < -y"])
def test_the_sign_of_one_sum_is_exact(condition: str) -> None:
    assert under(condition, "x - y").zero is NEVER
    assert under(condition, "-(y - x)").zero is NEVER


def test_where_more_is_rounded_zero_stays_possible() -> None:
    v = under("x > y + z", "x - y - z")
    assert v.neg is NEVER
    assert v.zero is UNKNOWN


@pytest.mark.parametrize(
    ("condition", "expression"),
    [("x > y", "y - x"), ("x > y", "x + y"), ("x > y", "x - z"), ("x >= y", "-(x - y)"), ("x != y", "y - x")],
)
def test_nothing_is_said_of_the_sign_of_others(condition: str, expression: str) -> None:
    assert under(condition, expression).neg is not NEVER


def test_a_shifted_sum_bounds_what_is_shifted() -> None:
    assert under("1 + x > 0", "x").lo == -1
    assert under("3 - 2 * x >= 1", "x").hi == 1


def test_a_distance_keeps_off_the_other_point() -> None:
    assert under("abs(x - 2) > 1 and x > 1.5", "x").lo == 3


def test_a_frozen_graph_takes_no_nodes() -> None:
    graph = Graph()
    one = graph.add(CONST, {}, {"value": 1})
    graph.frozen = True
    with pytest.raises(RuntimeError, match="frozen"):
        graph.add("neg", {"x": one})
    assert graph.imagine("neg", {"x": one}).index == 1
    assert list(graph) == [one]
    assert one.users == []


@pytest.mark.parametrize(
    "path", sorted(FIXTURES.glob("*/bad_torch*.py"))[::8], ids=lambda p: f"{p.parent.name}/{p.stem}"
)
def test_asking_adds_nothing_to_the_graph(path: Path) -> None:
    facts: Facts = analysed(Source(str(path), path.read_text(encoding="utf-8")), {})
    graph = facts.lowering.graph
    before: list[tuple[Node, int]] = [(n, len(n.users)) for n in graph]
    assert graph.frozen
    for node in list(graph):
        facts.value(node)
    list(facts.hazards)
    assert [(n, len(n.users)) for n in graph] == before
