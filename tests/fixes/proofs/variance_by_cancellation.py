"""NL503: a variance that rounding takes below 0 where x is 1009.4 everywhere."""

from tests.fixes.proving import Proof


def _floored(framework: str, body: str) -> Proof:
    """A root of it: the floor keeps what is finite."""
    return Proof("NL503", framework, body, 1009.4, everywhere=True, remains="slope")


def _raised(framework: str, body: str) -> Proof:
    """Raised by an eps: what is between -eps and 0 changes."""
    changes = "np.where(x.var(1) < 1e-4, np.inf, 0)"
    return Proof("NL503", framework, body, 1009.4, everywhere=True, unsafe=True, changes=changes)


def _two_pass(framework: str, body: str) -> Proof:
    """A variance that is used for itself: more exact, and never nan."""
    return Proof("NL503", framework, body, None, unsafe=True)


PROOFS = {
    "floor-torch": _floored("torch", "return ((x**2).mean(1) - x.mean(1) ** 2).sqrt() + y[:, 0]"),
    "floor-torch-function": _floored("torch", "m = torch.mean(x, 1)\nreturn torch.sqrt(torch.mean(x * x, 1) - m * m)"),
    "floor-tf": _floored(
        "tensorflow", "m = tf.reduce_mean(x, 1)\nreturn tf.sqrt(tf.reduce_mean(tf.square(x), 1) - tf.square(m))"
    ),
    "floor-jax": _floored("jax", "return jnp.sqrt(jnp.mean(x**2, axis=1) - jnp.mean(x, axis=1) ** 2)"),
    "floor-jax-method": _floored("jax", "v = (x * x).mean(1) - jnp.square(x.mean(1))\nreturn jnp.sqrt(v)"),
    "floor-keras": _floored("keras", "m = ops.mean(x, 1)\nreturn ops.sqrt(ops.mean(x * x, 1) - m * m)"),
    "floor-numpy": _floored("numpy", "return np.sqrt(np.mean(x**2, 1) - np.mean(x, 1) ** 2)"),
    "floor-torch-eps": _raised("torch", "return ((x**2).mean(1) - x.mean(1) ** 2 + 1e-5).rsqrt()"),
    "floor-tf-eps": _raised(
        "tensorflow", "v = tf.reduce_mean(x * x, 1) - tf.reduce_mean(x, 1) ** 2\nreturn tf.math.rsqrt(v + 1e-5)"
    ),
    "floor-jax-eps": _raised(
        "jax", "v = jnp.mean(x**2, axis=1) - jnp.mean(x, axis=1) ** 2\nreturn 1 / jnp.sqrt(v + 1e-5)"
    ),
    "floor-keras-eps": _raised(
        "keras", "v = ops.mean(x * x, 1) - ops.square(ops.mean(x, 1))\nreturn ops.rsqrt(v + 1e-5)"
    ),
    "floor-numpy-eps": _raised("numpy", "return np.log(np.mean(x**2, 1) - np.mean(x, 1) ** 2 + 1e-5)"),
    "two-pass-torch": _two_pass("torch", "return torch.mean(x**2, 1) - torch.mean(x, 1) ** 2"),
    "two-pass-torch-method": _two_pass("torch", "m = x.mean(-1)\nreturn (x * x).mean(-1) - m**2"),
    "two-pass-tf": _two_pass("tensorflow", "return tf.reduce_mean(x**2, 1) - tf.reduce_mean(x, 1) ** 2"),
    "two-pass-jax": _two_pass("jax", "m = jnp.mean(x, axis=0)\nreturn jnp.mean(x**2, axis=0) - m * m"),
    "two-pass-keras": _two_pass("keras", "return ops.mean(x**2, 1) - ops.mean(x, 1) ** 2"),
    "two-pass-numpy": _two_pass("numpy", "return (x**2).mean(1) - x.mean(1) ** 2"),
}
