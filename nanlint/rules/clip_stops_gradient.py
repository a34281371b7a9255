"""NL602."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.clipped_probability import OnLogits
from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Findings, rule


@rule(
    "NL602",
    "clip-stops-gradient",
    nodes="clamp maximum minimum",
    fixable=Applicability.DISPLAY,
    frameworks="torch tensorflow jax",
)
def clip_stops_gradient(clip: Node, facts: Facts) -> Findings:
    """Clip of a prediction that stops the gradient outside of its bounds.

    ## What it does
    Finds probabilities of a model (a softmax, a sigmoid) that are clipped before the logarithm of a loss.

    ## Why is this bad?
    The clip keeps the loss finite, but its gradient is 0 beyond the bound: a confident wrong prediction, which should
    change most, gets no gradient and never recovers. A loss that is computed from logits has neither problem.

    ## Example (bad)
    ```python
    def cross_entropy(logits, labels):
        probs = torch.softmax(logits, dim=-1).clamp(min=1e-7)
        return -(labels * torch.log(probs)).sum()
    ```

    ## Use instead
    ```python
    def cross_entropy(logits, labels):
        return -(labels * torch.log_softmax(logits, dim=-1)).sum()
    ```

    ## Fix safety
    Suggestion only: outside the bounds of the clip, a loss of logits has a different value.

    ## References
    Keras: `from_logits=True` of its losses.
    """
    squashed = facts.always(facts.clipped(clip), "softmax", "sigmoid")
    if squashed is None or not facts.differentiated(clip) or not facts.feeds_logarithm(clip):
        return "no clipped probability whose logarithm is differentiated"
    yield Finding(
        clip,
        "clipped prediction in a loss: no gradient for confident wrong predictions",
        "the derivative of a clip is 0 beyond its bounds",
        Confidence.POSSIBLE,
        ((squashed, "saturates"),),
        OnLogits(squashed),
    )
