"""Processes of a pool compute, and the results are only kept here."""

import multiprocessing
import sys

import numpy as np


def correlation(values):
    return float(np.corrcoef(values, np.arange(4))[0, 1])


if __name__ == "__main__":
    rows = [np.arange(4.0), np.ones(4) if "bad" in sys.argv else np.arange(4.0) ** 2]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        correlations = pool.map(correlation, rows)
    print(len(correlations))
