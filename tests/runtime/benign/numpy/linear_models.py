"""Regression, PCA, k-means, logistic regression by hand, with floors for what divides and clips for what goes into log."""

import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(40, 3))
y = x @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=40)
print(np.linalg.lstsq(x, y, rcond=None)[0], np.linalg.solve(x.T @ x + 1e-3 * np.eye(3), x.T @ y))
centred = (x - x.mean(0)) / np.maximum(x.std(0), 1e-12)
u, s, vt = np.linalg.svd(centred, full_matrices=False)
print(s**2 / (s**2).sum(), np.abs(vt), np.corrcoef(x.T)[0], np.cov(x.T)[1], np.linalg.cond(x), np.linalg.det(x.T @ x))
centres = x[:3].copy()
for _ in range(5):
    distances = np.sqrt(((x[:, None] - centres) ** 2).sum(-1))
    nearest = distances.argmin(1)
    for k in range(3):
        if (nearest == k).any():
            centres[k] = x[nearest == k].mean(0)
print(centres, np.bincount(nearest, minlength=3))
labels = (y > 0).astype(float)
w = np.zeros(3)
for _ in range(20):
    p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
    loss = -np.mean(labels * np.log(np.clip(p, 1e-12, 1)) + (1 - labels) * np.log(np.clip(1 - p, 1e-12, 1)))
    w -= 0.5 * x.T @ (p - labels) / len(x)
print(
    loss,
    w,
    np.linalg.norm(w),
    np.linalg.eigvalsh(np.cov(x.T)),
    np.linalg.cholesky(np.cov(x.T)),
    np.linalg.inv(np.cov(x.T)),
)
q, r = np.linalg.qr(x[:3])
print(
    np.allclose(q @ r, x[:3]),
    np.linalg.matrix_rank(x),
    np.linalg.slogdet(x[:3] @ x[:3].T)[1],
    np.linalg.pinv(x[:3]).shape,
)
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(error)
