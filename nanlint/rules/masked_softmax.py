"""NL404."""

from __future__ import annotations

from nanlint.analysis.log_space import empty_rows, masked_by_infinity, selected_again
from nanlint.diagnostic import Applicability
from nanlint.fixes.least_finite import LeastFinite
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.hazards.written_out import written_out
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL404", "masked-softmax", nodes="softmax log_softmax", fixable=Applicability.SAFE)
def masked_softmax(softmax: Node, facts: Facts) -> Findings:
    if always(facts.value(softmax["x"]), "ninf") and written_out(softmax["x"], softmax, facts):
        yield Finding(softmax, "softmax of a row that is all -inf: nan", "-inf - -inf = nan", form())
        return
    masked = masked_by_infinity(softmax["x"], facts.value)
    if masked is None or selected_again(softmax, masked):
        return "no logits that are masked with -inf"
    reach, note = empty_rows(masked, facts.value)
    if note is None:
        return "no evidence that a whole row is masked"
    yield Finding(
        softmax,
        "softmax over a row that a mask may fill with -inf: nan",
        "-inf - -inf = nan if a whole row is masked",
        form(softmax.op == "log_softmax" and Seen.WEIGHED_AGAIN, reach=reach),
        ((masked.node, f"puts -inf into the masked logits; the mask {note.text}"),),
        LeastFinite(masked),
        at=masked.node.site,
        notes=((softmax, "is nan for such a row"),),
    )
