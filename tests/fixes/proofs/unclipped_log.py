"""NL103: a clip changes what is below its bound, the smallest normal number."""

from tests.fixes.proving import LOGITS, Proof


def _rectified(framework: str, body: str) -> Proof:
    return Proof("NL103", framework, body, -1.0, unsafe=True, changes="np.where(x < tiny, np.inf, 0)")


PROOFS = {
    "torch": _rectified("torch", "return torch.log(torch.relu(x)) * y"),
    "torch-clamped-at-zero": _rectified("torch", "return torch.log(torch.clamp(x, min=0))"),
    "torch-log10": _rectified("torch", "return y + torch.log10(F.relu(x))"),
    "tf": _rectified("tensorflow", "return tf.math.log(tf.nn.relu(x)) * y"),
    "tf-maximum": _rectified("tensorflow", "return tf.math.log(tf.maximum(x, 0))"),
    "keras": _rectified("keras", "return ops.log(ops.relu(x)) * y"),
    "jax": _rectified("jax", "return jnp.log(jax.nn.relu(x)) * y"),
    "jax-maximum": _rectified("jax", "return jnp.log(jnp.maximum(x, 0))"),
    "numpy": _rectified("numpy", "return np.log(np.maximum(x, 0))"),
    "torch-complement": Proof(
        "NL103",
        "torch",
        "return torch.log(1 - torch.tanh(x) ** 2)",
        200.0,
        LOGITS,
        unsafe=True,
        changes="np.where(abs(x) > 7, np.inf, 0)",
    ),
}
