"""An object keeps a running variance in single precision, which overflows."""

import sys

import numpy as np


class Scaler:
    def __init__(self, width):
        self.mean = np.zeros(width, np.float32)
        self.var = np.ones(width, np.float32)

    def update(self, batch):
        self.mean = 0.9 * self.mean + np.float32(0.1) * batch.mean(0)
        self.var = 0.9 * self.var + np.float32(0.1) * batch.var(0)

    def __call__(self, batch):
        return (batch - self.mean) / np.sqrt(self.var)


rng = np.random.default_rng(0)
scaler = Scaler(3)
for i in range(4):
    batch = rng.normal(size=(8, 3)).astype(np.float32)
    scaler.update(batch * np.float32(1e20) if "bad" in sys.argv and i == 1 else batch)
print(scaler(batch).shape)
