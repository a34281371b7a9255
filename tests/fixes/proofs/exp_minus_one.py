"""NL504."""

from tests.fixes.proving import ANY, Proof

PROOFS = {
    "torch": Proof("NL504", "torch", "return torch.exp(x) - 1", 1e-6, ANY, loses_digits=True),
    "torch-function": Proof("NL504", "torch", "return y * torch.sub(torch.exp(x * y), 1)", None, ANY),
    "torch-minus": Proof("NL504", "torch", "return 1 - torch.exp(-x)", 1e-6, ANY, loses_digits=True),
    "torch-variable": Proof("NL504", "torch", "e = torch.exp(x)\nreturn -1.0 + e", None, ANY),
    "tf": Proof("NL504", "tensorflow", "return tf.exp(x) - 1", 1e-6, ANY, loses_digits=True),
    "tf-function": Proof("NL504", "tensorflow", "return y * tf.subtract(tf.exp(x * y), 1.0)", None, ANY),
    "tf-minus": Proof("NL504", "tensorflow", "return 1 - tf.exp(-x)", 1e-6, ANY, loses_digits=True),
    "tf-variable": Proof("NL504", "tensorflow", "e = tf.exp(x)\nreturn -1.0 + e", None, ANY),
    "jax": Proof("NL504", "jax", "return jnp.exp(x) - 1", 1e-6, ANY, loses_digits=True),
    "jax-function": Proof("NL504", "jax", "return y * jnp.subtract(jnp.exp(x * y), 1)", None, ANY),
    "jax-minus": Proof("NL504", "jax", "return 1 - jnp.exp(-x)", 1e-6, ANY, loses_digits=True),
    "jax-variable": Proof("NL504", "jax", "e = jnp.exp(x)\nreturn -1.0 + e", None, ANY),
    "keras": Proof("NL504", "keras", "return ops.exp(x) - 1", 1e-6, ANY, loses_digits=True),
    "keras-function": Proof("NL504", "keras", "return y * ops.subtract(ops.exp(x * y), 1.0)", None, ANY),
    "keras-minus": Proof("NL504", "keras", "return 1 - ops.exp(-x)", 1e-6, ANY, loses_digits=True),
    "keras-variable": Proof("NL504", "keras", "e = ops.exp(x)\nreturn -1.0 + e", None, ANY),
    "numpy": Proof("NL504", "numpy", "return np.exp(x) - 1", 1e-6, ANY, loses_digits=True),
    "numpy-function": Proof("NL504", "numpy", "return y * np.subtract(np.exp(x * y), 1)", None, ANY),
    "numpy-minus": Proof("NL504", "numpy", "return 1 - np.exp(-x)", 1e-6, ANY, loses_digits=True),
    "numpy-variable": Proof("NL504", "numpy", "e = np.exp(x)\nreturn -1.0 + e", None, ANY),
}
