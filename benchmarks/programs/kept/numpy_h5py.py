"""Standardized columns are stored with h5py."""

import sys

import h5py
import numpy as np


def main():
    table = np.random.RandomState(0).randn(6, 3)
    if "bad" in sys.argv:
        table[:, 2] = 1
    spread = table.std(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = (table - table.mean(0)) / spread
    with h5py.File("table.h5", "w") as file:
        file.create_dataset("scaled", data=scaled)


main()
