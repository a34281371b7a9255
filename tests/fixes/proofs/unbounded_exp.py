"""NL403: the logistic density."""

from tests.fixes.proving import DTYPES, LOGITS, Proof


def _density(framework: str, body: str, bad: float = -100.0) -> Proof:
    # SciPy has no functions of half precision
    dtypes = ("float32", "float64") if framework == "scipy" else DTYPES
    return Proof("NL403", framework, body, bad, LOGITS, dtypes=dtypes)


PROOFS = {
    "torch": _density("torch", "return torch.exp(-x) / (1 + torch.exp(-x)) ** 2"),
    "torch-variable": _density("torch", "e = torch.exp(x)\nreturn y * (e / torch.square(1 + e))", 100.0),
    "tf": _density("tensorflow", "return tf.exp(-x) / tf.square(1 + tf.exp(-x))"),
    "jax": _density("jax", "return jnp.exp(-x) / (1 + jnp.exp(-x)) ** 2 * y"),
    "keras": _density("keras", "return ops.exp(x) / ops.square(ops.exp(x) + 1)", 100.0),
    "scipy": _density("scipy", "return np.exp(-x) / (1 + np.exp(-x)) ** 2", -1000.0),
}
