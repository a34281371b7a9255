"""Structured, masked, record, object, string, date and matrix arrays; subclasses; memory maps; broadcasting tricks."""

import os
import tempfile

import numpy as np

rows = np.array([("a", 1.5, 2), ("b", 2.5, 0)], dtype=[("name", "U4"), ("x", "f4"), ("n", "i8")])
rows["x"] = np.log(rows["x"]) / np.maximum(rows["n"], 1)
print(rows, np.sort(rows, order="n")["name"], rows.view(np.recarray).x)
masked = np.ma.masked_array([1.0, -2.0, 0.0], mask=[False, False, True])
print(np.ma.log(masked), (1 / masked).filled(-1), masked.mean(), np.ma.masked_invalid([1.0, 2.0]).sum())
objects = np.array([1, 2.5, None, "x"], dtype=object)
print(objects[:2] * 2, np.array([10**30, 2], dtype=object).sum(), np.char.upper(np.array(["a", "b"])))
days = np.arange("2024-01-01", "2024-01-04", dtype="datetime64[D]")
print(
    np.diff(days),
    days.astype("datetime64[M]"),
    np.isnat(np.array(["NaT"], "datetime64[D]")),
    np.busday_count(days[0], days[2]),
)


class Metres(np.ndarray):
    def __array_finalize__(self, other):
        self.unit = getattr(other, "unit", "m")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(one) if isinstance(one, Metres) else one for one in inputs]
        return getattr(ufunc, method)(*plain, **kwargs).view(Metres)


class Logged:
    def __array_function__(self, func, types, args, kwargs):
        return f"called {func.__name__}"


lengths = np.array([1.0, 4.0]).view(Metres)
print(type(np.sqrt(lengths)).__name__, np.sqrt(lengths).unit, np.mean(Logged()), np.einsum("i->", Logged()))
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "x.npy")
    stored = np.lib.format.open_memmap(path, "w+", np.float32, (3, 2))
    stored[:] = np.arange(6).reshape(3, 2)
    stored /= stored.sum(1, keepdims=True)
    print(stored.mean(0), np.load(path, mmap_mode="r")[1], type(stored[0]).__name__)
    del stored
window = np.lib.stride_tricks.sliding_window_view(np.arange(5.0), 3)
print(window.mean(1), np.broadcast_to(3.0, (2, 2)).sum(), np.matrix([[1, 2], [3, 4]]) ** 2, np.ix_([0, 1], [1]))
print(
    np.float16(1) / 3,
    np.longdouble(2).dtype.kind,
    np.array([], float).sum(),
    np.array(5).item(),
    np.zeros((0, 3)).max(0, initial=-1),
)
