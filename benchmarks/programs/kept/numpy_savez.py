"""Embeddings are normalized by rows and stored in an archive."""

import sys

import numpy as np


def main():
    vectors = np.random.RandomState(0).randn(5, 4)
    if "bad" in sys.argv:
        vectors[3] = 0
    with np.errstate(all="ignore"):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.savez_compressed("embeddings.npz", unit=unit, names=np.arange(5))


main()
