"""Simulations: bodies with softened forces, heat in a rod, Newton's method, Runge-Kutta, a cellular automaton, queues."""

import numpy as np

x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
v = np.zeros_like(x)
mass = np.array([1.0, 0.5, 0.2])
for _ in range(20):
    delta = x[None] - x[:, None]
    square = (delta**2).sum(-1) + 1e-2
    force = (mass[None, :, None] * delta / square[..., None] ** 1.5).sum(1)
    v += 0.01 * force
    x += 0.01 * v
print(x, v, 0.5 * (mass * (v**2).sum(1)).sum())
rod = np.zeros(12)
rod[5] = 100.0
for _ in range(30):
    rod[1:-1] += 0.2 * (rod[2:] - 2 * rod[1:-1] + rod[:-2])
print(rod.round(6))


def newton(f, df, guess):
    for _ in range(30):
        slope = df(guess)
        if abs(slope) < 1e-14:
            break
        step = f(guess) / slope
        guess = guess - step
        if abs(step) < 1e-12:
            break
    return guess


print(newton(lambda a: a**3 - 2, lambda a: 3 * a**2, np.float64(1.0)), newton(np.cos, lambda a: -np.sin(a), 1.0))
y = np.array([1.0, 0.0])
for _ in range(50):
    f = lambda s: np.array([s[1], -s[0] - 0.1 * s[1]])
    a = f(y)
    b = f(y + 0.05 * a)
    c = f(y + 0.05 * b)
    d = f(y + 0.1 * c)
    y = y + 0.1 * (a + 2 * b + 2 * c + d) / 6
print(y, np.hypot(*y), np.arctan2(*y))
life = np.zeros((5, 5), int)
life[2, 1:4] = 1
for _ in range(3):
    around = sum(np.roll(life, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    life = ((around == 3) | (life & (around == 2))).astype(int)
print(life)
rng = np.random.default_rng(1)
gaps, services = rng.exponential(1.0, 50), rng.exponential(0.8, 50)
ready = wait = 0.0
for arrival, service in zip(np.cumsum(gaps), services, strict=True):
    wait += max(ready - arrival, 0.0)
    ready = max(ready, arrival) + service
print(wait / 50, services.sum() / ready)
