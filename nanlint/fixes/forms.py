"""The stable forms that frameworks have, as templates for ``Rewrite``."""

from __future__ import annotations

LOG1P = {
    "torch": "torch.log1p({x})",
    "tensorflow": "tensorflow.math.log1p({x})",
    "keras": "keras.ops.log1p({x})",
    "jax": "jax.numpy.log1p({x})",
    "numpy": "numpy.log1p({x})",
    "scipy": "numpy.log1p({x})",
}
EXPM1 = {
    "torch": "torch.expm1({x})",
    "tensorflow": "tensorflow.math.expm1({x})",
    "keras": "keras.ops.expm1({x})",
    "jax": "jax.numpy.expm1({x})",
    "numpy": "numpy.expm1({x})",
    "scipy": "numpy.expm1({x})",
}
SOFTPLUS = {
    "torch": "torch.nn.functional.softplus({x}, threshold=40)",
    "tensorflow": "tensorflow.nn.softplus({x})",
    "keras": "keras.ops.softplus({x})",
    "jax": "jax.nn.softplus({x})",
    "numpy": "numpy.logaddexp(0, {x})",
    "scipy": "numpy.logaddexp(0, {x})",
}
SIGMOID = {
    "torch": "torch.sigmoid({x})",
    "tensorflow": "tensorflow.sigmoid({x})",
    "keras": "keras.ops.sigmoid({x})",
    "jax": "jax.nn.sigmoid({x})",
    "numpy": "scipy.special.expit({x})",
    "scipy": "scipy.special.expit({x})",
}
TANH = {
    "torch": "torch.tanh({x})",
    "tensorflow": "tensorflow.tanh({x})",
    "keras": "keras.ops.tanh({x})",
    "jax": "jax.numpy.tanh({x})",
    "numpy": "numpy.tanh({x})",
    "scipy": "numpy.tanh({x})",
}
#: not in TensorFlow, and in Keras with a wrong gradient where the two are equal
LOGADDEXP = {
    "torch": "torch.logaddexp({a}, {b})",
    "jax": "jax.numpy.logaddexp({a}, {b})",
    "numpy": "numpy.logaddexp({a}, {b})",
    "scipy": "numpy.logaddexp({a}, {b})",
}
#: log(exp(x) + exp(-x))
LOG_TWO_COSH = {
    "torch": "torch.logaddexp({x}, {-x})",
    "tensorflow": "{*x} + tensorflow.nn.softplus(-2.0 * {*x})",
    "keras": "{*x} + keras.ops.softplus(-2.0 * {*x})",
    "jax": "jax.numpy.logaddexp({x}, {-x})",
    "numpy": "numpy.logaddexp({x}, {-x})",
    "scipy": "numpy.logaddexp({x}, {-x})",
}

#: not in TensorFlow, and in Keras with a wrong gradient where the two are equal
HYPOT = {
    "torch": "torch.hypot({a}, {b})",
    "jax": "jax.numpy.hypot({a}, {b})",
    "numpy": "numpy.hypot({a}, {b})",
    "scipy": "numpy.hypot({a}, {b})",
}
#: 1 - cos(x)
VERSINE = {
    "torch": "2 * torch.sin({*x} / 2) ** 2",
    "tensorflow": "2 * tensorflow.sin({*x} / 2) ** 2",
    "keras": "2 * keras.ops.sin({*x} / 2) ** 2",
    "jax": "2 * jax.numpy.sin({*x} / 2) ** 2",
    "numpy": "2 * numpy.sin({*x} / 2) ** 2",
    "scipy": "2 * numpy.sin({*x} / 2) ** 2",
}
ATAN2 = {
    "torch": "torch.atan2({a}, {b})",
    "tensorflow": "tensorflow.atan2({a}, {b})",
    "keras": "keras.ops.arctan2({a}, {b})",
    "jax": "jax.numpy.arctan2({a}, {b})",
    "numpy": "numpy.arctan2({a}, {b})",
    "scipy": "numpy.arctan2({a}, {b})",
}
#: sin(x) / x; not in TensorFlow
SINC = {
    "torch": "torch.sinc({*x} / math.pi)",
    "keras": "keras.ops.sinc({*x} / math.pi)",
    "jax": "jax.numpy.sinc({*x} / math.pi)",
    "numpy": "numpy.sinc({*x} / math.pi)",
    "scipy": "numpy.sinc({*x} / math.pi)",
}
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
