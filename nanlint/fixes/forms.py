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
    "torch": "torch.nn.functional.softplus({x})",
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
LOGADDEXP = {
    "torch": "torch.logaddexp({a}, {b})",
    "keras": "keras.ops.logaddexp({a}, {b})",
    "jax": "jax.numpy.logaddexp({a}, {b})",
    "numpy": "numpy.logaddexp({a}, {b})",
    "scipy": "numpy.logaddexp({a}, {b})",
}
#: log(exp(x) + exp(-x)); TensorFlow has no logaddexp
LOG_TWO_COSH = {
    "torch": "torch.logaddexp({x}, {-x})",
    "tensorflow": "{*x} + tensorflow.nn.softplus(-2.0 * {*x})",
    "keras": "keras.ops.logaddexp({x}, {-x})",
    "jax": "jax.numpy.logaddexp({x}, {-x})",
    "numpy": "numpy.logaddexp({x}, {-x})",
    "scipy": "numpy.logaddexp({x}, {-x})",
}


def each(templates: dict[str, str], pattern: str) -> dict[str, str]:
    """Every template set into ``pattern`` in the place of ``{}``."""
    return {framework: pattern.replace("{}", template) for framework, template in templates.items()}


def of(templates: dict[str, str], operand: str) -> dict[str, str]:
    """Every template with ``operand`` (a template too) in the place of ``{x}``."""
    return {framework: template.replace("{x}", operand) for framework, template in templates.items()}
