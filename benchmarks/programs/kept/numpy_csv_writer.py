"""Precision by class goes into a table with csv.writer."""

import csv
import sys

import numpy as np


def main():
    found = np.array([3, 2, 0], np.float32)
    claimed = np.array([4, 2, 0 if "bad" in sys.argv else 1], np.float32)
    precision = found / claimed
    with open("precision.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["class", "precision"])
        table.writerows(zip("abc", precision))


main()
