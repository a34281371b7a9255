"""NL405: probabilities of masked logits times their logarithms."""

from tests.fixes.proving import LOGITS, Domain, Proof

#: of each row the last two, at random
MASK: Domain = (0.0, 1.0, (0.0, 1.0))


def _entropy(framework: str, body: str) -> Proof:
    """The first column is never masked: a row of which nothing is left is another rule's."""
    return Proof("NL405", framework, body, 1.0, LOGITS, MASK, shapes=(((2, 3), (2, 3)), ((3,), (3,))))


PROOFS = {
    "torch": _entropy(
        "torch",
        "legal = y + torch.tensor([1.0, 0.0, 0.0]) > 0\nlogp = F.log_softmax(x.masked_fill(~legal, -torch.inf), -1)\n"
        "return -(torch.exp(logp) * logp)",
    ),
    "torch-softmax": _entropy(
        "torch",
        "legal = y + torch.tensor([1.0, 0.0, 0.0]) > 0\nz = torch.where(legal, x, -torch.inf)\n"
        "return F.softmax(z, -1) * F.log_softmax(z, -1)",
    ),
    "tf": _entropy(
        "tensorflow",
        "legal = y + tf.constant([1.0, 0.0, 0.0], y.dtype) > 0\n"
        "logp = tf.nn.log_softmax(tf.where(legal, x, -float('inf')))\nreturn tf.exp(logp) * logp",
    ),
    "tf-no-nan": _entropy(
        "tensorflow",
        "legal = y + tf.constant([1.0, 0.0, 0.0], y.dtype) > 0\nz = tf.where(legal, x, -float('inf'))\n"
        "return tf.math.multiply_no_nan(tf.nn.log_softmax(z), tf.nn.softmax(z))",
    ),
    "jax": _entropy(
        "jax",
        "legal = y + jnp.array([1.0, 0.0, 0.0]) > 0\nlogp = jax.nn.log_softmax(jnp.where(legal, x, -jnp.inf))\n"
        "return logp * jnp.exp(logp)",
    ),
    "keras": _entropy(
        "keras",
        "legal = y + ops.convert_to_tensor([1.0, 0.0, 0.0], y.dtype) > 0\n"
        "logp = ops.log_softmax(ops.where(legal, x, -float('inf')))\nreturn ops.exp(logp) * logp",
    ),
    "scipy": _entropy(
        "scipy",
        "logp = special.log_softmax(np.where(y + np.array([1, 0, 0], y.dtype) > 0, x, -np.inf), -1)\n"
        "return np.exp(logp) * logp",
    ),
}
