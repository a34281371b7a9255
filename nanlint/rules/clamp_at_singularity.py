"""NL208."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_inside import RaiseBound
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen
from nanlint.ops.frameworks.training import PLAIN
from nanlint.rules.registry import Finding, Findings, in_numpy, rule


@rule(
    "NL208",
    "clamp-at-singularity",
    hazards="sqrt rsqrt log log2 log10 pow acos asin atanh acosh div reciprocal",
    after="NL203",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow jax",
)
def clamp_at_singularity(hazard: Hazard, facts: Facts) -> Findings:
    clamp = facts.bare(hazard.operand)
    if (
        clamp.op not in ("clamp", "maximum", "minimum")
        or hazard.guard is not None
        or not facts.bound_at(clamp, hazard.pole)
    ):
        return "no bound exactly at the singular point"
    plain = facts.framework(hazard.node) in PLAIN
    meant = hazard.pole.gives == "-inf" and (facts.names_logarithm(hazard.node) or facts.absorbed(hazard.node))
    yield Finding(
        hazard.node,
        f"clamped to exactly the point where {hazard.node.op} is singular",
        "the bound itself is the singular point",
        hazard.but(plain and in_numpy(hazard), meant and Seen.ABSORBED),
        ((clamp, "sets values to exactly this bound"),),
        RaiseBound(hazard.node, clamp, hazard.operand),
    )
