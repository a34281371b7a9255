"""NL501 and NL502: an epsilon that does nothing, and a bound of 1 - epsilon that is 1."""

from __future__ import annotations

from nanlint.analysis.epsilons import Epsilon
from nanlint.diagnostic import Applicability
from nanlint.fixes.epsilon import MendEpsilon
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule

POLES = "log log2 log10 log1p sqrt rsqrt div reciprocal atanh acos asin erfinv"

MESSAGE = {
    "rounds to 0": "an epsilon too small for this precision: adding it changes nothing",
    "subtracted": "a subtracted epsilon: it moves the singularity to values that can occur",
    "multiplied": "an epsilon used as a factor: 0 stays 0",
    "too late": "an epsilon after the logarithm: -inf stays -inf",
}


def found(node: Node, one: Epsilon, message: str) -> Finding:
    """What is said of an epsilon: possible where the finding at the pole shows it."""
    judged = form(Seen.USELESS_EPSILON, one.reached and Seen.AT_THE_POLE)
    notes = ((node, "is the value that the epsilon should protect"),)
    return Finding(one.place, message, one.why, judged, fix=MendEpsilon(one), notes=notes)


@rule("NL501", "epsilon-below-dtype", nodes=POLES, fixable=Applicability.UNSAFE)
def epsilon_below_dtype(node: Node, facts: Facts) -> Findings:
    for one in facts.epsilons(node):
        if one.flaw in MESSAGE:
            yield found(node, one, MESSAGE[one.flaw])


@rule("NL502", "one-minus-epsilon", nodes=POLES, fixable=Applicability.UNSAFE)
def one_minus_epsilon(node: Node, facts: Facts) -> Findings:
    for one in facts.epsilons(node):
        if one.flaw == "rounds to 1":
            yield found(node, one, "a bound that is exactly 1: its epsilon is lost in rounding")
