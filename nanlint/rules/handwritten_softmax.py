"""NL401."""

from __future__ import annotations

from collections.abc import Iterator

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.softmax import Softmax
from nanlint.graph.node import Node
from nanlint.ops.value import POSSIBLE
from nanlint.rules.registry import Finding, rule


@rule("NL401", "handwritten-softmax", nodes="div", fixable=Applicability.SAFE)
def handwritten_softmax(quotient: Node, facts: Facts) -> Iterator[Finding]:
    """Softmax written by hand, without subtracting the maximum.

    ## What it does
    Finds `exp(x) / sum(exp(x))` whose exponent has no upper bound.

    ## Why is this bad?
    `exp` overflows to inf above 88 in float32 (11 in float16), and `inf / inf = nan`; with all logits below -104 it is
    `0 / 0 = nan`.

    ## Example (bad)
    ```python
    weights = jnp.exp(scores) / jnp.sum(jnp.exp(scores), axis=-1, keepdims=True)
    ```

    ## Use instead
    ```python
    weights = jax.nn.softmax(scores, axis=-1)
    ```

    ## Fix safety
    Safe: `softmax` gives the same values wherever the original is finite. With a sum over everything, or an axis that
    cannot be read off, for display only.

    ## References
    Blanchard, Higham, Higham: Accurately computing the log-sum-exp and softmax functions (2021).
    """
    denominator = facts.origin(quotient["b"], "sum")
    if denominator is None:
        return
    alone = facts.origin(quotient["a"], "exp")
    above, summand = (
        alone or facts.bare(quotient["a"]),
        facts.origin(denominator["x"], "exp") or facts.bare(denominator["x"]),
    )
    if not facts.same(above, summand):
        return
    numerator = next((f for f in facts.factors(above) if f.op == "exp"), None)
    if numerator is None or facts.value(numerator).pinf < POSSIBLE:
        return
    note = facts.value(numerator).evidence("pinf")
    yield Finding(
        quotient,
        "handwritten softmax without max-subtraction: inf / inf = nan for large logits",
        "inf / inf = nan",
        Confidence.CERTAIN,
        ((numerator, note.text if note else "overflows"),),
        Softmax(quotient, numerator, denominator) if alone is not None else None,
    )
