"""NL207."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import SafeStd
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL207",
    "std-at-constant",
    hazards="std",
    after="NL203 NL209",
    fixable=Applicability.SAFE,
    frameworks="tensorflow jax",
)
def std_at_constant(hazard: Hazard, facts: Facts) -> Findings:
    """Standard deviation of data that may be constant, where its gradient is NaN.

    ## What it does
    Finds standard deviations with a gradient in TensorFlow, Keras and JAX. In PyTorch, the gradient of `std` is 0 for
    constant data; `sqrt(var(x))` has no finite gradient in any framework.

    ## Why is this bad?
    The deviation is the root of the variance, and the derivative of the root is infinite at 0: constant data, or a
    batch of one, gives `inf * 0 = nan`. An epsilon that is added to the deviation is too late: add it to the variance,
    under the root.

    ## Example (bad)
    ```python
    collapse = jnp.std(jnp.maximum(features, 0), axis=0)
    ```

    ## Use instead
    ```python
    collapse = jnp.sqrt(jnp.var(jnp.maximum(features, 0), axis=0) + 1e-12)
    ```

    ## Fix safety
    Safe: `std` becomes the root of `var` under a double `where`. Values stay; the gradient for constant data, NaN
    before, becomes 0. Unsafe where that would be long: a small number is added to the variance. `fix-style` chooses.

    ## References
    JAX issue 11716: `jax.grad` of `jax.numpy.std` over a constant vector. PyTorch issue 4320, where it was fixed.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None or facts.divides(hazard.node):
        return "applies only at 0, if no selection hides the value and nothing is divided by it"
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        "gradient of std is nan for constant data",
        "std = sqrt(var), and d sqrt(v)/dv = inf at v = 0",
        level,
        (hazard.cause,),
        SafeStd(hazard.node),
    )
