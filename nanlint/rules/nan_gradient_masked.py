"""NL603."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.select_operand import SelectOperand
from nanlint.graph.node import Node
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
            Confidence.LIKELY if facts.trained(mask) else Confidence.POSSIBLE,
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
            Confidence.POSSIBLE,
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
                Confidence.POSSIBLE,
                notes=((result, "is a loss"),),
            )
        return
    yield Finding(
        mask,
        "NaN is removed from the value but not from the gradient: 0 * nan = nan",
        "hides only the NaN in the value",
        Confidence.LIKELY if facts.trained(mask) else Confidence.POSSIBLE,
        ((source, "can give NaN, and so can its derivative"),),
        SelectOperand(source),
    )
