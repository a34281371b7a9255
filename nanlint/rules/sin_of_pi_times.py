"""NL509."""

from __future__ import annotations

import math

from nanlint.analysis.algebra import monomial
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule

#: an angle of so many turns still has all but 7 of its bits
TURNS = 20


@rule("NL509", "sin-of-pi-times", nodes="sin cos", after="NL203")
def sin_of_pi_times(function: Node, facts: Facts) -> Findings:
    angle = monomial(function["x"], facts.value)
    halves = 2 * angle.number / math.pi
    if not angle.above or angle.below or round(halves) == 0 or abs(halves - round(halves)) > 1e-5 * abs(halves):
        return "not a multiple of pi"
    v = facts.value(function["x"])
    if facts.scalar(function) or max(-v.lo, v.hi) <= TURNS * math.tau or not all(facts.varies(f) for f in angle.above):
        return "the angle is only a few turns, or made of numbers that are visible in the code"
    yield Finding(
        function,
        f"{function.op} of a multiple of pi: the angle is rounded before full turns are removed",
        "off by 0.25 after 1e6 turns (float32)",
        form(Seen.LOSES_DIGITS),
    )
