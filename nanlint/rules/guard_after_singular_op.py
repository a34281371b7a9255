"""NL209."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.safe_root import SafeNorm, SafeRoot, SafeStd
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL209",
    "guard-after-singular-op",
    hazards="sqrt norm std hypot pow rsqrt reciprocal div log log2 log10",
    after="NL203 NL208 NL101 NL102 NL104",
    fixable=Applicability.SAFE,
    frameworks="torch tensorflow jax",
)
def guard_after_singular_op(hazard: Hazard, facts: Facts) -> Findings:
    late = facts.late_guard(hazard)
    if late is None or not facts.differentiated(hazard.node):
        return "no guard after the operation"
    # x / (norm(x) + eps): what comes back to the root is 0, and TensorFlow's root keeps it so (XLA's does not)
    spared = facts.framework(hazard.node) in ("tensorflow", "keras") and facts.cancels_itself(hazard.node, late)
    yield Finding(
        hazard.node,
        f"guarded only after {hazard.node.op}: its gradient at 0 is still infinite or nan",
        "the backward pass goes through the singular point",
        hazard.but(spared and Seen.SPARED),
        (hazard.cause,),
        remedy(hazard),
        notes=((late, "guards the value, not the gradient"),),
    )


def remedy(hazard: Hazard) -> Codemod | None:
    """The codemod that keeps the operand off the singular point."""
    if hazard.node.op == "norm":
        return SafeNorm(hazard.node)
    if hazard.node.op == "std":
        return SafeStd(hazard.node)
    if hazard.pole.gradient and hazard.node.op in ("sqrt", "pow"):
        return SafeRoot(hazard.node, hazard.operand)
    return None
