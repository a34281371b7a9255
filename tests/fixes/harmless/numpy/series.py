"""A labelled array with operators, as data frames have them."""

from __future__ import annotations

import numpy as np


class Series:
    def __init__(self, values, name: str = ""):
        self.values = np.asarray(values)
        self.name = name

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [i.values if isinstance(i, Series) else i for i in inputs]
        return Series(getattr(ufunc, method)(*plain, **kwargs), self.name)

    def __truediv__(self, other):
        return Series(self.values / np.asarray(other), self.name)

    def __sub__(self, other):
        return Series(self.values - np.asarray(other), self.name)

    def __mul__(self, other):
        return Series(self.values * np.asarray(other), self.name)

    def __pow__(self, k):
        return Series(self.values**k, self.name)

    def sum(self):
        return self.values.sum()

    def mean(self):
        return self.values.mean()

    def std(self, ddof=1):
        return self.values.std(ddof=ddof)

    def log(self) -> Series:
        return Series(np.log(self.values), self.name)

    def clip(self, lower=None, upper=None):
        return Series(np.clip(self.values, lower, upper), f"{self.name}_clipped")


def returns(price: Series) -> Series:
    return price.log() - 1


def sharpe(r: Series, periods: int = 252):
    return np.sqrt(periods) * r.mean() / r.std()


def shares(s: Series) -> Series:
    return s / s.sum()


def drawdown(s: Series):
    peak = np.maximum.accumulate(s.values)
    return ((s - peak) / peak).values.min()


def entropy(s: Series):
    p = shares(s)
    return -(p * np.log(p)).sum()


def logistic(s: Series) -> Series:
    e = np.exp(s)
    return e / (1 + e.values)


def main():
    s = Series([1.0, 2.0, 4.0, 3.0], "price")
    lr = logistic(s)
    return (
        returns(s).values, sharpe(s), shares(s).values, drawdown(s), entropy(s), lr.values, lr.name,
        s.clip(lower=2).name, variance(s), np.log(s).name, np.log(lr).values, type(np.log(shares(s))).__name__,
    )


def variance(s):
    return (s**2).mean() - s.mean() ** 2
