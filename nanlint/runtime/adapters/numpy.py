"""NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nanlint.runtime.adapter import Adapter
from nanlint.runtime.health import Health


class NumpyAdapter(Adapter):
    """NumPy's arrays and scalars."""

    name = "numpy"

    def start(self) -> None:
        """Nothing yet."""

    def stop(self) -> None:
        """Nothing yet."""

    def owns(self, value: Any) -> bool:
        """Arrays and scalars."""
        return isinstance(value, (np.ndarray, np.generic))

    def health(self, value: Any) -> Health:
        """Counts of the real numbers."""
        x = np.asarray(value, dtype=np.float64)
        finite = x[np.isfinite(x)]
        return Health(
            ninf=int(np.isneginf(x).sum()),
            neg=int((finite < 0).sum()),
            zero=int((finite == 0).sum()),
            pos=int((finite > 0).sum()),
            pinf=int(np.isposinf(x).sum()),
            nan=int(np.isnan(x).sum()),
            low=float(finite.min()) if finite.size else None,
            high=float(finite.max()) if finite.size else None,
            near=float(np.abs(finite).min()) if finite.size else None,
            dtype=str(np.asarray(value).dtype),
            shape=tuple(np.shape(value)),
        )

    def numbers(self, value: Any, limit: int) -> Sequence[float | complex]:
        """The first elements."""
        return [float(x) for x in np.ravel(value)[:limit]]
