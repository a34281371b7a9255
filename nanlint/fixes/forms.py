"""The stable forms of expressions, as templates: one for all frameworks (""), others for some, "" where none is."""

from __future__ import annotations

import re
from collections.abc import Mapping

LOG1P = {"": "log1p(x)"}
EXPM1 = {"": "expm1(x)"}
#: NumPy has none
SOFTPLUS = {"": "softplus(x)", **dict.fromkeys(("numpy", "scipy"), "logaddexp(0, x)")}
#: PyTorch's is x beyond a threshold, 20 by default, where float64 still tells the two apart
SOFTPLUS_OF_DOUBLES = {**SOFTPLUS, "torch": "softplus(x, threshold=40)"}
SIGMOID = {"": "sigmoid(x)"}
TANH = {"": "tanh(x)"}
#: in Keras the gradients of these are wrong where the two are equal
LOGADDEXP = {"": "logaddexp(a, b)", "keras": ""}
HYPOT = {"": "hypot(a, b)", "keras": ""}
#: log(exp(x) + exp(-x))
LOG_TWO_COSH = {
    "": "logaddexp(x, -x)",
    **dict.fromkeys(("tensorflow", "keras"), "x + softplus(-2.0 * x)"),
}
#: 1 - cos(x)
VERSINE = {"": "2 * sin(x / 2) ** 2"}
ATAN2 = {"": "atan2(a, b)"}
#: sin(x) / x
SINC = {"": "sinc(x / math.pi)"}
#: the angle between two vectors, for reading
ANGLE = {
    "": "jax.numpy.arctan2(jax.numpy.linalg.norm(jax.numpy.cross(a, b), axis=-1), (a * b).sum(-1))",
    "torch": "torch.atan2(torch.linalg.cross(a, b).norm(dim=-1), (a * b).sum(-1))",
    "tensorflow": "tensorflow.atan2(tensorflow.norm(tensorflow.linalg.cross(a, b), axis=-1), ...)",
    "keras": "keras.ops.arctan2(keras.ops.norm(keras.ops.cross(a, b), axis=-1), keras.ops.sum(a * b, -1))",
    **dict.fromkeys(
        ("numpy", "scipy"), "numpy.arctan2(numpy.linalg.norm(numpy.cross(a, b), axis=-1), (a * b).sum(-1))"
    ),
}
#: radicands
ONE_MINUS_SQUARE = {"": "(1 - x) * (1 + x)"}
DIFFERENCE_OF_SQUARES = {"": "(a - b) * (a + b)"}


def each(forms: Mapping[str, str], template: str) -> dict[str, str]:
    """Every form in the place of ``form`` in a template."""
    return {framework: re.sub(r"\bform\b", f"({one})", template) if one else "" for framework, one in forms.items()}


def of(forms: Mapping[str, str], operand: str) -> dict[str, str]:
    """Every form with ``operand`` (a template too) in the place of ``x``."""
    return {framework: re.sub(r"\bx\b", f"({operand})", one) for framework, one in forms.items()}
