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
    """A mask that removes NaN from the value but not from the gradient.

    ## What it does
    Finds `where(isnan(y), 0, y)`, `y[isnan(y)] = 0` and `nan_to_num(y)` if y is computed by an operation that can give
    NaN or Inf, in a loss, in the forward pass of a model, or before a call of `backward` on the result. Elsewhere they
    are *possible*, since there is no evidence of a gradient. A mask over a loss is also *possible*: its gradient stays
    NaN, whatever made it NaN, but the step may be skipped. Also finds data that the code checks for NaN, if an
    operation uses it before the NaN is removed: `((model(x) - y) ** 2)[~isnan(y)]`.

    ## Why is this bad?
    The mask removes the NaN from the value. But the backward pass multiplies the derivative of the operation that made
    it by 0, and `0 * nan = nan`: the loss looks fine, and the first optimizer step makes every weight NaN. A mask over
    a gradient itself only hides the source of the NaN (*possible*).

    ## Example (bad)
    ```python
    def ratio_loss(a, b):
        ratio = a / b
        return torch.where(torch.isnan(ratio), torch.zeros_like(ratio), ratio).mean()
    ```

    ## Use instead
    ```python
    def ratio_loss(a, b):
        safe = torch.where(b == 0, torch.ones_like(b), b)
        return torch.where(b == 0, torch.zeros_like(b), a / safe).mean()
    ```

    ## Fix safety
    Suggestion only: you have to decide which operand to replace, and by which value.

    ## References
    JAX FAQ: Gradients contain NaN where using where. PyTorch issue 4132: NaN gradients of `torch.where`.
    """
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
