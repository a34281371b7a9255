"""NL205."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.safe_root import OffOrigin
from nanlint.rules.registry import LOWERED, Finding, Findings, confidence, rule


@rule(
    "NL205",
    "atan2-at-origin",
    hazards="atan2",
    after="NL203",
    fixable=Applicability.UNSAFE,
    frameworks="tensorflow jax",
)
def atan2_at_origin(hazard: Hazard, facts: Facts) -> Findings:
    """Angle of a vector that may be 0, where its gradient is NaN.

    ## What it does
    Finds `atan2`, through which a gradient flows, of two components that are 0 together: of the difference of two
    points that coincide. In TensorFlow, Keras and JAX; PyTorch's gradient is 0 there.

    ## Why is this bad?
    The derivatives are `x / (x**2 + y**2)` and `-y / (x**2 + y**2)`: `0 / 0 = nan`.

    ## Example (bad)
    ```python
    heading = jnp.arctan2(goal[1] - here[1], goal[0] - here[0])
    ```

    ## Use instead
    ```python
    dy, dx = goal[1] - here[1], goal[0] - here[0]
    heading = jnp.arctan2(dy, jnp.where((dy == 0) & (dx == 0), 1.0, dx))
    ```

    ## Fix safety
    Unsafe: at the origin the angle is 0, also for `atan2(0, -0.0)`, which was π.

    ## References
    PyTorch issue 98276, on the gradients of `angle` and `atan2`.
    """
    if hazard.guard is not None:
        return "a selection further on hides the value"
    level = confidence(hazard.reach)
    if level is None:
        return LOWERED
    yield Finding(
        hazard.node,
        "gradient of atan2 at the origin is nan",
        "d atan2(y, x)/dy = x / (x**2 + y**2) = 0 / 0 = nan at the origin",
        level,
        (hazard.cause,),
        OffOrigin(hazard.node),
    )
