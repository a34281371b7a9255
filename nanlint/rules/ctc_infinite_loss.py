"""NL703."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.zero_infinity import ZeroInfinity
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL703", "ctc-infinite-loss", nodes="ctc", fixable=Applicability.SAFE, frameworks="torch")
def ctc_infinite_loss(loss: Node, facts: Facts) -> Findings:
    """CTC loss that is infinite for a sequence that is too short.

    ## What it does
    Finds PyTorch's `ctc_loss` and `CTCLoss` without `zero_infinity=True`. (The CTC losses of TensorFlow, Keras and
    Optax stay finite.)

    ## Why is this bad?
    An input with fewer steps than its target has symbols (and blanks between equal ones) cannot be aligned at all: its
    loss is inf, its gradient NaN. If one input is too short, or one target too long, the mean over the batch makes
    every weight NaN.

    ## Example (bad)
    ```python
    loss = F.ctc_loss(log_probs, targets, input_lengths, target_lengths)
    ```

    ## Use instead
    ```python
    loss = F.ctc_loss(log_probs, targets, input_lengths, target_lengths, zero_infinity=True)
    ```

    ## Fix safety
    Safe: a finite loss and its gradient stay as they are. A sequence whose loss is inf counts as 0, with a gradient
    of 0.

    ## References
    PyTorch: `torch.nn.CTCLoss`, on `zero_infinity`. Graves et al.: Connectionist temporal classification (2006).
    """
    chosen = loss.get("zero_infinity")
    if facts.framework(loss) != "torch" or (chosen is not None and chosen.attrs.get("value") is not False):
        return "`zero_infinity` is given"
    watched = chosen is not None or facts.tested_for_infinity(loss) or facts.doubted(loss)
    layer = loss.get("layer")
    yield Finding(
        loss,
        "CTC loss is inf, and its gradient nan, for an input that is shorter than its target",
        "one sequence that cannot be aligned makes the mean inf",
        Confidence.POSSIBLE if watched else Confidence.LIKELY,
        fix=ZeroInfinity(loss),
        at=layer.site if layer is not None else None,
    )
