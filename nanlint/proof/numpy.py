"""NumPy and SciPy as the interpreter's framework: forward only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nanlint.proof.arrays import ArrayBackend
from nanlint.proof.backend import Numbers


class NumpyBackend(ArrayBackend):
    """Rows are one-dimensional arrays."""

    name = "numpy"
    roots = ("numpy", "scipy")
    batches = False
    differentiates = False
    #: with NumPy's functions, under NumPy's names
    module: Any = np

    def alone(self) -> None:
        np.seterr(all="ignore")  # bad values are what is looked for

    def row(self, numbers: Sequence[float], fmt: str) -> Numbers:
        return np.asarray(list(numbers), dtype="float32" if fmt == "bfloat16" else fmt)

    def is_row(self, x: Numbers) -> bool:
        return isinstance(x, (np.ndarray, np.generic))

    def numbers(self, x: Numbers) -> tuple[float, ...]:
        return tuple(np.asarray(x, dtype="float64").reshape(-1).tolist())

    def flat(self, x: Numbers) -> Numbers:
        return self.module.reshape(x, -1)

    def cast(self, x: Numbers, fmt: str) -> Numbers:
        return x.astype("float32" if fmt == "bfloat16" else fmt)

    def truth(self, x: Numbers) -> Numbers:
        return np.asarray(x) != 0

    def where(self, cond: Numbers, a: Numbers, b: Numbers) -> Numbers:
        return self.module.where(cond, a, b)

    def concat(self, rows: Sequence[Numbers]) -> Numbers:
        return self.module.concatenate(list(rows))

    def take(self, x: Numbers, places: Sequence[int]) -> Numbers:
        return x[list(places)]

    def stop_gradient(self, x: Numbers) -> Numbers:
        return x

    def array(self, x: Numbers) -> Numbers:
        return np.atleast_1d(np.asarray(x, dtype=None if self.is_row(x) else "float32"))


BACKEND = NumpyBackend
