"""NL508."""

from tests.fixes.proving import ANY, Proof

PROOFS = {
    "torch": Proof("NL508", "torch", "return 1 - torch.cos(x)", 1e-4, ANY, loses_digits=True),
    "torch-function": Proof("NL508", "torch", "return y * torch.sub(torch.cos(x - y), 1.0)", None, ANY),
    "torch-variable": Proof("NL508", "torch", "c = torch.cos(2 * x)\nreturn (1.0 - c) ** 2", None, ANY),
    "tf": Proof("NL508", "tensorflow", "return 1 - tf.cos(x)", 1e-4, ANY, loses_digits=True),
    "tf-function": Proof("NL508", "tensorflow", "return y * tf.subtract(tf.cos(x - y), 1.0)", None, ANY),
    "tf-variable": Proof("NL508", "tensorflow", "c = tf.cos(2 * x)\nreturn (1.0 - c) ** 2", None, ANY),
    "jax": Proof("NL508", "jax", "return 1 - jnp.cos(x)", 1e-4, ANY, loses_digits=True),
    "jax-function": Proof("NL508", "jax", "return y * jnp.subtract(jnp.cos(x - y), 1.0)", None, ANY),
    "jax-variable": Proof("NL508", "jax", "c = jnp.cos(2 * x)\nreturn (1.0 - c) ** 2", None, ANY),
    "keras": Proof("NL508", "keras", "return 1 - ops.cos(x)", 1e-4, ANY, loses_digits=True),
    "keras-function": Proof("NL508", "keras", "return y * ops.subtract(ops.cos(x - y), 1.0)", None, ANY),
    "keras-variable": Proof("NL508", "keras", "c = ops.cos(2 * x)\nreturn (1.0 - c) ** 2", None, ANY),
    "numpy": Proof("NL508", "numpy", "return 1 - np.cos(x)", 1e-4, ANY, loses_digits=True),
    "numpy-function": Proof("NL508", "numpy", "return y * np.subtract(np.cos(x - y), 1.0)", None, ANY),
    "numpy-variable": Proof("NL508", "numpy", "c = np.cos(2 * x)\nreturn (1.0 - c) ** 2", None, ANY),
}
