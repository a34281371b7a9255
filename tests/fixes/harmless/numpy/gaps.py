"""Measurements with gaps: masked arrays, divisions that say where, results written into buffers."""

import numpy as np
import numpy.ma as ma


def log_power(x):
    m = ma.masked_less_equal(x, 0)
    return ma.log(m)


def mean_of_valid(m):
    return m.sum() / m.count()


def gapped_ratio(a, b, fill=np.nan):
    out = np.full(np.broadcast_shapes(a.shape, b.shape), fill)
    np.divide(a, b, out=out, where=b != 0)
    return out


def write_logs(p, buffer):
    np.log(p, out=buffer)
    np.multiply(buffer, p, out=buffer)
    return -buffer.sum()


def softmax_into(x, out):
    np.exp(x, out=out)
    out /= out.sum(axis=-1, keepdims=True)
    return out


def sigmoid_inplace(x):
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1
    np.reciprocal(x, out=x)
    return x


def fill_gaps(x):
    y = x.copy()
    bad = np.isnan(y)
    y[bad] = np.interp(np.flatnonzero(bad), np.flatnonzero(~bad), y[~bad])
    return y


def normalised(m: ma.MaskedArray):
    return (m - m.mean()) / m.std()


def safe_log(x):
    return np.log(x, out=np.full_like(x, -np.inf), where=x > 0)


def trimmed(x, lo=-np.inf, hi=np.inf):
    return x[(x > lo) & (x < hi)]


def main():
    x = np.array([1.0, 0.0, 3.0, -1.0])
    m = log_power(x)
    p = np.array([0.2, 0.3, 0.5])
    buffer = np.zeros(3)
    h = write_logs(p, buffer)
    out = np.empty((2, 2))
    got = softmax_into(np.array([[0.0, 1.0], [2.0, 2.0]]), out)
    raw = np.array([-1.0, 0.5])
    sigmoid_inplace(raw)
    n = normalised(ma.array([1.0, 2.0, 9.0], mask=[0, 0, 1]))
    return (
        m.filled(-9.0), m.mask, mean_of_valid(m), gapped_ratio(x, np.array([2.0, 0.0, 0.0, 4.0])), buffer, h, out,
        got is out, raw, fill_gaps(np.array([1.0, np.nan, 3.0])), n.filled(0), n.mask, safe_log(x), trimmed(x),
        np.exp(ma.log(ma.array([1.0, 2.0], mask=[0, 1]))).mask,
    )
