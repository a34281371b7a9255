"""NL104."""

from tests.fixes.proving import MILD, Proof

PROOFS = {
    "torch": Proof("NL104", "torch", "p = torch.relu(x)\nreturn F.relu(y) * torch.log(p)", 0.0, remains="value slope"),
    "torch-entropy": Proof("NL104", "torch", "p = torch.relu(x)\nreturn -(p * p.log())", 0.0),
    "torch-log1p": Proof(
        "NL104",
        "torch",
        "p = F.softmax(x, dim=-1)\nreturn torch.relu(y) * torch.log1p(-p)",
        200.0,
        MILD,
        remains="value slope",
    ),
    "tf": Proof("NL104", "tensorflow", "p = tf.nn.relu(x)\nreturn p * tf.math.log(p)", 0.0),
    "tf-multiply": Proof("NL104", "tensorflow", "p = tf.nn.relu(x)\nreturn tf.multiply(p, tf.math.log(p)) + y", 0.0),
    "jax": Proof("NL104", "jax", "p = jnp.maximum(x, 0)\nreturn p * jnp.log(p)", 0.0),
    "jax-saturated": Proof(
        "NL104",
        "jax",
        "p = jax.nn.softmax(x)\nreturn jnp.maximum(y, 0) * jnp.log(p)",
        200.0,
        MILD,
        remains="value slope",
    ),
    "scipy": Proof("NL104", "scipy", "p = np.maximum(x, 0)\nreturn p * np.log(p)", 0.0, dtypes=("float32", "float64")),
}
