"""NL205."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import OffOrigin
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Hazard, Seen, form
from nanlint.hazards.written_out import written_out
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL205",
    "atan2-at-origin",
    hazards="atan2",
    nodes="atan2",
    after="NL203",
    fixable=Applicability.UNSAFE,
    frameworks="tensorflow jax",
)
def atan2_at_origin(subject: Hazard | Node, facts: Facts) -> Findings:
    if isinstance(subject, Node):
        return (yield from before_it_was_mended(subject, facts))
    hazard = subject
    if hazard.guard is not None:
        return "a later selection hides the value"
    yield Finding(
        hazard.node,
        "gradient of atan2 at the origin is nan",
        "d atan2(y, x)/dy = x / (x**2 + y**2) = 0 / 0 = nan at the origin",
        hazard,
        (hazard.cause,),
        OffOrigin(hazard.node),
    )


def before_it_was_mended(node: Node, facts: Facts) -> Findings:
    """The origin itself in PyTorch, whose older releases divide 0 by 0 there."""
    if facts.framework(node) != "torch" or not facts.differentiated(node):
        return "applies only to PyTorch, if a gradient flows"
    if not all(always(facts.value(node[k]), "zero") and written_out(node[k], node, facts) for k in ("a", "b")):
        return "the origin is not written as constants"
    yield Finding(
        node,
        "gradient of atan2 at the origin is nan in older releases of PyTorch",
        "d atan2(y, x)/dy = x / (x**2 + y**2) = 0 / 0 = nan at the origin",
        form(Seen.OLDER_RELEASES),
        tuple((node[k], "is 0 here") for k in ("a", "b")),
    )
