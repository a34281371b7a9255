"""NL602."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.clipped_probability import OnLogits
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL602",
    "clip-stops-gradient",
    nodes="clamp maximum minimum",
    fixable=Applicability.DISPLAY,
    frameworks="torch tensorflow jax",
)
def clip_stops_gradient(clip: Node, facts: Facts) -> Findings:
    squashed = facts.always(facts.clipped(clip), "softmax", "sigmoid")
    if squashed is None or not facts.differentiated(clip) or not facts.feeds_logarithm(clip):
        return "no clipped probability whose logarithm is differentiated"
    yield Finding(
        clip,
        "clipped prediction in a loss: no gradient for confident wrong predictions",
        "the derivative of a clip is 0 beyond its bounds",
        form(Seen.FLAT),
        ((squashed, "saturates"),),
        OnLogits(squashed),
    )
