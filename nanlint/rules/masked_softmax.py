"""NL404."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.log_space import empty_rows, masked_by_infinity, selected_again
from nanlint.analysis.written_out import written_out
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.least_finite import LeastFinite
from nanlint.graph.node import Node
from nanlint.ops.value import POSSIBLE, always
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule("NL404", "masked-softmax", nodes="softmax log_softmax", fixable=Applicability.SAFE)
def masked_softmax(softmax: Node, facts: Facts) -> Findings:
    """A softmax over a row that a mask may fill with -inf.

    ## What it does
    Finds softmaxes of logits into which a mask puts -inf. This is *likely* if the mask is the product of a padding mask
    with itself, so that the whole row of a padded position is -inf, and *possible* for a mask from elsewhere. A causal
    mask, which keeps the diagonal, a later selection by the same mask, and `nan_to_num` are not reported. The finding
    is reported where -inf is inserted, because that is the line to fix.

    ## Why is this bad?
    The largest logit of such a row is -inf, and `-inf - -inf = nan`: one padded position makes the whole batch NaN,
    since 0 times NaN is NaN.

    ## Example (bad)
    ```python
    mask = valid[:, :, None] * valid[:, None, :]
    weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
    ```

    ## Use instead
    ```python
    mask = valid[:, :, None] * valid[:, None, :]
    weights = torch.softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min), dim=-1)
    ```

    ## Fix safety
    Safe: with the lowest finite number instead of -inf, the weights of a row do not change if any element is unmasked,
    and are equal if none is.

    ## References
    PyTorch issues 41508 and 103963 on attention over fully masked rows.
    """
    if always(facts.value(softmax["x"]), "ninf") and written_out(softmax["x"], softmax, facts):
        yield Finding(softmax, "softmax of a row that is all -inf: nan", "-inf - -inf = nan", Confidence.CERTAIN)
        return
    masked = masked_by_infinity(softmax["x"], facts.value)
    if masked is None or selected_again(softmax, masked):
        return "no logits that are masked with -inf"
    reach, note = empty_rows(masked, facts.value)
    if softmax.op == "log_softmax":
        # logarithms of nothing: who weighs them with the mask again expects them
        reach = min(reach, POSSIBLE)
    if note is None:
        return "no evidence that a whole row is masked"
    yield Finding(
        softmax,
        "softmax over a row that a mask may fill with -inf: nan",
        "-inf - -inf = nan if a whole row is masked",
        confidence(reach),
        ((masked.node, f"puts -inf into the masked logits; the mask {note.text}"),),
        LeastFinite(masked),
        at=masked.node.site,
        notes=((softmax, "is nan for such a row"),),
    )
