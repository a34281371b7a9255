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
    """Clip of a prediction, beyond which nothing is learned.

    ## What it does
    Finds probabilities of a model (a softmax, a sigmoid) that are clipped and go into a logarithm of a loss.

    ## Why is this bad?
    The clip keeps the loss finite, and its gradient is 0 beyond the bound: a prediction that is wrong and certain,
    the one that has most to learn, gets no gradient at all and never recovers. The loss of the logits has neither
    problem.

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
    For display only: the loss of the logits is another number beyond the bound.

    ## References
    Keras: `from_logits=True` of its losses.
    """
    squashed = facts.always(facts.clipped(clip), "softmax", "sigmoid")
    if squashed is None or not facts.differentiated(clip) or not facts.feeds_logarithm(clip):
        return "no clipped probability whose logarithm is differentiated"
    yield Finding(
        clip,
        "clipped prediction in a loss: no gradient for confident wrong predictions",
        "the slope of a clip is 0 beyond its bounds",
        Confidence.POSSIBLE,
        ((squashed, "saturates"),),
        OnLogits(squashed),
    )
