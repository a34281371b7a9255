"""NL512."""

from __future__ import annotations

from nanlint.analysis.algebra import monomial, terms
from nanlint.diagnostic import Applicability
from nanlint.fixes.forms import ANGLE
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule

#: bounds that keep a cosine in [-1, 1]
BOUNDS = {"clamp": "x", "minimum": "a", "maximum": "a"}


@rule(
    "NL512",
    "acos-for-angle",
    nodes="acos",
    after="NL203 NL204 NL208 NL506",
    fixable=Applicability.DISPLAY,
)
def acos_for_angle(acos: Node, facts: Facts) -> Findings:
    cosine = facts.bare(acos["x"])
    for _ in range(4):
        if cosine.op not in BOUNDS:
            break
        inner = cosine[BOUNDS[cosine.op]]
        cosine = facts.bare(cosine["b"] if "b" in cosine.args and facts.value(inner).constant is not None else inner)
    if facts.scalar(acos) or not is_cosine(cosine, facts) or not facts.varies(cosine):
        return "no angle between vectors of data"
    yield Finding(
        acos,
        "angle computed from its cosine: small angles become 0, or are off by 0.02 degrees",
        "acos(1 - 5e-9) = acos(1) = 0 in float32",
        form(Seen.LOSES_DIGITS),
        fix=Rewrite(acos, ANGLE, {}, Applicability.DISPLAY),
    )


def is_cosine(node: Node, facts: Facts) -> bool:
    """A cosine by its form: a scalar product, by itself or over lengths, or (trace - 1) / 2 of a rotation."""
    if node.op in ("cosine", "dot", "einsum"):
        return True
    if node.op == "sum":
        return len(monomial(node["x"], facts.value).above) == 2
    parts = monomial(node, facts.value)
    if parts.below:
        return any(is_cosine(f, facts) for f in parts.above)
    return parts.number == 0.5 and any(facts.bare(t.node).op == "trace" for f in parts.above for t in terms(f))
