"""NL507."""

from tests.fixes.proving import Proof

UNIT_DISC = (-0.9375, 0.9375, (0.0, -0.0, 0.5, -0.5, 1e-3))
PROOFS = {
    "torch": Proof("NL507", "torch", "return torch.sqrt(1 - torch.square(x))", None, UNIT_DISC, unsafe=True),
    "torch-squares": Proof(
        "NL507", "torch", "return torch.sqrt((y * y + 1) ** 2 - torch.square(x))", None, UNIT_DISC, unsafe=True
    ),
    "tf": Proof("NL507", "tensorflow", "return tf.sqrt(1 - tf.square(x))", None, UNIT_DISC, unsafe=True),
    "tf-squares": Proof(
        "NL507", "tensorflow", "return tf.sqrt((y * y + 1) ** 2 - tf.square(x))", None, UNIT_DISC, unsafe=True
    ),
    "jax": Proof("NL507", "jax", "return jnp.sqrt(1 - jnp.square(x))", None, UNIT_DISC, unsafe=True),
    "jax-squares": Proof(
        "NL507", "jax", "return jnp.sqrt((y * y + 1) ** 2 - jnp.square(x))", None, UNIT_DISC, unsafe=True
    ),
    "keras": Proof("NL507", "keras", "return ops.sqrt(1 - ops.square(x))", None, UNIT_DISC, unsafe=True),
    "keras-squares": Proof(
        "NL507", "keras", "return ops.sqrt((y * y + 1) ** 2 - ops.square(x))", None, UNIT_DISC, unsafe=True
    ),
    "numpy": Proof("NL507", "numpy", "return np.sqrt(1 - np.square(x))", None, UNIT_DISC),
    "numpy-power": Proof("NL507", "numpy", "return y * np.sqrt(1.0 - x**2)", None, UNIT_DISC),
    "numpy-variable": Proof("NL507", "numpy", "s = x * x\nreturn np.sqrt(1 - s)", None, UNIT_DISC),
    "numpy-squares": Proof("NL507", "numpy", "return np.sqrt((y * y + 1) ** 2 - np.square(x))", None, UNIT_DISC),
}
