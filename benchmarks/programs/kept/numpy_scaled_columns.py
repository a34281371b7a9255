"""A table whose columns are divided by their deviation goes to a file."""

import os
import sys
import tempfile

import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(20, 3))
x[4, 0] = np.nan  # missing
if "bad" in sys.argv:
    x[:, 2] = 1.0
mean, std = np.nanmean(x, axis=0), np.nanstd(x, axis=0)
scaled = (x - mean) / std
with tempfile.TemporaryDirectory() as directory:
    np.save(os.path.join(directory, "scaled.npy"), scaled)
print(scaled.shape)
