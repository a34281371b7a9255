"""What a condition says holds of all multiples of the same sum; and nothing is added to a graph that is lowered."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.facts import Facts
from nanlint.frontend.lower import lower
from nanlint.graph.node import CONST, Graph, Node
from nanlint.ops.catalogue import catalogue
from nanlint.ops.value import NEVER, UNKNOWN, Value
from nanlint.rules.diagnose import analysed
from nanlint.source import Source

FIXTURES = Path(__file__).parents[1] / "fixtures"
#: conditions and expressions that share atoms, in many forms
CONDITIONS = ["x > y", "y < x", "not x <= y", "x - y > 0", "0 < x - y", "y - x < 0", "x > y + z", "x - y >= z"]
CONDITIONS += ["x + y > 1", "1 + x > 0", "3 - 2 * x >= 1", "x != y", "x == y", "abs(x) < y", "abs(x) > y", "x + y >= z"]
EXPRESSIONS = ["x - y", "-(y - x)", "-y + x", "2 * (x - y)", "x - y - z", "x - (y + z)", "y + z - x"]
EXPRESSIONS += [
    "x",
    "y - x",
    "x + y - 1",
    "1 - x - y",
    "x - y - z - 1",
    "y * y - x * x",
    "z - x - y",
    "(x + z) - (y + z)",
    "x - y - 1",
    "3 * x - 3 * y - 3 * z",
]


def under(condition: str, expression: str) -> Value:
    """What is known of an expression of x, y and z where a condition holds."""
    program = f"import torch\n\n\ndef f(x, y, z):\n    if {condition}:\n        torch.log({expression})\n"
    lowering = lower(ast.parse(program), catalogue({}), ("torch",), frozenset({"log"}))
    log = next(n for n in lowering.graph if n.op == "log")
    return Evaluator(lowering).at(log).value(log["x"])


KNOWN = {(c, e): v for c in CONDITIONS for e in EXPRESSIONS if (v := under(c, e)) and (v.lo > -np.inf or v.hi < np.inf)}

#: numbers whose sums round, cancel and underflow
FLOATS = st.one_of(
    st.floats(width=32, allow_nan=False, min_value=-(2.0**100), max_value=2.0**100),
    st.integers(-(2**25), 2**25).map(float),
    st.integers(-8, 8).map(lambda n: 1 + n * 2.0**-23),
    st.integers(-8, 8).map(lambda n: n * 2.0**-149),
)


# x > y + z, but rounded more than twice 3x - 3y - 3z is negative; x - y >= z, but x - (y + z) is negative; x > y alone
@example((15927051.0, 11386834.0, 4540216.5))
@example((1 + 3 * 2.0**-23, 1.5 * 2.0**-23, 1 + 2 * 2.0**-23))
@example((1.5, 1.0, 0.0))
@given(st.tuples(FLOATS, FLOATS, FLOATS))
def test_no_number_is_beyond_what_a_condition_says(numbers: tuple[float, float, float]) -> None:
    names = dict(zip("xyz", map(np.float32, numbers), strict=True))
    with np.errstate(over="ignore", invalid="ignore"):
        for (condition, expression), v in KNOWN.items():
            if eval(condition, {"abs": np.abs}, names):
                found = eval(expression, {}, names)
                what = condition, expression, names
                assert v.nan is not NEVER if np.isnan(found) else v.lo <= found <= v.hi, what
                assert found != 0 or v.zero is not NEVER, what


def test_differences_are_known() -> None:
    assert len(KNOWN) > 40


@pytest.mark.parametrize("condition", CONDITIONS[:6])
@pytest.mark.parametrize("expression", EXPRESSIONS[:4])
def test_however_a_difference_is_written_its_sign_is_known(condition: str, expression: str) -> None:
    v = under(condition, expression)
    assert v.neg is NEVER
    assert v.lo >= 0


@pytest.mark.parametrize("condition", ["x > y", "y - x < 0", "-x < -y"])
def test_the_sign_of_one_sum_is_exact(condition: str) -> None:
    assert under(condition, "x - y").zero is NEVER
    assert under(condition, "-(y - x)").zero is NEVER


def test_two_roundings_may_leave_zero() -> None:
    v = under("x > y + z", "x - y - z")
    assert v.neg is NEVER
    assert v.zero is UNKNOWN


@pytest.mark.parametrize(
    ("condition", "expression"),
    [
        ("x > y", "y - x"),
        ("x > y", "x + y"),
        ("x > y", "x - z"),
        ("x >= y", "-(x - y)"),
        ("x != y", "y - x"),
        ("abs(x) > y", "x * x - y * y"),
        ("x > y + z + 1", "x - y - z - 1"),
    ],
)
def test_nothing_is_said_of_the_sign_of_others(condition: str, expression: str) -> None:
    assert under(condition, expression).neg is not NEVER


def test_a_shifted_sum_bounds_what_is_shifted() -> None:
    v = under("1 + x > 0", "x")
    assert v.lo == -1
    assert v.low is NEVER


def test_a_distance_keeps_off_the_other_point() -> None:
    assert under("abs(x - 2) > 1 and x > 1.5", "x").lo == 3


@pytest.mark.parametrize(
    "condition",
    [
        "abs(x) < 1e200",
        "abs(x - 1) > 1e300",
        f"x - y > {10**400}",
        "x * 1e-300 * 1e-300 > y",
        "x * 5e-324 - y < 1",
        "x / 5e-324 > y",
        "1e300 * x * 1e300 < y",
        "x - 1e308 > y + 1e308",
        "x > float('nan')",
        "x - float('inf') < y",
    ],
)
def test_numbers_beyond_floats_are_no_forms(condition: str) -> None:
    for expression in ("x - y", "y - x", "x"):
        v = under(condition, expression)
        assert v.lo <= v.hi


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
