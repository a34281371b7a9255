"""NL101."""

from tests.fixes.proving import LOGITS, Proof

PROOFS = {
    "torch": Proof("NL101", "torch", "return torch.log(F.softmax(x, dim=-1))", 200.0, LOGITS),
    "torch-method": Proof("NL101", "torch", "p = x.softmax(0)\nreturn p.log() * y", 200.0, LOGITS),
    "tf": Proof("NL101", "tensorflow", "return y * tf.math.log(tf.nn.softmax(x))", 200.0, LOGITS),
    "jax": Proof("NL101", "jax", "return jnp.log(jax.nn.softmax(x + y, axis=0))", 200.0, LOGITS),
    "keras": Proof("NL101", "keras", "return ops.log(ops.softmax(x, axis=-1))", 200.0, LOGITS),
    "scipy": Proof("NL101", "scipy", "return np.log(special.softmax(x, axis=1))", 200.0, LOGITS),
    "scipy-all": Proof("NL101", "scipy", "return np.log(special.softmax(x))", 200.0, LOGITS),
}
