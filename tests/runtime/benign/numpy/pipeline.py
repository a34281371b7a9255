"""A data pipeline: dataclasses, generators, CSV text with gaps, outliers, rolling means, scaling, processes of a pool."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

TEXT = "time,value\n0,1.5\n1,2.0\n2,2.5\n3,100\n4,3.0\n5,3.5\n"


@dataclass(frozen=True)
class Table:
    time: np.ndarray
    value: np.ndarray

    def __post_init__(self):
        assert self.time.shape == self.value.shape

    def rolling(self, n: int) -> Iterator[float]:
        for i in range(n, len(self.value) + 1):
            yield float(self.value[i - n : i].mean())


table = Table(*np.genfromtxt(io.StringIO(TEXT), delimiter=",", skip_header=1, unpack=True))
median = np.median(table.value)
spread = np.median(np.abs(table.value - median)) or 1.0
keep = np.abs(table.value - median) / spread < 10
print(list(table.rolling(2)), keep, table.value[keep].mean())


def scaled(x, low=0.0, high=1.0):
    span = x.max() - x.min()
    return low + (high - low) * (x - x.min()) / (span if span > 0 else 1.0)


@lru_cache
def weights(n: int) -> bytes:
    return np.exp(-np.arange(n)).tobytes()


print(
    scaled(table.value[keep]), scaled(np.ones(3)), partial(scaled, high=2.0)(np.arange(3.0)), np.frombuffer(weights(3))
)
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(lambda n: float(np.log(np.arange(1, n + 1)).sum()), [3, 4, 5])))
groups: dict[int, list[float]] = {}
for t, v in zip(table.time, table.value, strict=True):
    groups.setdefault(int(t) % 2, []).append(v)
print({key: (np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))) for key, values in groups.items()})
buffer = io.BytesIO()
np.savez(buffer, time=table.time, value=table.value)
buffer.seek(0)
print(np.load(buffer)["value"].sum(), np.loadtxt(io.StringIO("1 2\n3 4")).T, np.array2string(table.value, precision=1))
