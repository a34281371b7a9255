"""NL603."""

from __future__ import annotations

from nanlint.diagnostic import Applicability
from nanlint.fixes.select_operand import SelectOperand
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL603",
    "nan-gradient-masked",
    nodes="where nan_to_num part",
    fixable=Applicability.DISPLAY,
    frameworks="torch tensorflow jax",
)
def nan_gradient_masked(mask: Node, facts: Facts) -> Findings:
    result = facts.masked_result(mask)
    gap = facts.gap(mask)
    if gap is not None:
        op, data = gap
        yield Finding(
            mask,
            "NaN in data is removed from the value but not from the gradient: 0 * nan = nan",
            "the derivative at a NaN is NaN, and the mask does not remove it",
            form(Seen.OF_DATA, not facts.trained(mask) and Seen.UNLEARNED),
            ((data, "can be NaN: the code checks it for NaN"), (op, "uses it, so its derivative is NaN there")),
            SelectOperand(op),
        )
    if result is None or gap is not None:
        return "no NaN is removed from a result"
    if facts.is_gradient(result):
        yield Finding(
            mask,
            "NaN is removed from a gradient: this hides the operation that made it",
            "weights without a gradient silently stop training",
            form(Seen.MADE_BEFORE),
            notes=((result, "is a gradient"),),
        )
        return
    source = facts.behind_mask(mask) if facts.differentiated(mask) else None
    if source is None:
        if facts.is_loss(result) and facts.differentiated(mask):
            yield Finding(
                mask,
                "NaN is removed from a loss: its gradient is still NaN",
                "0 * nan = nan in the backward pass",
                form(Seen.MADE_BEFORE),
                notes=((result, "is a loss"),),
            )
        return
    yield Finding(
        mask,
        "NaN is removed from the value but not from the gradient: 0 * nan = nan",
        "hides only the NaN in the value",
        form(Seen.OF_DATA, not facts.trained(mask) and Seen.UNLEARNED),
        ((source, "can give NaN, and so can its derivative"),),
        SelectOperand(source),
    )
