"""Random generators old and new, seeded each in its way, pickled, spawned; a bootstrap; a Markov chain."""

import pickle

import numpy as np

np.random.seed(3)
print(np.random.rand(2), np.random.randint(0, 9, 3), np.random.permutation(4), np.random.normal(size=2))
state = np.random.get_state()
first = np.random.gamma(0.5, size=2)
np.random.set_state(state)
print(np.array_equal(first, np.random.gamma(0.5, size=2)))
rng = np.random.default_rng(7)
print(
    rng.integers(0, 9, 3),
    rng.dirichlet(np.ones(3)),
    rng.choice(5, 3, replace=False),
    rng.exponential(2.0, 2),
    rng.poisson(3, 2),
)
copy = pickle.loads(pickle.dumps(rng))
print(
    copy.random() == rng.random(),
    [child.random() for child in rng.spawn(2)],
    np.random.SeedSequence(5).generate_state(2),
)
legacy = np.random.RandomState(1)
print(legacy.standard_t(3, 2), np.random.Generator(np.random.PCG64(2)).beta(0.5, 0.5, 2))
data = rng.lognormal(size=30)
means = np.array([rng.choice(data, len(data)).mean() for _ in range(50)])
print(np.quantile(means, [0.05, 0.95]), np.log(data).std(ddof=1))
x, kept = 0.0, []
for _ in range(200):
    y = x + rng.normal()
    if np.log(rng.uniform(1e-12, 1)) < 0.5 * (x**2 - y**2):
        x = y
    kept.append(x)
print(np.mean(kept), np.var(kept))
shuffled = np.arange(5)
rng.shuffle(shuffled)
print(shuffled, rng.multivariate_normal([0, 0], np.eye(2)), rng.binomial(10, 0.3), rng.bytes(3))
