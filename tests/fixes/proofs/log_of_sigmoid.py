"""NL102."""

from tests.fixes.proving import LOGITS, MILD, Proof

PROOFS = {
    "torch": Proof("NL102", "torch", "return torch.log(torch.sigmoid(x))", -200.0, LOGITS),
    "torch-complement": Proof("NL102", "torch", "return (1 - x.sigmoid()).log()", 200.0, MILD),
    "torch-log1p": Proof("NL102", "torch", "return torch.log1p(-torch.sigmoid(x))", 200.0, MILD),
    "tf": Proof("NL102", "tensorflow", "return tf.math.log(tf.sigmoid(x))", -200.0, LOGITS),
    "tf-complement": Proof(
        "NL102", "tensorflow", "p = tf.sigmoid(x)\nreturn (1 - y) * tf.math.log(1 - p)", 200.0, MILD
    ),
    "jax": Proof("NL102", "jax", "return jnp.log(jax.nn.sigmoid(x))", -200.0, LOGITS),
    "jax-complement": Proof("NL102", "jax", "return jnp.log(1 - jax.nn.sigmoid(x))", 200.0, MILD),
    "keras": Proof("NL102", "keras", "return ops.log(ops.sigmoid(x))", -200.0, LOGITS),
    "scipy": Proof("NL102", "scipy", "return np.log(1 - special.expit(x))", 200.0, MILD),
}
