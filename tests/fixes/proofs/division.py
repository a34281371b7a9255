"""NL301 and NL303."""

from tests.fixes.proving import Proof

ROWS = (((2, 3), (2, 3)), ((3,), (3,)))

PROOFS = {
    "count-torch": Proof("NL301", "torch", "m = (x != 0).to(x.dtype)\nreturn (x * y).sum(1) / m.sum(1)", 0.0),
    "count-tf": Proof(
        "NL301",
        "tensorflow",
        "m = tf.cast(tf.not_equal(x, 0), x.dtype)\nreturn tf.reduce_sum(y * m, 1) / tf.reduce_sum(m, 1)",
        0.0,
    ),
    "count-jax": Proof("NL301", "jax", "m = (x != 0).astype(x.dtype)\nreturn jnp.sum(y * m, 1) / jnp.sum(m, 1)", 0.0),
    "count-numpy": Proof("NL301", "numpy", "m = x != 0\nreturn np.sum(y * m, 1) / np.sum(m, 1)", 0.0),
    "count-keras": Proof(
        "NL301", "keras", "m = ops.cast(ops.not_equal(x, 0), x.dtype)\nreturn ops.sum(y * m, 1) / ops.sum(m, 1)", 0.0
    ),
    "denominator-torch": Proof(
        "NL301", "torch", "d = torch.relu(x).sum(-1, keepdim=True)\nreturn y / d", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-torch-reciprocal": Proof(
        "NL301", "torch", "return y * torch.relu(x).sum().reciprocal()", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-tf": Proof(
        "NL301", "tensorflow", "return y / tf.reduce_sum(tf.nn.relu(x))", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-tf-one-over": Proof(
        "NL301", "tensorflow", "return y * (1.0 / tf.reduce_sum(tf.nn.relu(x)))", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-tf-two-over": Proof(
        "NL301", "tensorflow", "d = tf.reduce_sum(tf.nn.relu(x))\nreturn 2.0 / d", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-jax": Proof(
        "NL301", "jax", "d = jnp.sum(jnp.maximum(x, 0))\nreturn y / d", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-keras": Proof("NL301", "keras", "return y / ops.sum(ops.relu(x))", 0.0, shapes=ROWS, unsafe=True),
    "denominator-tf-range": Proof(
        "NL303",
        "tensorflow",
        "d = tf.reduce_max(x) - tf.reduce_min(x)\nreturn (x - tf.reduce_min(x)) / d",
        0.0,
    ),
    "denominator-keras-range": Proof("NL303", "keras", "d = ops.max(x) - ops.min(x)\nreturn (x - ops.min(x)) / d", 0.0),
    "count-torch-all": Proof(
        "NL301", "torch", "m = (x > 0).float()\nreturn torch.sum(y * m) / torch.sum(m)", -1.0, dtypes=("float32",)
    ),
    "denominator-jax-range": Proof("NL303", "jax", "d = jnp.max(x) - jnp.min(x)\nreturn (x - jnp.min(x)) / d", 0.0),
    "denominator-torch-range": Proof("NL303", "torch", "d = x.max() - x.min()\nreturn (x - x.min()) / d", 0.0),
    "denominator-numpy": Proof(
        "NL301", "numpy", "d = np.sum(np.maximum(x, 0))\nreturn y / d", 0.0, shapes=ROWS, unsafe=True
    ),
    "denominator-torch-share": Proof(
        "NL301", "torch", "p = torch.relu(x)\nreturn p / p.sum(-1, keepdim=True)", 0.0, shapes=ROWS
    ),
    "denominator-jax-share": Proof(
        "NL301", "jax", "p = jnp.maximum(x, 0)\nreturn p / jnp.sum(p, axis=-1, keepdims=True)", 0.0, shapes=ROWS
    ),
    "denominator-tf-share": Proof(
        "NL301", "tensorflow", "p = tf.nn.relu(x)\nreturn p / tf.reduce_sum(p, -1, keepdims=True)", 0.0, shapes=ROWS
    ),
    "denominator-torch-two": Proof("NL303", "torch", "return (x - y).abs() / (x.abs() + y.abs())", 0.0),
    "denominator-numpy-two": Proof("NL303", "numpy", "return np.abs(x - y) / (np.abs(x) + np.abs(y))", 0.0),
    "denominator-numpy-range": Proof("NL303", "numpy", "return (x - np.min(x)) / (np.max(x) - np.min(x))", 0.0),
}
