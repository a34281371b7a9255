"""Records, series and numbers of Python's: operands that are no arrays."""

from fractions import Fraction

import numpy as np


class Series:
    """A row of fractions."""

    def __init__(self, parts):
        self.parts = parts

    def sum(self):
        return sum(self.parts)

    def __truediv__(self, other):
        return Series([p / other for p in self.parts])

    def floats(self):
        return np.array([float(p) for p in self.parts])


def shares(series):
    return series / series.sum()


def rate(done, total):
    return done / total


def safe_rate(done, total):
    try:
        return done / total
    except ZeroDivisionError:
        return float("nan")


def main():
    series = Series([Fraction(1, 3), Fraction(1, 6)])
    return (
        shares(series).floats(),
        rate(3, 4),
        float(np.isnan(safe_rate(1, 0))),
        rate(Fraction(1, 2), Fraction(3, 4)).numerator,
    )
