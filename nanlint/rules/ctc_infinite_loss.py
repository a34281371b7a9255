"""NL703."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.zero_infinity import ZeroInfinity
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL703", "ctc-infinite-loss", nodes="ctc", fixable=Applicability.SAFE, frameworks="torch")
def ctc_infinite_loss(loss: Node, facts: Facts) -> Findings:
    chosen = loss.get("zero_infinity")
    if facts.framework(loss) != "torch" or (chosen is not None and chosen.attrs.get("value") is not False):
        return "`zero_infinity` is given"
    watched = chosen is not None or facts.tested_for_infinity(loss) or facts.doubted(loss)
    layer = loss.get("layer")
    yield Finding(
        loss,
        "CTC loss is inf, and its gradient nan, for an input that is shorter than its target",
        "one sequence that cannot be aligned makes the mean inf",
        form(Seen.OF_DATA, watched and Seen.UNLEARNED),
        fix=ZeroInfinity(loss),
        at=layer.site if layer is not None else None,
    )
