"""NL402."""

from tests.fixes.proving import Proof

EXPONENTS = (-20.0, 20.0, (0.0, -0.0, 1.0, -1.0, 1e-3, 30.0, -30.0, 200.0, -200.0))
PROOFS = {
    "torch": Proof("NL402", "torch", "return 1 / (1 + torch.exp(-x))", -200.0, EXPONENTS),
    "torch-reciprocal": Proof("NL402", "torch", "return torch.reciprocal(1 + torch.exp(-x))", -200.0, EXPONENTS),
    "torch-times": Proof("NL402", "torch", "return (y - 1) / (torch.exp(-x) + 1.0)", -200.0, EXPONENTS),
    "torch-minus": Proof("NL402", "torch", "return -1 / (1 + torch.exp(x))", 200.0, EXPONENTS),
    "torch-both": Proof("NL402", "torch", "return y + torch.exp(x) / (torch.exp(x) + 1)", 200.0, EXPONENTS),
    "torch-variable": Proof("NL402", "torch", "e = torch.exp(x - y)\nreturn e / (1 + e)", 200.0, EXPONENTS),
    "tf": Proof("NL402", "tensorflow", "return 1 / (1 + tf.exp(-x))", -200.0, EXPONENTS),
    "tf-reciprocal": Proof("NL402", "tensorflow", "return tf.math.reciprocal(1 + tf.exp(-x))", -200.0, EXPONENTS),
    "tf-times": Proof("NL402", "tensorflow", "return (y - 1) / (tf.exp(-x) + 1.0)", -200.0, EXPONENTS),
    "tf-minus": Proof("NL402", "tensorflow", "return -1 / (1 + tf.exp(x))", 200.0, EXPONENTS),
    "tf-both": Proof("NL402", "tensorflow", "return y + tf.exp(x) / (tf.exp(x) + 1)", 200.0, EXPONENTS),
    "tf-variable": Proof("NL402", "tensorflow", "e = tf.exp(x - y)\nreturn e / (1 + e)", 200.0, EXPONENTS),
    "jax": Proof("NL402", "jax", "return 1 / (1 + jnp.exp(-x))", -200.0, EXPONENTS),
    "jax-reciprocal": Proof("NL402", "jax", "return jnp.reciprocal(1 + jnp.exp(-x))", -200.0, EXPONENTS),
    "jax-times": Proof("NL402", "jax", "return (y - 1) / (jnp.exp(-x) + 1.0)", -200.0, EXPONENTS),
    "jax-minus": Proof("NL402", "jax", "return -1 / (1 + jnp.exp(x))", 200.0, EXPONENTS),
    "jax-both": Proof("NL402", "jax", "return y + jnp.exp(x) / (jnp.exp(x) + 1)", 200.0, EXPONENTS),
    "jax-variable": Proof("NL402", "jax", "e = jnp.exp(x - y)\nreturn e / (1 + e)", 200.0, EXPONENTS),
    "keras": Proof("NL402", "keras", "return 1 / (1 + ops.exp(-x))", -200.0, EXPONENTS),
    "keras-reciprocal": Proof("NL402", "keras", "return ops.reciprocal(1 + ops.exp(-x))", -200.0, EXPONENTS),
    "keras-times": Proof("NL402", "keras", "return (y - 1) / (ops.exp(-x) + 1.0)", -200.0, EXPONENTS),
    "keras-minus": Proof("NL402", "keras", "return -1 / (1 + ops.exp(x))", 200.0, EXPONENTS),
    "keras-both": Proof("NL402", "keras", "return y + ops.exp(x) / (ops.exp(x) + 1)", 200.0, EXPONENTS),
    "keras-variable": Proof("NL402", "keras", "e = ops.exp(x - y)\nreturn e / (1 + e)", 200.0, EXPONENTS),
    "scipy": Proof("NL402", "scipy", "return 1 / (1 + np.exp(-x))", None, EXPONENTS, dtypes=("float32", "float64")),
    "scipy-reciprocal": Proof(
        "NL402", "scipy", "return np.reciprocal(1 + np.exp(-x))", None, EXPONENTS, dtypes=("float32", "float64")
    ),
    "scipy-times": Proof(
        "NL402", "scipy", "return (y - 1) / (np.exp(-x) + 1.0)", None, EXPONENTS, dtypes=("float32", "float64")
    ),
    "scipy-minus": Proof(
        "NL402", "scipy", "return -1 / (1 + np.exp(x))", None, EXPONENTS, dtypes=("float32", "float64")
    ),
    "scipy-both": Proof(
        "NL402", "scipy", "return y + np.exp(x) / (np.exp(x) + 1)", 1000.0, EXPONENTS, dtypes=("float32", "float64")
    ),
    "scipy-variable": Proof(
        "NL402", "scipy", "e = np.exp(x - y)\nreturn e / (1 + e)", 1000.0, EXPONENTS, dtypes=("float32", "float64")
    ),
    "torch-power": Proof("NL402", "torch", "return (1 + torch.exp(-x)) ** -1", -200.0, EXPONENTS),
}
