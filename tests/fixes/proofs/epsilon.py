"""NL501 and NL502: epsilons that do nothing, and then do."""

from tests.fixes.proving import UNIT, Proof

#: in half precision 1e-4 for 1e-8: a logarithm changes by 1e-4 / x, and one step more
HALF = "np.where(x > 0, 2e-4 / np.maximum(x, 1e-9) + 1e-2, np.inf)"
#: 1 - 1e-6 for 1: a logarithm of 1 - p ends at -13.8 instead of at -inf
ENDS = "np.where(x < 1 - 1e-3, 2e-3, np.inf)"

#: 1 - sigmoid(60 x), for which 1e-6 is little
SATURATED = "np.where(x < 0.1, 2e-3, np.inf)"


def _half(framework: str, body: str) -> Proof:
    return Proof("NL501", framework, body, 0.0, UNIT, unsafe=True, changes=HALF)


def _subtracted(framework: str, body: str) -> Proof:
    """An epsilon that was subtracted and is added."""
    return Proof("NL501", framework, body, 0.0, UNIT, unsafe=True, changes="np.where(x > 1e-2, 1e-3, np.inf)")


def _late(framework: str, body: str) -> Proof:
    """An epsilon that was added to the logarithm, and is added to what it is taken of."""
    return Proof("NL501", framework, body, 0.0, UNIT, unsafe=True, changes="np.where(x > 1e-4, 1e-3, np.inf)")


def _one(framework: str, body: str, changes: str = ENDS, dtypes: tuple[str, ...] = ("float32",)) -> Proof:
    return Proof("NL502", framework, body, 1.0, UNIT, unsafe=True, changes=changes, dtypes=dtypes)


PROOFS = {
    "half-torch": _half("torch", "return torch.log(x.half() + 1e-8)"),
    "half-tf": _half("tensorflow", "return tf.math.log(tf.cast(x, tf.float16) + 1e-8)"),
    "half-jax": _half("jax", "return jnp.log(x.astype(jnp.float16) + 1e-8)"),
    "half-numpy": _half("numpy", "return np.log(x.astype(np.float16) + 1e-8)"),
    "late-torch": _late("torch", "return torch.log(x) + 1e-8"),
    "late-tf": _late("tensorflow", "return 1e-8 + tf.math.log(x)"),
    "late-jax": _late("jax", "return jnp.log(x) + 1e-8"),
    "late-numpy": _late("numpy", "return np.log(x) + 1e-8"),
    "subtracted-torch": _subtracted("torch", "p = torch.relu(x)\nreturn torch.log(p - 1e-6)"),
    "subtracted-tf": _subtracted("tensorflow", "p = tf.nn.relu(x)\nreturn tf.math.log(p - 1e-6)"),
    "subtracted-jax": _subtracted("jax", "p = jax.nn.relu(x)\nreturn jnp.log(p - 1e-6)"),
    "subtracted-numpy": _subtracted("numpy", "p = np.maximum(x, 0)\nreturn np.log(p - 1e-6)"),
    "one-torch": _one("torch", "p = torch.clamp(x, 1e-8, 1 - 1e-8)\nreturn torch.log(1 - p)"),
    "one-torch-acos": _one("torch", "return torch.acos(torch.clamp(x, -1 + 1e-8, 1 - 1e-8))"),
    "one-tf": _one("tensorflow", "p = tf.clip_by_value(x, 1e-8, 1.0 - 1e-8)\nreturn tf.math.log(1 - p)"),
    "one-jax": _one("jax", "p = jnp.clip(x, 1e-8, 1 - 1e-8)\nreturn jnp.log(1 - p)"),
    "one-jax-plus": _one("jax", "p = jax.nn.sigmoid(60 * x)\nreturn jnp.log(1 + 1e-8 - p)", SATURATED),
    "one-numpy": _one("numpy", "p = np.clip(x, 1e-17, 1 - 1e-17)\nreturn np.log(1 - p)", dtypes=("float64",)),
}
