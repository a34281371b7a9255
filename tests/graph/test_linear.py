"""What a condition says holds of all multiples of the same sum; and nothing is added to a graph that is lowered."""

from __future__ import annotations

import ast
import functools

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nanlint.analysis.evaluate import Evaluator
from nanlint.frontend.lower import lower
from nanlint.ops.catalogue import catalogue
from nanlint.ops.value import NEVER, Value

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


@functools.cache
def known() -> dict[tuple[str, str], Value]:
    """What is known of which expression under which condition."""
    every = {(c, e): under(c, e) for c in CONDITIONS for e in EXPRESSIONS}
    return {pair: v for pair, v in every.items() if v.lo > -np.inf or v.hi < np.inf}


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
@settings(deadline=None)
@given(st.tuples(FLOATS, FLOATS, FLOATS))
def test_no_number_is_beyond_what_a_condition_says(numbers: tuple[float, float, float]) -> None:
    names = dict(zip("xyz", map(np.float32, numbers), strict=True))
    with np.errstate(over="ignore", invalid="ignore"):
        for (condition, expression), v in known().items():
            if eval(condition, {"abs": np.abs}, names):
                found = eval(expression, {}, names)
                what = condition, expression, names
                assert v.nan is not NEVER if np.isnan(found) else v.lo <= found <= v.hi, what
                assert found != 0 or v.zero is not NEVER, what


def test_differences_are_known() -> None:
    assert len(known()) > 40
