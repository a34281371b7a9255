"""NL406."""

from tests.fixes.proving import Proof

#: beyond, the gradient of a quotient of exponentials is finite and wrong
SQUARABLE = (-2.5, 2.5, (0.0, -0.0, 1.0, -1.0, 1e-3))
PROOFS = {
    "torch": Proof(
        "NL406", "torch", "return (torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))", 200.0, SQUARABLE
    ),
    "torch-twice": Proof("NL406", "torch", "e = torch.exp(2 * x)\nreturn (e - 1) / (e + 1)", 200.0, SQUARABLE),
    "torch-minus": Proof("NL406", "torch", "e = torch.exp(-2.0 * x)\nreturn (1 - e) / (1 + e)", -200.0, SQUARABLE),
    "torch-half": Proof("NL406", "torch", "return (torch.exp(x) - 1) / (torch.exp(x) + 1)", 200.0, SQUARABLE),
    "torch-name": Proof("NL406", "torch", "return torch.sinh(x) / torch.cosh(x)", 200.0, SQUARABLE),
    "tf": Proof("NL406", "tensorflow", "return (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))", 200.0, SQUARABLE),
    "tf-twice": Proof("NL406", "tensorflow", "e = tf.exp(2 * x)\nreturn (e - 1) / (e + 1)", 200.0, SQUARABLE),
    "tf-minus": Proof("NL406", "tensorflow", "e = tf.exp(-2.0 * x)\nreturn (1 - e) / (1 + e)", -200.0, SQUARABLE),
    "tf-half": Proof("NL406", "tensorflow", "return (tf.exp(x) - 1) / (tf.exp(x) + 1)", 200.0, SQUARABLE),
    "tf-name": Proof("NL406", "tensorflow", "return tf.sinh(x) / tf.cosh(x)", 200.0, SQUARABLE),
    "jax": Proof("NL406", "jax", "return (jnp.exp(x) - jnp.exp(-x)) / (jnp.exp(x) + jnp.exp(-x))", 200.0, SQUARABLE),
    "jax-twice": Proof("NL406", "jax", "e = jnp.exp(2 * x)\nreturn (e - 1) / (e + 1)", 200.0, SQUARABLE),
    "jax-minus": Proof("NL406", "jax", "e = jnp.exp(-2.0 * x)\nreturn (1 - e) / (1 + e)", -200.0, SQUARABLE),
    "jax-half": Proof("NL406", "jax", "return (jnp.exp(x) - 1) / (jnp.exp(x) + 1)", 200.0, SQUARABLE),
    "jax-name": Proof("NL406", "jax", "return jnp.sinh(x) / jnp.cosh(x)", 200.0, SQUARABLE),
    "keras": Proof(
        "NL406", "keras", "return (ops.exp(x) - ops.exp(-x)) / (ops.exp(x) + ops.exp(-x))", 200.0, SQUARABLE
    ),
    "keras-twice": Proof("NL406", "keras", "e = ops.exp(2 * x)\nreturn (e - 1) / (e + 1)", 200.0, SQUARABLE),
    "keras-minus": Proof("NL406", "keras", "e = ops.exp(-2.0 * x)\nreturn (1 - e) / (1 + e)", -200.0, SQUARABLE),
    "keras-half": Proof("NL406", "keras", "return (ops.exp(x) - 1) / (ops.exp(x) + 1)", 200.0, SQUARABLE),
    "keras-name": Proof("NL406", "keras", "return ops.sinh(x) / ops.cosh(x)", 200.0, SQUARABLE),
    "numpy": Proof("NL406", "numpy", "return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))", 1000.0, SQUARABLE),
    "numpy-twice": Proof("NL406", "numpy", "e = np.exp(2 * x)\nreturn (e - 1) / (e + 1)", 1000.0, SQUARABLE),
    "numpy-minus": Proof("NL406", "numpy", "e = np.exp(-2.0 * x)\nreturn (1 - e) / (1 + e)", -1000.0, SQUARABLE),
    "numpy-half": Proof("NL406", "numpy", "return (np.exp(x) - 1) / (np.exp(x) + 1)", 1000.0, SQUARABLE),
    "numpy-name": Proof("NL406", "numpy", "return np.sinh(x) / np.cosh(x)", 1000.0, SQUARABLE),
}
