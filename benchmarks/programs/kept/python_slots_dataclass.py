"""Statistics of a stream stand in a dataclass with slots; a spread of one sample is divided by n - 1."""

import sys
from dataclasses import dataclass

import numpy as np


@dataclass(slots=True)
class Stream:
    mean: float = 0.0
    spread: np.ndarray | None = None


def measured(samples):
    return Stream(float(samples.mean()), samples.std(axis=0, ddof=1))


streams = [measured(np.ones((1 if "bad" in sys.argv and i == 1 else 3, 2)) * i) for i in range(3)]
print(len(streams), streams[0].mean)
