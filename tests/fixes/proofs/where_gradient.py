"""NL203."""

from tests.fixes.proving import LOGITS, UNIT, Proof

PROOFS = {
    "torch-division": Proof("NL203", "torch", "return torch.where(x != 0, y / x, 0.0)", 0.0),
    "torch-log": Proof("NL203", "torch", "return torch.where(x > 0, torch.log(x), y)", 0.0),
    "torch-sqrt": Proof("NL203", "torch", "return torch.where(x > 0, x.sqrt(), -1.0)", 0.0),
    "torch-power": Proof("NL203", "torch", "return torch.where(x <= 0, y, x**0.3)", 0.0),
    "torch-exp": Proof("NL203", "torch", "return torch.where(x > 0, x, torch.exp(x) - 1)", 200.0, LOGITS),
    "torch-masked-fill": Proof("NL203", "torch", "return x.pow(-1).masked_fill(x == 0, 0.0)", 0.0),
    "torch-stored": Proof("NL203", "torch", "z = torch.log(x)\nz[x <= 0] = 0.0\nreturn z", 0.0),
    "tf-division": Proof("NL203", "tensorflow", "return tf.where(x > 0, 1.0 / x, 0.0)", 0.0, UNIT),
    "tf-power": Proof("NL203", "tensorflow", "ok = x > 0\nreturn tf.where(ok, tf.pow(x, 0.5), y)", 0.0),
    "tf-log": Proof("NL203", "tensorflow", "return tf.where(x <= 0, y, tf.math.log(x))", 0.0, UNIT),
    "jax-division": Proof("NL203", "jax", "return jnp.where(x == 0, 0.0, jnp.sin(x) / x)", 0.0),
    "jax-log": Proof("NL203", "jax", "return jnp.where(x > 0, y * jnp.log(x), 0.0)", 0.0),
    "jax-power": Proof("NL203", "jax", "return jnp.where(x > 0, jnp.power(x, 0.3), 0.0)", 0.0),
    "keras": Proof("NL203", "keras", "return ops.where(ops.equal(x, 0), 0.0, ops.divide(1.0, x))", 0.0),
}
