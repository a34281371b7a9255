"""A transfer function of a filter is complex, and 0 / 0 at one frequency."""

import sys

import numpy as np


def response(frequencies):
    z = np.exp(1j * np.pi * frequencies)
    return (z - 1) / (z - (1 if "bad" in sys.argv else 1.5))


gain = response(np.linspace(0, 1, 5))
print(gain.shape)
