"""Plain floats: a sum that overflows, and its difference with itself."""

import sys

import numpy as np

values = [1e308, 1e308, 1.0] if "bad" in sys.argv else [1e3, 1e3, 1.0]
worst, lowest = -np.inf, np.inf
for value in values:
    worst, lowest = max(worst, value), min(lowest, value)
total = 0.0
for value in values:
    total += value
print("range", worst - lowest, "variance", total * total - total)
