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
    """A mask over NaN, behind which the gradient stays NaN.

    ## What it does
    Finds `where(isnan(y), 0, y)`, `y[isnan(y)] = 0` and `nan_to_num(y)` where y is computed by an operation that
    can give NaN or Inf, in a loss, in the forward pass of a model, or before a call of `backward` on what becomes
    of it. Elsewhere they are possible: nothing says that a gradient is taken. Of a loss, what is NaN stays so in the
    gradient wherever it came from (possible, since it may be skipped). The same of data that the code asks for NaN,
    and that an operation has met before the NaN is taken out: `((model(x) - y) ** 2)[~isnan(y)]`.

    ## Why is this bad?
    The mask takes the NaN out of the value. The backward pass multiplies the slope of the operation that made it by
    0, and `0 * nan = nan`: the loss looks fine, and the first step of the optimizer makes every weight NaN. A mask
    over a gradient itself only hides where it comes from (possible).

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
    For display only: which operand has to be replaced, and by what, only its author knows.

    ## References
    JAX FAQ: Gradients contain NaN where using where. PyTorch issue 4132: NaN gradients behind `torch.where`.
    """
    result = facts.masked_result(mask)
    gap = facts.gap(mask)
    if gap is not None:
        op, data = gap
        yield Finding(
            mask,
            "NaN in data is removed from the value but not from the gradient: 0 * nan = nan",
            "the derivative at a NaN is NaN, and stays in the backward pass",
            Confidence.LIKELY if facts.trained(mask) else Confidence.POSSIBLE,
            ((data, "can be NaN: the code checks it for NaN"), (op, "uses it, so its derivative is NaN there")),
            SelectOperand(op),
        )
    if result is None or gap is not None:
        return "no NaN is taken out of a result"
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
                "0 * nan = nan in the backward pass of whatever is NaN",
                Confidence.POSSIBLE,
                notes=((result, "is a loss"),),
            )
        return
    yield Finding(
        mask,
        "NaN is removed from the value but not from the gradient: 0 * nan = nan",
        "hides only the NaN in the value",
        Confidence.LIKELY if facts.trained(mask) else Confidence.POSSIBLE,
        ((source, "makes it NaN, and its derivative as well"),),
        SelectOperand(source),
    )
