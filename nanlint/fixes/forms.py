"""The stable forms that frameworks have, as templates for ``Rewrite``."""

from __future__ import annotations

from collections.abc import Iterable

from nanlint.ops.writing import template
from nanlint.source.roots import FRAMEWORKS


def in_all(pattern: str) -> dict[str, str]:
    """A template over ops in the functions of every framework that has them."""
    return in_some(FRAMEWORKS, pattern)


def in_some(frameworks: Iterable[str], pattern: str) -> dict[str, str]:
    """The same, for some frameworks."""
    return {framework: made for framework in frameworks if (made := template(pattern, framework)) is not None}


BUT_KERAS = [framework for framework in FRAMEWORKS if framework != "keras"]
#: of ops, in all frameworks that have these
LOG1P = in_all("log1p({x})")
EXPM1 = in_all("expm1({x})")
#: NumPy has none; PyTorch's is x beyond a threshold, 20 by default, where float64 still tells the two apart
SOFTPLUS = in_all("softplus({x})") | in_some(("torch",), "softplus({x}, threshold=40)")
SOFTPLUS |= in_some(("numpy", "scipy"), "logaddexp(0, {x})")
SIGMOID = in_all("sigmoid({x})")
TANH = in_all("tanh({x})")
#: in Keras the gradients of these are wrong where the two are equal
LOGADDEXP = in_some(BUT_KERAS, "logaddexp({a}, {b})")
#: log(exp(x) + exp(-x))
LOG_TWO_COSH = in_all("{*x} + softplus(-2.0 * {*x})") | in_some(
    ("torch", "jax", "numpy", "scipy"), "logaddexp({x}, {-x})"
)
HYPOT = in_some(BUT_KERAS, "hypot({a}, {b})")
#: 1 - cos(x)
VERSINE = in_all("2 * sin({*x} / 2) ** 2")
ATAN2 = in_all("atan2({a}, {b})")
#: sin(x) / x
SINC = in_all("sinc({*x} / math.pi)")
#: the angle between two vectors, for reading
ANGLE = {
    "torch": "torch.atan2(torch.linalg.cross(a, b).norm(dim=-1), (a * b).sum(-1))",
    "tensorflow": "tensorflow.atan2(tensorflow.norm(tensorflow.linalg.cross(a, b), axis=-1), …)",
    "keras": "keras.ops.arctan2(keras.ops.norm(keras.ops.cross(a, b), axis=-1), keras.ops.sum(a * b, -1))",
    "jax": "jax.numpy.arctan2(jax.numpy.linalg.norm(jax.numpy.cross(a, b), axis=-1), (a * b).sum(-1))",
    "numpy": "numpy.arctan2(numpy.linalg.norm(numpy.cross(a, b), axis=-1), (a * b).sum(-1))",
    "scipy": "numpy.arctan2(numpy.linalg.norm(numpy.cross(a, b), axis=-1), (a * b).sum(-1))",
}
#: radicands of one framework as of any other
ONE_MINUS_SQUARE = dict.fromkeys(TANH, "(1 - {*x}) * (1 + {*x})")
DIFFERENCE_OF_SQUARES = dict.fromkeys(TANH, "({*a} - {*b}) * ({*a} + {*b})")


def each(templates: dict[str, str], pattern: str) -> dict[str, str]:
    """Every template set into ``pattern`` in the place of ``{}``."""
    return {framework: pattern.replace("{}", template) for framework, template in templates.items()}


def of(templates: dict[str, str], operand: str) -> dict[str, str]:
    """Every template with ``operand`` (a template too) in the place of ``{x}``."""
    return {framework: template.replace("{x}", operand) for framework, template in templates.items()}
