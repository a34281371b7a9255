"""NL401."""

from tests.fixes.proving import LOGITS, NONEMPTY, Proof

PROOFS = {
    "torch": Proof("NL401", "torch", "return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)", 200.0, LOGITS),
    "torch-lost-axis": Proof("NL401", "torch", "e = x.exp()\nreturn e / e.sum(0) * y", 200.0, LOGITS),
    "torch-none": Proof("NL401", "torch", "e = x.exp()\nreturn e / e.sum(1)[:, None]", 200.0, LOGITS),
    "tf": Proof(
        "NL401", "tensorflow", "e = tf.exp(x)\nreturn e / tf.reduce_sum(e, axis=1, keepdims=True)", 200.0, LOGITS
    ),
    "jax": Proof("NL401", "jax", "e = jnp.exp(x + y)\nreturn e / jnp.sum(e, axis=0, keepdims=True)", 200.0, LOGITS),
    "keras": Proof("NL401", "keras", "return ops.exp(x) / ops.sum(ops.exp(x), axis=-1, keepdims=True)", 200.0, LOGITS),
    "scipy": Proof("NL401", "scipy", "return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)", 1000.0, LOGITS),
    "scipy-all": Proof("NL401", "scipy", "return np.exp(x) / np.sum(np.exp(x))", 1000.0, LOGITS, shapes=NONEMPTY),
}
