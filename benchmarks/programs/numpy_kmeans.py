"""k-means of 5,000 points in 8 dimensions: small ops, and an errstate at every step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CLUSTERS = 12


def build() -> Callable[[], float]:
    """One step, which gives the mean distance."""
    random = np.random.default_rng(0)
    points = random.normal(size=(5000, 8))
    centres = points[:CLUSTERS].copy()

    def step() -> float:
        distances = np.sqrt(((points[:, None] - centres) ** 2).sum(-1))
        nearest = distances.argmin(1)
        for k in range(CLUSTERS):
            chosen = points[nearest == k]
            with np.errstate(invalid="ignore"):
                centre = chosen.sum(0) / len(chosen)
            centres[k] = np.where(np.isfinite(centre), centre, centres[k])
        return float(distances.min(1).mean())

    return step
