"""Features of a large data set are normalized into a file that is mapped."""

import sys

import numpy as np


def main():
    counts = np.random.RandomState(0).randint(1, 5, (4, 3)).astype(np.float32)
    if "bad" in sys.argv:
        counts[2] = 0
    features = np.lib.format.open_memmap("features.npy", "w+", np.float32, (4, 3))
    for i, row in enumerate(counts):
        features[i] = row / row.sum()
    features.flush()


main()
