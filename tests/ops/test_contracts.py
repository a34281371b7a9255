"""What is said of a constraint is what PyTorch checks: what is within it is legal, what is ruled out is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nanlint.ops.contracts import CONSTRAINTS
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, POSSIBLE, TOP

SAMPLES = {"neg": -2.5, "zero": 0.0, "high": 1.0, "pos": 2.5}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_constraint_admits_what_pytorch_admits(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    constraints = pytest.importorskip("torch.distributions.constraints")
    constraint = getattr(constraints, name.rpartition(".")[2])
    v = OPS[CONSTRAINTS[name]].transfer({"x": TOP}, {})
    for cls, number in SAMPLES.items():
        # a simplex of two: the number and what it lacks to 1
        sample = torch.tensor([number, 1.0 - number] if name.endswith(("simplex", "vector")) else number)
        legal = bool(constraint.check(sample).all())
        within = v.lo <= number <= v.hi and v.reach(cls) is not NEVER
        assert within is legal, (number, v)


@pytest.mark.parametrize(
    ("name", "legal"), [("in_unit_interval", True), ("in_non_negative", True), ("in_positive", False)]
)
def test_the_end_of_a_constraint_at_0_is_legal_though_a_name_says_otherwise(name: str, legal: bool) -> None:
    believed = replace(TOP, lo=0.0, zero=NEVER)
    assert (OPS[name].transfer({"x": believed}, {}).zero is POSSIBLE) is legal
