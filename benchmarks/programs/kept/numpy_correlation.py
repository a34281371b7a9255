"""The correlation with a constant column."""

import sys

import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(20, 2))
if "bad" in sys.argv:
    x[:, 1] = 3.0
print("correlation:", np.corrcoef(x, rowvar=False)[0, 1])
