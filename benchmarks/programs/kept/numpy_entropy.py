"""The entropy of a distribution with a zero."""

import sys

import numpy as np


def entropy(p):
    return -(p * np.log(p)).sum()


p = np.array([0.0, 0.5, 0.5]) if "bad" in sys.argv else np.array([0.2, 0.3, 0.5])
value = entropy(p)
print(f"entropy {value:.3f}")
