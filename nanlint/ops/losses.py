"""Ready-made losses: stable where their input is what they ask for, so what matters is their sign."""

from __future__ import annotations

from nanlint.ops.arithmetic import Attrs, tensor_like
from nanlint.ops.op import Operands, Pole, define, unknown
from nanlint.ops.value import INF, UNKNOWN, Value, value


def at_least_zero(v: Operands, _: Attrs) -> Value:
    """A loss that is 0 at best."""
    return value(0.0, INF, zero=UNKNOWN, **tensor_like(*v.values()) if v else {})


UNCLIPPED = frozenset({"torch", "jax"})

# from logits
define("cross_entropy", "x target ignore")
define("bce_with_logits", "x target")
# from probabilities; torch clamps the logarithm at -100, Keras clips the probabilities
define("bce", "x target")
define("clipped_cross_entropy", "x target from_logits")
# from log-probabilities
define("nll", "x target ignore")
define(
    "kl_div",
    "x target",
    unknown,
    # target * (log(target) - x); Keras takes two probabilities, and clips them
    Pole("x", "ninf", "inf or nan", frameworks=UNCLIPPED),
    Pole("target", "neg", "nan", frameworks=UNCLIPPED),
    Pole("target", "zero", "nan", gradient=True, frameworks=UNCLIPPED),
)
define("ctc", "x zero_infinity")
# from numbers
define("squared_error", "x target", at_least_zero)
define("absolute_error", "x target", at_least_zero)
define("log_cosh_loss", "x target")
define("hinge", "x target", at_least_zero)
define("loss", "x target")
