"""NL108, NL202, NL204 to NL210, NL302, NL304, NL305 and NL506: singular points of derivatives, lengths and selections."""

from tests.fixes.proving import LOGITS, NONEMPTY, UNIT, Proof

#: within 1e-6 of ±1 an angle moves by sqrt(2e-6) at most
ANGLE = "np.where(np.abs(x) < 1 - 2e-6, 1e-6, 1.5e-3)"
#: tanh is within 1e-6 of ±1 beyond 7.2
SATURATED = "np.where(np.abs(x) < 7, 1e-6, 1.5e-3)"
#: a root of what was below 1e-12 is 1e-6
ROOT = "np.where(x > 2e-12, 0, 1.1e-6)"
#: arrays with a last axis to reduce, of two elements or more
VECTORS = (((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (3,)))
FINE = ("float32", "float64")


def _norm(framework: str, body: str) -> Proof:
    return Proof("NL202", framework, body, 0.0, shapes=VECTORS, dtypes=FINE)


def _std(framework: str, body: str) -> Proof:
    return Proof("NL207", framework, body, 0.0, shapes=VECTORS, dtypes=FINE, steps=128)


def _angle(code: str, framework: str, body: str, changes: str = ANGLE) -> Proof:
    domain = (-12.0, 12.0, (0.0, 20.0, -20.0)) if changes == SATURATED else (-1.0, 1.0, (0.0, 1.0, -1.0, 0.5))
    bad = 20.0 if changes == SATURATED else 1.0
    return Proof(code, framework, body, bad, domain, unsafe=True, changes=changes, dtypes=FINE)


def _quantile(framework: str, body: str) -> Proof:
    """What is nearer to an end of the domain than the bound moves to it."""
    changes = "np.where(np.abs(x) < 7, 1e-6, np.inf)"
    return Proof("NL110", framework, body, 50.0, (-10.0, 10.0, (0.0, 50.0)), unsafe=True, changes=changes, dtypes=FINE)


def _root(framework: str, body: str) -> Proof:
    return Proof("NL208", framework, body, 0.0, UNIT, unsafe=True, changes=ROOT, dtypes=FINE)


def _placeholder(framework: str, body: str) -> Proof:
    return Proof("NL210", framework, body, 0.0)


def _domain(framework: str, body: str, remains: str = "") -> Proof:
    positive = (0.125, 5.0, (1.0, 4.0))
    return Proof(
        "NL506",
        framework,
        body,
        None,
        positive,
        positive,
        remains=remains,
        unsafe=True,
        changes="1.5e-3",
        shapes=VECTORS[:1],
        dtypes=FINE,
    )


def _origin(framework: str, body: str) -> Proof:
    """The angle at the origin is 0; atan2(0, -0.0) was pi."""
    changes = "np.where((x == y)[..., 0] & (x == y)[..., 1], np.inf, 0)"
    return Proof("NL205", framework, body, 0.0, unsafe=True, changes=changes, shapes=VECTORS[:1], dtypes=FINE)


def _signed(framework: str, body: str) -> Proof:
    """What is negative gets the logarithm of 1e-7."""
    changes = "np.where(x - np.mean(x) > 1e-6, 1e-5, np.inf)"
    return Proof("NL108", framework, body, 1.0, unsafe=True, changes=changes, shapes=NONEMPTY[:1], dtypes=FINE)


PROOFS = {
    "norm-jax": _norm("jax", "return jnp.linalg.norm(x - y, axis=-1)"),
    "norm-jax-kept": _norm("jax", "return jnp.linalg.norm(x - y, axis=-1, keepdims=True) * y"),
    "norm-jax-all": _norm("jax", "d = x - y\nreturn jnp.linalg.norm(d)"),
    "norm-tf": _norm("tensorflow", "d = x - y\nreturn tf.norm(d, axis=-1)"),
    "norm-tf-kept": _norm("tensorflow", "d = x - y\nreturn tf.norm(d, axis=-1, keepdims=True)"),
    "norm-keras": _norm("keras", "d = x - y\nreturn ops.norm(d, axis=-1)"),
    "power-torch": Proof("NL206", "torch", "return F.softmax(x, dim=-1) ** 0.7", 200.0, LOGITS, shapes=VECTORS),
    "power-tf": Proof("NL206", "tensorflow", "return tf.pow(tf.nn.softmax(x), 0.7)", 200.0, LOGITS, shapes=VECTORS),
    "power-jax": Proof("NL206", "jax", "p = jax.nn.softmax(x)\nreturn y * p**0.7", 200.0, LOGITS, shapes=VECTORS),
    "std-jax": _std("jax", "return jnp.std(x, axis=-1)"),
    "std-tf": _std("tensorflow", "return tf.math.reduce_std(x, axis=-1)"),
    "std-keras": _std("keras", "return ops.std(x, axis=-1)"),
    "inverse-torch": _angle("NL204", "torch", "return torch.acos(torch.tanh(x))", SATURATED),
    "inverse-tf": _angle("NL204", "tensorflow", "return tf.acos(tf.tanh(x))", SATURATED),
    "inverse-jax": _angle("NL204", "jax", "return jnp.arcsin(jnp.tanh(x))", SATURATED),
    "quantile-torch": _quantile("torch", "return torch.logit(torch.sigmoid(x))"),
    "quantile-tf": _quantile("tensorflow", "return tf.math.erfinv(tf.tanh(x))"),
    "quantile-jax": _quantile("jax", "return jax.scipy.special.logit(jax.nn.sigmoid(x))"),
    "quantile-numpy": _quantile("numpy", "from scipy.special import expit, logit\nreturn logit(expit(x))"),
    "clamped-torch": _angle("NL208", "torch", "return torch.acos(torch.clamp(x, -1.0, 1.0))"),
    "clamped-tf": _angle("NL208", "tensorflow", "return tf.asin(tf.clip_by_value(x, -1.0, 1.0))"),
    "clamped-jax": _angle("NL208", "jax", "return jnp.arccos(jnp.clip(x, -1.0, 1.0))"),
    "clamped-root-torch": _root("torch", "return torch.sqrt(torch.clamp(x, min=0.0))"),
    "clamped-root-tf": _root("tensorflow", "return tf.sqrt(tf.maximum(x, 0.0))"),
    "clamped-root-jax": _root("jax", "return jnp.sqrt(jnp.maximum(x, 0.0))"),
    "late-torch": Proof("NL209", "torch", "return torch.sqrt((x - y) ** 2) + 1e-6", 0.0),
    "late-jax": Proof(
        "NL209", "jax", "return 1 / (jnp.linalg.norm(x - y, axis=-1) + 1e-3)", 0.0, shapes=VECTORS, dtypes=FINE
    ),
    "late-tf": Proof(
        "NL209",
        "tensorflow",
        "d = x - y\nreturn 1 / (tf.norm(d, axis=-1) + 1e-3)",
        0.0,
        shapes=VECTORS,
        dtypes=FINE,
    ),
    "placeholder-torch": _placeholder("torch", "n = torch.where(x > 0, x, 0.0)\nreturn torch.where(x > 0, y / n, 0.0)"),
    "placeholder-jax": _placeholder("jax", "n = jnp.where(x > 0, x, 0.0)\nreturn jnp.where(x > 0, y / n, 0.0)"),
    "placeholder-tf": _placeholder(
        "tensorflow",
        "n = tf.where(x > 0, x, tf.zeros_like(x))\nreturn tf.where(x > 0, y / n, tf.zeros_like(x))",
    ),
    "length-torch": Proof(
        "NL302", "torch", "h = torch.relu(x)\nreturn h / torch.norm(h, dim=-1, keepdim=True)", 0.0, shapes=VECTORS
    ),
    "length-jax": Proof(
        "NL302",
        "jax",
        "h = jnp.maximum(x, 0.0)\nreturn h / jnp.linalg.norm(h, axis=-1, keepdims=True)",
        0.0,
        shapes=VECTORS,
        dtypes=FINE,
    ),
    "length-tf": Proof(
        "NL302",
        "tensorflow",
        "h = tf.nn.relu(x)\nreturn h / tf.norm(h, axis=-1, keepdims=True)",
        0.0,
        shapes=VECTORS,
        dtypes=FINE,
    ),
    "length-numpy": Proof(
        "NL302", "numpy", "return x / np.linalg.norm(x, axis=-1, keepdims=True)", 0.0, shapes=VECTORS
    ),
    "mean-torch": Proof("NL304", "torch", "return torch.mean(x[x > 0.5])", 0.0, UNIT, shapes=NONEMPTY[:1], unsafe=True),
    "mean-tf": Proof(
        "NL304",
        "tensorflow",
        "return tf.reduce_mean(tf.boolean_mask(x, x > 0.5))",
        0.0,
        UNIT,
        shapes=NONEMPTY[:1],
        unsafe=True,
        dtypes=FINE,
    ),
    "mean-numpy": Proof("NL304", "numpy", "return np.mean(x[x > 0.5])", 0.0, UNIT, shapes=NONEMPTY[:1], dtypes=FINE),
    "domain-numpy": Proof(
        "NL506",
        "numpy",
        "n = np.linalg.norm(x, axis=-1) * np.linalg.norm(y, axis=-1)\n"
        "return np.arccos(np.sum(x * y, axis=-1) / (n + 1e-30))",
        None,
        (0.125, 5.0, (1.0, 4.0)),
        (0.125, 5.0, (1.0, 4.0)),
        shapes=VECTORS[:1],
        dtypes=FINE,
    ),
    "domain-torch": _domain("torch", "return torch.acos(F.cosine_similarity(x, y, dim=-1))"),
    "domain-tf": _domain(
        "tensorflow",
        "u, v = tf.math.l2_normalize(x, axis=-1), tf.math.l2_normalize(y, axis=-1)\n"
        "return tf.acos(tf.reduce_sum(u * v, axis=-1))",
    ),
    "domain-jax": _domain(
        "jax",
        "n = jnp.linalg.norm(x, axis=-1) * jnp.linalg.norm(y, axis=-1)\n"
        "return jnp.arccos(jnp.sum(x * y, axis=-1) / (n + 1e-9))",
        # of the length of a vector of zeros
        remains="slope",
    ),
    "origin-jax": _origin("jax", "d = x - y\nreturn jnp.arctan2(d[..., 1], d[..., 0])"),
    "origin-tf": _origin("tensorflow", "d = x - y\nreturn tf.atan2(d[..., 1], d[..., 0])"),
    "one-torch": Proof(
        "NL305", "torch", "return torch.std(x[x > 0.5])", 1.0, unsafe=True, changes="0", shapes=VECTORS, dtypes=FINE
    ),
    "one-numpy": Proof(
        "NL305",
        "numpy",
        "return np.std(x[x > 0.5], ddof=1)",
        1.0,
        unsafe=True,
        changes="0",
        shapes=VECTORS,
        dtypes=FINE,
    ),
    "log-torch": _signed("torch", "return torch.log(x - torch.mean(x))"),
    "log-jax": _signed("jax", "return jnp.log(x - jnp.mean(x))"),
    "log-tf": _signed("tensorflow", "return tf.math.log(x - tf.reduce_mean(x))"),
    "log-numpy": _signed("numpy", "return np.log(x - np.mean(x))"),
}
