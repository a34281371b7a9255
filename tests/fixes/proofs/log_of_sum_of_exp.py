"""NL106."""

from tests.fixes.proving import NONEMPTY, Proof

SCORES = (-30.0, 30.0, (0.0, 1.0, -1.0, 50.0, 200.0, -200.0))  #: those that have an axis to sum over
WITH_AXIS = tuple(shapes for shapes in NONEMPTY if shapes[0])

PROOFS = {
    "torch-sum": Proof("NL106", "torch", "return torch.log(torch.sum(torch.exp(x), dim=-1))", 200.0, SCORES),
    "torch-method": Proof("NL106", "torch", "return x.exp().sum(-1).log()", 200.0, SCORES),
    "torch-keepdim": Proof("NL106", "torch", "return y + torch.log(torch.exp(x).sum(0, keepdim=True))", 200.0, SCORES),
    "torch-all": Proof("NL106", "torch", "return torch.log(torch.sum(torch.exp(x)))", 200.0, SCORES, shapes=NONEMPTY),
    "torch-inner": Proof("NL106", "torch", "return torch.log(torch.sum(torch.exp(x + y), 1))", 200.0, SCORES),
    "torch-mean": Proof(
        "NL106", "torch", "return 2 * torch.log(torch.mean(torch.exp(x), -1))", 200.0, SCORES, shapes=WITH_AXIS
    ),
    "torch-mean-all": Proof("NL106", "torch", "return torch.log(torch.exp(x).mean())", 200.0, SCORES, shapes=NONEMPTY),
    "torch-two": Proof("NL106", "torch", "return torch.log(torch.exp(x) + torch.exp(y))", 200.0, SCORES),
    "torch-half": Proof("NL106", "torch", "return y * torch.log((torch.exp(x) + torch.exp(y)) / 2)", 200.0, SCORES),
    "torch-cosh": Proof("NL106", "torch", "return 3 * torch.log(torch.cosh(x))", 200.0, SCORES),
    "torch-cosh-written": Proof("NL106", "torch", "return torch.log(torch.exp(x) + torch.exp(-x))", 200.0, SCORES),
    "torch-cosh-inner": Proof("NL106", "torch", "return torch.log(torch.cosh(x - y))", 200.0, SCORES),
    "tf-sum": Proof("NL106", "tensorflow", "return tf.math.log(tf.reduce_sum(tf.exp(x), axis=-1))", 200.0, SCORES),
    "tf-keepdims": Proof(
        "NL106", "tensorflow", "return y * tf.math.log(tf.reduce_sum(tf.exp(x), 1, keepdims=True))", 200.0, SCORES
    ),
    "tf-all": Proof(
        "NL106", "tensorflow", "return tf.math.log(tf.reduce_sum(tf.exp(x)))", 200.0, SCORES, shapes=NONEMPTY
    ),
    "tf-cosh": Proof("NL106", "tensorflow", "return tf.math.log(tf.cosh(x))", 200.0, SCORES),
    "tf-cosh-written": Proof(
        "NL106", "tensorflow", "return y + tf.math.log(0.5 * (tf.exp(x) + tf.exp(-x)))", 200.0, SCORES
    ),
    "jax-sum": Proof("NL106", "jax", "return jnp.log(jnp.sum(jnp.exp(x), axis=-1))", 200.0, SCORES),
    "jax-keepdims": Proof("NL106", "jax", "return y + jnp.log(jnp.exp(x).sum(0, keepdims=True))", 200.0, SCORES),
    "jax-all": Proof("NL106", "jax", "return jnp.log(jnp.sum(jnp.exp(x)))", 200.0, SCORES, shapes=NONEMPTY),
    "jax-weights": Proof("NL106", "jax", "return jnp.log(jnp.sum((x * x + 1) * jnp.exp(x), axis=-1))", 200.0, SCORES),
    "jax-mean": Proof("NL106", "jax", "return jnp.log(jnp.mean(jnp.exp(x), axis=-1))", 200.0, SCORES),
    "jax-two": Proof("NL106", "jax", "return jnp.log(jnp.exp(x) + jnp.exp(y))", 200.0, SCORES),
    "jax-cosh": Proof("NL106", "jax", "return jnp.log(jnp.cosh(x))", 200.0, SCORES),
    "keras-sum": Proof("NL106", "keras", "return ops.log(ops.sum(ops.exp(x), axis=-1))", 200.0, SCORES),
    "keras-cosh": Proof("NL106", "keras", "return ops.log(ops.cosh(x))", 200.0, SCORES),
    "scipy-sum": Proof("NL106", "scipy", "return np.log(np.sum(np.exp(x), axis=-1))", 1000.0, SCORES),
    # of a scalar, SciPy makes an array of one
    "scipy-keepdims": Proof(
        "NL106",
        "scipy",
        "return y + np.log(np.exp(x).sum(axis=0, keepdims=True))",
        1000.0,
        SCORES,
        shapes=(((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (3,))),
    ),
    "scipy-weights": Proof("NL106", "scipy", "return np.log(np.sum((x * x + 1) * np.exp(x), axis=-1))", 1000.0, SCORES),
    "scipy-mean": Proof("NL106", "scipy", "return np.log(np.mean(np.exp(x), axis=-1))", 1000.0, SCORES),
    "numpy-two": Proof("NL106", "numpy", "return np.log(np.exp(x) + np.exp(y))", 1000.0, SCORES),
    "numpy-cosh": Proof("NL106", "numpy", "return np.log(np.cosh(x))", 1000.0, SCORES),
}
