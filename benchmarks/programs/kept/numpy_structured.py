"""Results stand in a structured array, by fields."""

import sys

import numpy as np

results = np.zeros(3, dtype=[("name", "U4"), ("score", "f4")])
true = np.array([2, 0, 1], np.float32)
seen = np.array([4, 0 if "bad" in sys.argv else 3, 2], np.float32)
results["score"] = true / seen
print(results.shape)
