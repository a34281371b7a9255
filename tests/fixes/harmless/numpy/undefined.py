"""NaN for what is undefined, and what is done with it afterwards."""

import numpy as np


def recall(hits, misses):
    with np.errstate(invalid="ignore"):
        return hits / (hits + misses)


def mean_recall(hits, misses):
    return np.nanmean(recall(hits, misses))


def finite_value(numerator, denominator):
    value = numerator / denominator
    return value if np.isfinite(value) else None


def r2(prediction, target):
    with np.errstate(all="ignore"):
        score = 1 - np.sum((target - prediction) ** 2) / np.sum(
            (target - target.mean()) ** 2
        )
    return 0.0 if not np.isfinite(score) else score


def spread(values, chosen):
    return values[chosen].mean()


def main():
    hits, misses = np.array([3.0, 0.0, 4.0]), np.array([1.0, 0.0, 0.0])
    with np.errstate(all="ignore"):
        missing = finite_value(np.float64(0.0), np.float64(0.0))
        value = finite_value(np.float64(1.0), np.float64(4.0))
    constant = np.full(4, 2.0)
    return (
        mean_recall(hits, misses),
        float(missing is None),
        value,
        r2(constant + 0.1, constant),
        spread(hits, hits > 1),
    )
