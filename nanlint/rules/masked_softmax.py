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
    """A softmax over a row that a mask has filled with -inf.

    ## What it does
    Finds softmaxes of logits into which a mask puts -inf: likely where the mask is the product of a padding mask with
    itself, so that the whole row of a padded position is -inf; possible for a mask from elsewhere. A causal mask, which
    keeps the diagonal, a selection by the same mask afterwards and `nan_to_num` are in order. The finding stands where
    the -inf is put in, which is the place to mend.

    ## Why is this bad?
    The largest logit of such a row is -inf, and `-inf - -inf = nan`: one padded position makes the whole batch NaN, for
    0 times NaN is NaN.

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
    Safe: the least finite number in place of -inf gives the same weights wherever anything is left of a row, and equal
    weights where nothing is.

    ## References
    PyTorch issues 41508 and 103963 on attention over fully masked rows.
    """
    if always(facts.value(softmax["x"]), "ninf") and written_out(softmax["x"], softmax, facts):
        yield Finding(softmax, "softmax of a row that is all -inf: nan", "-inf - -inf = nan", Confidence.CERTAIN)
        return
    masked = masked_by_infinity(softmax["x"], facts.value)
    if masked is None or selected_again(softmax, masked):
        return "no scores that are masked with -inf"
    reach, note = empty_rows(masked, facts.value)
    if softmax.op == "log_softmax":
        # logarithms of nothing: who weighs them with the mask again expects them
        reach = min(reach, POSSIBLE)
    if note is None:
        return "nothing says that a whole row is masked"
    yield Finding(
        softmax,
        "softmax over a row that a mask may fill with -inf: nan",
        "-inf - -inf = nan if a whole row is masked",
        confidence(reach),
        ((masked.node, f"puts -inf where the mask is set: it {note.text}"),),
        LeastFinite(masked),
        at=masked.node.site,
        notes=((softmax, "is nan for such a row"),),
    )
