"""Random numbers of all sorts, a Markov chain, the Gumbel trick, categorical -inf logits, log-space sums."""

import jax
import jax.numpy as jnp
from jax.scipy import special, stats

key = jax.random.key(7)
a, b, c, d = jax.random.split(key, 4)
print(
    jax.random.normal(a, (2,)),
    jax.random.gamma(b, 0.5, (2,)),
    jax.random.beta(c, 0.5, 0.5),
    jax.random.permutation(d, 4),
)
logits = jnp.array([0.0, -jnp.inf, 1.0])
print(jax.random.categorical(a, logits, shape=(5,)), jax.nn.softmax(logits), special.logsumexp(logits))
print(
    jax.random.bernoulli(b, 0.3, (4,)),
    jax.random.truncated_normal(c, -1, 1, (2,)),
    jax.random.dirichlet(d, jnp.ones(3)),
)


@jax.jit
def chain(key):
    def log_density(x):
        return jnp.logaddexp(stats.norm.logpdf(x, -1), stats.norm.logpdf(x, 2))

    def step(state, key):
        x, accepted = state
        propose, decide = jax.random.split(key)
        y = x + jax.random.normal(propose)
        take = jnp.log(jax.random.uniform(decide, minval=1e-7)) < log_density(y) - log_density(x)
        return (jnp.where(take, y, x), accepted + take), x

    return jax.lax.scan(step, (0.0, 0), jax.random.split(key, 50))


(last, accepted), trace = chain(key)
print(last, accepted, trace.mean(), trace.std())
gumbel = logits.at[1].set(-3.0) + jax.random.gumbel(a, (3,))
print(jnp.argmax(gumbel), jax.nn.softmax(gumbel / 0.1), jax.nn.one_hot(1, 3), jax.nn.logsumexp(gumbel))
print(jax.grad(lambda l: special.entr(jax.nn.softmax(l)).sum())(jnp.array([0.0, 1.0])), special.xlogy(0.0, 0.0))
print(stats.beta.logpdf(0.3, 2.0, 2.0), special.gammaln(jnp.array([0.5, 3.0])), special.i0e(2.0), special.erfinv(0.3))
