"""NL107."""

from tests.fixes.proving import Proof

EXPONENTS = (-20.0, 20.0, (0.0, -0.0, 1.0, -1.0, 1e-3, 25.0, 30.0, -30.0, 200.0, -200.0))
PROOFS = {
    "torch": Proof("NL107", "torch", "return torch.log(1 + torch.exp(x))", 200.0, EXPONENTS),
    "torch-log1p": Proof("NL107", "torch", "return y * torch.log1p(torch.exp(x))", 200.0, EXPONENTS),
    "torch-minus": Proof("NL107", "torch", "return -torch.log(torch.exp(-x) + 1)", -200.0, EXPONENTS),
    "torch-function": Proof(
        "NL107", "torch", "e = torch.exp(x)\nreturn torch.log(torch.add(e, 1.0))", 200.0, EXPONENTS
    ),
    "torch-difference": Proof("NL107", "torch", "return torch.log1p(torch.exp(y - x))", -200.0, EXPONENTS),
    "tf": Proof("NL107", "tensorflow", "return tf.math.log(1 + tf.exp(x))", 200.0, EXPONENTS),
    "tf-log1p": Proof("NL107", "tensorflow", "return y * tf.math.log1p(tf.exp(x))", 200.0, EXPONENTS),
    "tf-minus": Proof("NL107", "tensorflow", "return -tf.math.log(tf.exp(-x) + 1)", -200.0, EXPONENTS),
    "tf-function": Proof("NL107", "tensorflow", "e = tf.exp(x)\nreturn tf.math.log(tf.add(e, 1.0))", 200.0, EXPONENTS),
    "tf-difference": Proof("NL107", "tensorflow", "return tf.math.log1p(tf.exp(y - x))", -200.0, EXPONENTS),
    "jax": Proof("NL107", "jax", "return jnp.log(1 + jnp.exp(x))", 200.0, EXPONENTS),
    "jax-log1p": Proof("NL107", "jax", "return y * jnp.log1p(jnp.exp(x))", 200.0, EXPONENTS),
    "jax-minus": Proof("NL107", "jax", "return -jnp.log(jnp.exp(-x) + 1)", -200.0, EXPONENTS),
    "jax-function": Proof("NL107", "jax", "e = jnp.exp(x)\nreturn jnp.log(jnp.add(e, 1.0))", 200.0, EXPONENTS),
    "jax-difference": Proof("NL107", "jax", "return jnp.log1p(jnp.exp(y - x))", -200.0, EXPONENTS),
    "keras": Proof("NL107", "keras", "return ops.log(1 + ops.exp(x))", 200.0, EXPONENTS),
    "keras-log1p": Proof("NL107", "keras", "return y * ops.log1p(ops.exp(x))", 200.0, EXPONENTS),
    "keras-minus": Proof("NL107", "keras", "return -ops.log(ops.exp(-x) + 1)", -200.0, EXPONENTS),
    "keras-function": Proof("NL107", "keras", "e = ops.exp(x)\nreturn ops.log(ops.add(e, 1.0))", 200.0, EXPONENTS),
    "keras-difference": Proof("NL107", "keras", "return ops.log1p(ops.exp(y - x))", -200.0, EXPONENTS),
    "numpy": Proof("NL107", "numpy", "return np.log(1 + np.exp(x))", 1000.0, EXPONENTS),
    "numpy-log1p": Proof("NL107", "numpy", "return y * np.log1p(np.exp(x))", 1000.0, EXPONENTS),
    "numpy-minus": Proof("NL107", "numpy", "return -np.log(np.exp(-x) + 1)", -1000.0, EXPONENTS),
    "numpy-function": Proof("NL107", "numpy", "e = np.exp(x)\nreturn np.log(np.add(e, 1.0))", 1000.0, EXPONENTS),
    "numpy-difference": Proof("NL107", "numpy", "return np.log1p(np.exp(y - x))", -1000.0, EXPONENTS),
}
