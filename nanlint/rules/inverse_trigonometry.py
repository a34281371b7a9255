"""NL204 and NL506: inverse functions at the ends of their domain, and beyond."""

from __future__ import annotations

from nanlint.analysis.facts import Facts
from nanlint.analysis.hazards import Hazard
from nanlint.analysis.written_out import inevitable
from nanlint.diagnostic import Applicability
from nanlint.fixes.clip_inside import ClipInside
from nanlint.ops.value import Origin
from nanlint.rules.registry import Finding, Findings, confidence, rule

#: value and gradient at an end of the domain
AT_THE_END = {
    "acos": "d acos(x)/dx = -1 / sqrt(1 - x**2) = -inf at x = ±1",
    "asin": "d asin(x)/dx = 1 / sqrt(1 - x**2) = inf at x = ±1",
    "acosh": "d acosh(x)/dx = 1 / sqrt(x**2 - 1) = inf at x = 1",
    "atanh": "atanh(±1) = ±inf",
}
#: numbers outside of a domain that does not end above 1
OUTSIDE = {"acosh": "0.9999999"}


@rule(
    "NL204",
    "inverse-trig-at-one",
    hazards="acos asin acosh atanh",
    after="NL203 NL208 NL506",
    fixable=Applicability.UNSAFE,
    frameworks="torch tensorflow jax",
)
def inverse_trig_at_one(hazard: Hazard, facts: Facts) -> Findings:
    """Inverse trigonometric function at ±1, where its gradient is infinite.

    ## What it does
    Finds `acos`, `asin`, `acosh` and `atanh` of values that are known to reach 1 or -1: a cosine, a saturated `tanh`,
    a component of a vector of length 1.

    ## Why is this bad?
    The derivative is infinite there, and NaN when it is multiplied by 0. Two equal vectors are enough. (For `atanh`,
    the value is infinite as well.)

    ## Example (bad)
    ```python
    angle = torch.acos(torch.tanh(score))
    ```

    ## Use instead
    ```python
    angle = torch.acos(torch.tanh(score).clamp(-1 + 1e-6, 1 - 1e-6))
    ```

    ## Fix safety
    Unsafe: within 1e-6 of ±1 the angle changes, by 1.4e-3 at most, and its gradient becomes 0.

    ## References
    PyTorch issue 8069: NaN from `acos`.
    """
    if hazard.pole.cls != "zero" or hazard.guard is not None:
        return "applies only at the ends of the domain, if no selection hides the value"
    level = confidence(hazard.reach)
    gradient = hazard.node.op != "atanh"
    yield Finding(
        hazard.node,
        f"gradient of {hazard.node.op} at ±1 is infinite" if gradient else "atanh of a value that reaches ±1",
        AT_THE_END[hazard.node.op],
        level,
        (hazard.cause,),
        ClipInside(hazard.node, hazard.operand),
    )


@rule(
    "NL506",
    "inverse-trig-domain",
    hazards="acos asin acosh atanh",
    after="NL203",
    fixable=Applicability.UNSAFE,
)
def inverse_trig_domain(hazard: Hazard, facts: Facts) -> Findings:
    """Inverse trigonometric function of a value that rounds beyond its domain.

    ## What it does
    Finds `acos`, `asin` and `atanh` of a computed cosine: a scalar product of normalised vectors, a scalar product
    divided by the lengths, `(trace - 1) / 2` of a rotation matrix.

    ## Why is this bad?
    Mathematically, a cosine is in [-1, 1]. In floating point, it can be 1.0000001 for parallel vectors, and
    `acos(1.0000001) = nan`.

    ## Example (bad)
    ```python
    angle = torch.acos((F.normalize(a, dim=-1) * F.normalize(b, dim=-1)).sum(-1))
    ```

    ## Use instead
    ```python
    cosine = (F.normalize(a, dim=-1) * F.normalize(b, dim=-1)).sum(-1)
    angle = torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6))
    ```
    A clamp to [-1, 1] exactly prevents the NaN in the value, but not the infinite gradient at the ends.

    ## Fix safety
    Unsafe: within 1e-6 of ±1 the angle changes, by 1.4e-3 at most, and its gradient becomes 0.

    ## References
    Kahan, How futile are mindless assessments of roundoff in floating-point computation? (2006), on angles.
    """
    if hazard.pole.cls == "zero" or hazard.guard is not None:
        return "applies only beyond the domain, if no selection hides the value"
    level = confidence(hazard.reach, lowered=2 * int(facts.tested_for_infinity(hazard.node)))
    surely = inevitable(hazard, facts)
    beyond = "is outside of its domain" if hazard.evidence.origin is not Origin.ROUNDING else "rounds beyond its domain"
    yield Finding(
        hazard.node,
        f"{hazard.node.op} of a value that {beyond}: nan",
        f"{hazard.node.op}({OUTSIDE.get(hazard.node.op, '1.0000001')}) = nan",
        level,
        (hazard.cause,),
        None if surely else ClipInside(hazard.node, hazard.operand),
    )
