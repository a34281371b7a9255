"""NL105."""

from tests.fixes.proving import Proof

ABOVE = (-0.75, 4.0, (0.0, -0.0, 1e-3, 1e-6, -1e-6, 0.5, 1.0))
BELOW = (-4.0, 0.75, (0.0, -0.0, 1e-3, -1e-6, 0.5, -1.0))
PROOFS = {
    "torch": Proof("NL105", "torch", "return torch.log(1 + x)", 1e-6, ABOVE, loses_digits=True),
    "torch-function": Proof("NL105", "torch", "return y * torch.log(torch.add(x, 1))", None, ABOVE),
    "torch-minus": Proof("NL105", "torch", "return torch.log(1 - x)", 1e-6, BELOW, loses_digits=True),
    "torch-variable": Proof("NL105", "torch", "z = x * x + 1.0\nreturn torch.log(z)", None, ABOVE),
    "tf": Proof("NL105", "tensorflow", "return tf.math.log(1 + x)", 1e-6, ABOVE, loses_digits=True),
    "tf-function": Proof("NL105", "tensorflow", "return y * tf.math.log(tf.add(x, 1.0))", None, ABOVE),
    "tf-minus": Proof("NL105", "tensorflow", "return tf.math.log(1 - x)", 1e-6, BELOW, loses_digits=True),
    "tf-variable": Proof("NL105", "tensorflow", "z = x * x + 1.0\nreturn tf.math.log(z)", None, ABOVE),
    "jax": Proof("NL105", "jax", "return jnp.log(1 + x)", 1e-6, ABOVE, loses_digits=True),
    "jax-function": Proof("NL105", "jax", "return y * jnp.log(jnp.add(x, 1))", None, ABOVE),
    "jax-minus": Proof("NL105", "jax", "return jnp.log(1 - x)", 1e-6, BELOW, loses_digits=True),
    "jax-variable": Proof("NL105", "jax", "z = x * x + 1.0\nreturn jnp.log(z)", None, ABOVE),
    "keras": Proof("NL105", "keras", "return ops.log(1 + x)", 1e-6, ABOVE, loses_digits=True),
    "keras-function": Proof("NL105", "keras", "return y * ops.log(ops.add(x, 1.0))", None, ABOVE),
    "keras-minus": Proof("NL105", "keras", "return ops.log(1 - x)", 1e-6, BELOW, loses_digits=True),
    "keras-variable": Proof("NL105", "keras", "z = x * x + 1.0\nreturn ops.log(z)", None, ABOVE),
    "numpy": Proof("NL105", "numpy", "return np.log(1 + x)", 1e-6, ABOVE, loses_digits=True),
    "numpy-function": Proof("NL105", "numpy", "return y * np.log(np.add(x, 1))", None, ABOVE),
    "numpy-minus": Proof("NL105", "numpy", "return np.log(1 - x)", 1e-6, BELOW, loses_digits=True),
    "numpy-variable": Proof("NL105", "numpy", "z = x * x + 1.0\nreturn np.log(z)", None, ABOVE),
}
