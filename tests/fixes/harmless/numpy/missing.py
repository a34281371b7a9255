"""Data with gaps: NaN marks what was not measured, and comes out again."""

import numpy as np


def anomaly(series):
    return (series - np.nanmean(series)) / np.nanstd(series)


def filled(series, default):
    known = ~np.isnan(series)
    mean = series[known].mean() if known.any() else default
    return np.where(known, series, mean)


def ratio(a, b):
    out = np.full_like(a, np.nan)
    np.divide(a, b, out=out, where=b != 0)
    return out


def growth(series):
    with np.errstate(all="ignore"):
        change = series[1:] / series[:-1] - 1
    change[~np.isfinite(change)] = np.nan
    return change


def main():
    series = np.array([1.0, np.nan, 2.0, 0.0, 4.0])
    return (
        anomaly(series),
        filled(series, 0.0),
        ratio(series, series[::-1].copy()),
        growth(series),
    )
