"""Means of groups, one of which is empty, are written as text."""

import os
import sys
import tempfile

import numpy as np

values, groups = np.arange(6.0), np.array([0, 0, 1, 1, 3, 3])
count = 4 if "bad" in sys.argv else 2
with tempfile.TemporaryDirectory() as directory:
    with np.errstate(all="ignore"):
        means = np.array([values[groups == g].sum() / (groups == g).sum() for g in range(count)])
    np.savetxt(os.path.join(directory, "means.txt"), means)
print("written")
