"""NL205."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.written_out import written_out
from nanlint.diagnostic import Applicability, Confidence
from nanlint.fixes.safe_root import OffOrigin
from nanlint.graph.node import Node
from nanlint.ops.value import always
from nanlint.rules.registry import Finding, Findings, confidence, rule


@rule(
    "NL205",
    "atan2-at-origin",
    hazards="atan2",
    nodes="atan2",
    after="NL203",
    fixable=Applicability.UNSAFE,
    frameworks="tensorflow jax",
)
def atan2_at_origin(subject: Hazard | Node, facts: Facts) -> Findings:
    """Angle of a vector that may be 0, where its gradient is NaN.

    ## What it does
    Finds `atan2` with a gradient, if both components can be 0, as in the difference of two points that may be equal.
    This applies to TensorFlow, Keras and JAX. In PyTorch the gradient was NaN until November 2025 and is 0 in 2.13, so
    only an origin written as constants is found.

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
    Unsafe: at the origin the angle becomes 0, including `atan2(0, -0.0)`, which was π.

    ## References
    PyTorch issue 98276, on the gradients of `angle` and `atan2`; pull request 166787, which fixes the gradient of
    `atan2`.
    """
    if isinstance(subject, Node):
        return (yield from before_it_was_mended(subject, facts))
    hazard = subject
    if hazard.guard is not None:
        return "a later selection hides the value"
    level = confidence(hazard.reach)
    yield Finding(
        hazard.node,
        "gradient of atan2 at the origin is nan",
        "d atan2(y, x)/dy = x / (x**2 + y**2) = 0 / 0 = nan at the origin",
        level,
        (hazard.cause,),
        OffOrigin(hazard.node),
    )


def before_it_was_mended(node: Node, facts: Facts) -> Findings:
    """The origin itself in PyTorch, whose older releases divide 0 by 0 there."""
    if facts.framework(node) != "torch" or not facts.differentiated(node):
        return "applies only to PyTorch, if a gradient flows"
    if not all(always(facts.value(node[k]), "zero") and written_out(node[k], node, facts) for k in ("a", "b")):
        return "the origin is not written as constants"
    yield Finding(
        node,
        "gradient of atan2 at the origin is nan in older releases of PyTorch",
        "d atan2(y, x)/dy = x / (x**2 + y**2) = 0 / 0 = nan at the origin",
        Confidence.LIKELY,
        tuple((node[k], "is 0 here") for k in ("a", "b")),
    )
