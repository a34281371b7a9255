"""NL202."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeNorm
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL202",
    "norm-at-zero",
    hazards="norm hypot",
    after="NL203 NL209",
    fixable=Applicability.SAFE,
    frameworks="tensorflow jax",
)
def norm_at_zero(hazard: Hazard, facts: Facts) -> Findings:
    """Norm of a vector that may be 0, where its gradient is NaN.

    ## What it does
    Finds Euclidean norms with a gradient, of vectors that can be 0: the difference of two points that may be equal,
    pairwise differences (0 on the diagonal). This applies to TensorFlow, Keras and JAX. In PyTorch, `torch.norm` and
    `torch.linalg.norm` have a gradient of 0 there, but `torch.hypot` does not.

    ## Why is this bad?
    The derivative of a norm is `x / norm(x)`, and `0 / 0 = nan`. One pair of equal points is enough, and a `where` or
    an epsilon after the norm does not help.

    ## Example (bad)
    ```python
    distance = jnp.linalg.norm(anchor - positive, axis=-1)
    ```

    ## Use instead
    ```python
    difference = anchor - positive
    moved = jnp.any(difference != 0, axis=-1, keepdims=True)
    distance = jnp.where(moved[..., 0], jnp.linalg.norm(jnp.where(moved, difference, 1.0), axis=-1), 0.0)
    ```

    ## Fix safety
    Safe: the vector is replaced only where it is 0, and the norm there is 0 as before; its gradient, NaN before,
    becomes 0. Unsafe where that would be long: the root of the sum of squares with a small lower bound. `fix-style`
    chooses.

    ## References
    JAX issue 3058: NaN in gradient of `np.linalg.norm` at 0; the documentation of `optax.safe_norm`.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None or facts.divides(hazard.node):
        return "applies only at 0, if no selection hides the value and nothing is divided by it"
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        f"gradient of {hazard.node.op} at 0 is nan",
        "d norm(x)/dx = x / norm(x) = 0 / 0 = nan at x = 0",
        level,
        (hazard.cause,),
        SafeNorm(hazard.node),
    )
