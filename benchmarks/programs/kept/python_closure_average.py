"""An average lives in a closure; the first weights are all zero."""

import sys

import numpy as np


def averager():
    total, count = np.zeros(2), 0.0
    average = total

    def update(value, weight):
        nonlocal total, count, average
        total = total + weight * value
        count = count + weight
        average = total / np.float64(count)
        return len(average)

    return update


update = averager()
for i in range(3):
    update(np.ones(2) * i, 0.0 if "bad" in sys.argv else 1.0)
print("updated")
