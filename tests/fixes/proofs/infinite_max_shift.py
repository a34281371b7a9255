"""NL408: sums in log space, where log 0 is -inf."""

import math

from tests.fixes.proving import Domain, Proof

LOG_SPACE: Domain = (-30.0, 5.0, (0.0, -math.inf, 1.0, -100.0))


def _add(framework: str, body: str) -> Proof:
    """logaddexp of two that are -inf at one place; where both are, the value is in truth, and the slope has none."""
    one_sided = framework == "jax" and "abs" in body
    return Proof(
        "NL408",
        framework,
        body,
        -math.inf,
        LOG_SPACE,
        LOG_SPACE,
        bad_y=-math.inf,
        remains="value slope",
        unsafe=one_sided,
        changes="np.where(x == y, np.inf, 0)" if one_sided else "",
    )


def _shift(framework: str, body: str) -> Proof:
    """logsumexp of rows that may be -inf as a whole."""
    return Proof("NL408", framework, body, -math.inf, LOG_SPACE, LOG_SPACE, everywhere=True, remains="value slope")


PROOFS = {
    "add-torch": _add("torch", "return torch.maximum(x, y) + torch.log1p(torch.exp(-torch.abs(x - y)))"),
    "add-jax": _add("jax", "return jnp.maximum(x, y) + jnp.log1p(jnp.exp(-jnp.abs(x - y)))"),
    "add-jax-minimum": _add(
        "jax", "m = jnp.maximum(x, y)\nreturn m + jnp.log1p(jnp.exp(jnp.minimum(x, y) - jnp.maximum(x, y)))"
    ),
    "add-keras": _add("keras", "return ops.maximum(x, y) + ops.log1p(ops.exp(-ops.abs(x - y)))"),
    "add-numpy": _add("numpy", "return np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y)))"),
    "shift-torch": _shift(
        "torch", "m = torch.amax(x, -1, keepdim=True)\nreturn m + torch.log(torch.exp(x - m).sum(-1, keepdim=True))"
    ),
    "shift-tf": _shift(
        "tensorflow",
        "m = tf.reduce_max(x, -1, keepdims=True)\nreturn m + tf.math.log(tf.reduce_sum(tf.exp(x - m), -1, keepdims=True))",
    ),
    "shift-jax": _shift(
        "jax", "m = jnp.max(x, -1, keepdims=True)\nreturn m + jnp.log(jnp.sum(jnp.exp(x - m), -1, keepdims=True))"
    ),
    "shift-numpy": _shift(
        "numpy", "m = np.max(x, -1, keepdims=True)\nreturn m + np.log(np.sum(np.exp(x - m), -1, keepdims=True))"
    ),
}
