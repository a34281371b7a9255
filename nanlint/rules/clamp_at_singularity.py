"""NL208."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.gradient import PLAIN
from nanlint.analysis.hazards import Hazard
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_inside import RaiseBound
from nanlint.rules.registry import Finding, Findings, confidence, milder, rule


@rule(
    "NL208",
    "clamp-at-singularity",
    hazards="sqrt rsqrt log log2 log10 pow acos asin atanh acosh div reciprocal",
    after="NL203",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow jax",
)
def clamp_at_singularity(hazard: Hazard, facts: Facts) -> Findings:
    """A clamp to exactly the point where the next operation is singular.

    ## What it does
    Finds clamps whose bound is the singular point of the next operation: `clamp(min=0)` before a root, logarithm or
    division, `clamp(-1, 1)` before `acos`.

    ## Why is this bad?
    A clamp moves all values beyond the bound to the bound, where the value or the derivative of the next operation is
    infinite. In JAX the gradient is then `0 * inf = nan` for every clamped element. In PyTorch, TensorFlow and Keras
    the gradient of a clamped element is 0, and infinite only for one that lies exactly on the bound. (PyTorch 2.14
    makes it 0 there too; up to 2.13 it is infinite.)

    ## Example (bad)
    ```python
    angle = torch.acos(cosine.clamp(-1, 1))
    ```

    ## Use instead
    ```python
    angle = torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6))
    ```

    ## Fix safety
    Unsafe: the bound moves inside, or what it gives is clipped; values between the old bound and the new one move to it
    and get no gradient. A root changes by at most 1e-6, an angle by at most 1.4e-3; where the value was 0, the
    logarithm becomes -16.1.

    ## References
    PyTorch issue 8069: NaN from acos. Kornia issue 4229: the gradient of clamp at its bound.
    """
    clamp = facts.bare(hazard.operand)
    if (
        clamp.op not in ("clamp", "maximum", "minimum")
        or hazard.guard is not None
        or not facts.bound_at(clamp, hazard.pole)
    ):
        return "no bound exactly at the singular point"
    plain = facts.framework(hazard.node) in PLAIN
    meant = hazard.pole.gives == "-inf" and (facts.names_logarithm(hazard.node) or facts.absorbed(hazard.node))
    level = confidence(hazard.reach, lowered=int(plain) * milder(hazard) + int(meant))
    yield Finding(
        hazard.node,
        f"clamped to exactly the point where {hazard.node.op} is singular",
        "the bound itself is the singular point",
        level,
        ((clamp, "sets values to exactly this bound"),),
        RaiseBound(hazard.node, clamp, hazard.operand),
    )
