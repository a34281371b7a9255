"""Degenerate data: what becomes of an expression where its data is zero, constant, or where two things coincide."""

from __future__ import annotations

import numpy as np
import pytest

import nanlint
from nanlint.ops.op import OPS
from tests.marked import JAX, NUMPY, check, program
from tests.ops.calling import Raised, Unusable, call
from tests.ops.truth import spellings_of

# What is said of the ops, in the frameworks

TRAITS = [
    (op.name, trait)
    for op in OPS.values()
    for trait in ("zero_preserving", "keeps_constants", "flat")
    if getattr(op, trait) and op.operands[:1] == ("x",)
]


@pytest.mark.parametrize("root", ["numpy", "torch", "jax", "tensorflow"])
@pytest.mark.parametrize(("op", "trait"), TRAITS)
def test_ops_do_to_zeros_and_constants_what_is_said_of_them(op: str, trait: str, root: str) -> None:
    number = 0.0 if trait == "zero_preserving" else 3.0
    tried = 0
    for spelling in spellings_of(op, root):
        if set(spelling.operands) - {"x", "axis", "ddof"} or spelling.rest:
            continue
        try:
            result = call(spelling, {"x": np.full((4, 4), number, np.float32)})
        except (Unusable, Raised):
            # it wants something else beside the array, or works in place
            continue
        expected = 3.0 if trait == "keeps_constants" else 0.0
        assert np.allclose(result, expected, atol=1e-6), spelling.name
        tried += 1
    if not tried:
        pytest.skip("no spelling that takes an array alone")


# A spread is 0 for constant data, however it is written


@pytest.mark.parametrize(
    "spread",
    [
        "x.max() - x.min()",
        "np.ptp(x)",
        "np.percentile(x, 75) - np.percentile(x, 25)",
        "x[1:] - x[:-1]",
        "np.diff(x)",
        "x.std()",
        "np.sqrt(((x - x.mean()) ** 2).mean())",
        "np.abs(x - np.median(x)).mean()",
        "(x - x.min()).max()",
    ],
)
def test_a_divisor_that_is_a_spread_of_data_is_zero_for_constant_data(spread: str) -> None:
    check(NUMPY, f"def scaled(x):\n    return 1 / ({spread})  # error: [{rule_of(spread)}] possible\n")


def rule_of(spread: str) -> str:
    """The rule that speaks of a divisor: a reduction, a deviation, or anything else."""
    if "std" in spread or "sqrt" in spread:
        return "NL302"
    return "NL301" if spread.endswith((".mean()", ".max()")) else "NL303"


def test_a_message_names_what_coincides() -> None:
    source = program(
        JAX,
        """
        def apart(here, there):
            step = here - there
            return jnp.sqrt(jnp.sum(step**2))
        """,
    )
    (found,) = nanlint.check_source(source)
    assert [cause.message for cause in found.causes] == ["is 0 if `here` and `there` are equal"]
