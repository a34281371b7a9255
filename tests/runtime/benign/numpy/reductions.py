"""ufunc methods (reduce, accumulate, reduceat, at, outer), where= and out=, einsum, frompyfunc, vectorize, clip."""

import numpy as np

x = np.arange(1.0, 7.0).reshape(2, 3)
print(
    np.add.reduce(x, axis=1),
    np.multiply.accumulate(x[0]),
    np.add.reduceat(x[1], [0, 2]),
    np.subtract.outer([1, 2], x[0]),
)
counts = np.zeros(4)
np.add.at(counts, [0, 0, 3], [1.0, 2.0, 5.0])
np.divide.at(counts, [3], 2.0)
print(counts, np.logaddexp.reduce(np.log(x), axis=1), np.maximum.reduce(x, initial=0, where=x > 2))
out = np.zeros_like(x)
np.log(x - 1, out=out, where=x > 1)
np.divide(1.0, counts, out=counts, where=counts != 0)
print(out, counts, np.divide(1.0, [0.0, 2.0], where=[False, True], out=np.zeros(2)))
print(np.einsum("ij,kj->ik", x, x), np.einsum("ij->", x), np.einsum("...i,...i", x, x, optimize=True), np.vdot(x, x))
print(np.convolve([1, 2, 3], [0, 1, 0.5]), np.correlate(x[0], [1.0, -1.0]), np.interp([0.5, 9.0], [0, 1], [0, 2]))
print(
    np.frompyfunc(lambda a, b: a + b, 2, 1)([1, 2], 3),
    np.vectorize(lambda a: a**0.5)(x),
    np.apply_along_axis(np.ptp, 1, x),
)
print(
    np.clip(x, 2, None),
    np.nanmax(np.where(x > 5, np.nan, x)),
    np.cumsum(x)[::-1],
    np.heaviside(x - 3, 0.5),
    np.sinc(x[0]),
)
y = x.copy()
y[y > 4] **= 0.5
y[:, 1] -= y.mean()
y @= np.eye(3)
y //= 0.25
print(
    y,
    np.modf(x / 4),
    np.frexp(x[0]),
    np.divmod(x, 2),
    np.float_power(x, -1),
    np.cross(x[0], x[1]),
    np.kron([1, 2], x[0]),
)
print(
    np.percentile(x, [10, 50]),
    np.histogram(x, bins=3),
    np.digitize(x, [2, 4]),
    np.unique(x.astype(int) % 2, return_counts=True),
)
print(
    np.trapezoid(x[0]),
    np.gradient(x[0] ** 2),
    np.polyfit(x[0], x[1], 1).round(6),
    np.roots([1, -3, 2]),
    np.poly1d([1, 2])(3),
)
