"""NL109: logs of what rounds to 0 in a tail, the stable forms nearer to the truth wherever the original is finite."""

from tests.fixes.proving import Domain, Proof

#: where the original has most of its digits
BODY: Domain = (-2.0, 2.0, (0.0, 1.0, -1.0, 0.5))
#: what it has lost there
LOST = 512


def _low(framework: str, body: str, bad: float = -20.0) -> Proof:
    # there is no log_ndtr of half precision
    dtypes = (
        ("float32", "float64")
        if "erf" in body or "ndtr" in body or "cdf" in body
        else ("float32", "float64", "float16")
    )
    return Proof("NL109", framework, body, bad, BODY, dtypes=dtypes, steps=LOST)


def _high(framework: str, body: str, bad: float = 20.0) -> Proof:
    return _low(framework, body, bad)


PROOFS = {
    "ndtr-torch": _low("torch", "return torch.log(0.5 * (1 + torch.erf(x / 2**0.5)))"),
    "ndtr-torch-bare": _low("torch", "return y * torch.log(1 + torch.erf(x))"),
    "ndtr-torch-log1p": _low("torch", "return torch.log1p(-torch.erf(-x)) - y"),
    "ndtr-torch-complement": _high("torch", "p = 1 - torch.erf(x)\nreturn -torch.log(p)"),
    "ndtr-torch-erfc": _high("torch", "return torch.log(torch.erfc(x)) * y"),
    "ndtr-torch-ndtr": _low("torch", "return torch.log(torch.special.ndtr(x)) + y"),
    "ndtr-torch-survival": _high("torch", "return torch.log(1 - torch.special.ndtr(x)) + y"),
    "ndtr-jax": _low("jax", "return -jnp.log(0.5 - 0.5 * jax.lax.erf(-x * 0.7071067811865476)) * y"),
    "ndtr-jax-ndtr": _low("jax", "return jnp.log(jax.scipy.special.ndtr(x)) * 2"),
    "ndtr-jax-sf": _high("jax", "return jnp.log(1 - jax.scipy.stats.norm.cdf(x)) * 2"),
    "ndtr-scipy": _low("scipy", "return np.log(1 + special.erf(x)) * y"),
    "ndtr-scipy-ndtr": _low("scipy", "return np.log(special.ndtr(x)) * y", -100.0),
    "tanh-torch": _high("torch", "return torch.log(1 - torch.tanh(x) ** 2)"),
    "tanh-torch-variable": _low("torch", "t = torch.tanh(x)\nreturn y - torch.log(1 - t * t)"),
    "tanh-torch-log1p": _low("torch", "return torch.log1p(-torch.square(torch.tanh(x)))"),
    "tanh-tf": _high("tensorflow", "return tf.math.log(1 - tf.square(tf.tanh(x))) * y"),
    "tanh-jax": _low("jax", "return jnp.log(1.0 - jnp.tanh(x) ** 2) * y"),
    "tanh-keras": _high("keras", "return ops.log(1 - ops.square(ops.tanh(x)))"),
    "tanh-numpy": _high("numpy", "return np.log(1 - np.tanh(x) ** 2) / 2", 400.0),
    "expm1-torch": _low("torch", "return torch.log(1 - torch.exp(-F.softplus(x)))"),
    "expm1-torch-log1p": _low("torch", "return torch.log1p(-torch.exp(-F.softplus(x)))"),
    "expm1-tf": _low("tensorflow", "return tf.math.log(1 - tf.exp(-tf.nn.softplus(x)))"),
    "expm1-jax": _low("jax", "return jnp.log(1 - jnp.exp(-jax.nn.softplus(x))) * y"),
    "expm1-keras": _low("keras", "return ops.log(1 - ops.exp(-ops.softplus(x)))"),
}
