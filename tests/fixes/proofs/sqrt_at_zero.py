"""NL201."""

from tests.fixes.proving import Proof

PROOFS = {
    "torch": Proof("NL201", "torch", "return torch.sqrt(x.clamp(min=0)) * y", 0.0),
    "tf": Proof("NL201", "tensorflow", "return tf.sqrt(tf.nn.relu(x))", 0.0),
    "jax": Proof("NL201", "jax", "return jnp.sqrt(jnp.maximum(x, 0)) + y", 0.0),
    "keras": Proof("NL201", "keras", "return ops.sqrt(ops.relu(x))", 0.0),
}
