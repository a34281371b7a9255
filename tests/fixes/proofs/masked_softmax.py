"""NL404: rows of which a mask leaves nothing."""

from tests.fixes.proving import LOGITS, Domain, Proof

MASK: Domain = (0.0, 1.0, (0.0, 1.0))


def _masked(framework: str, body: str) -> Proof:
    return Proof("NL404", framework, body, 1.0, LOGITS, MASK)


PROOFS = {
    "torch": _masked("torch", "return torch.softmax(x.masked_fill(y == 0, float('-inf')), dim=-1)"),
    "torch-where": _masked("torch", "return F.softmax(torch.where(y > 0, x, -torch.inf), dim=-1)"),
    "torch-log": _masked("torch", "return F.log_softmax(x.masked_fill(y < 0.5, -torch.inf), dim=-1).exp()"),
    "tf": _masked("tensorflow", "return tf.nn.softmax(tf.where(y > 0, x, -float('inf')), axis=-1)"),
    "jax": _masked("jax", "return jax.nn.softmax(jnp.where(y > 0, x, -jnp.inf), axis=-1)"),
    "scipy": _masked("scipy", "return special.softmax(np.where(y > 0, x, -np.inf), axis=-1)"),
}
