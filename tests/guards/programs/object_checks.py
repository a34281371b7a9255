"""An object refuses the bad value when it is made, or when it is set."""

# --- numpy: in __init__
import numpy as np


class MaskedMean:
    def __init__(self, mask):
        self.mask = mask
        self.n = mask.sum()
        if self.n == 0:  # guard
            raise ValueError("an empty mask")  # guard

    def __call__(self, x):
        return (x * self.mask).sum() / self.n


# runs: MaskedMean(np.zeros(3))(np.ones(3))

# --- torch: in __post_init__
from dataclasses import dataclass

import torch


@dataclass
class MaskedMean:
    mask: torch.Tensor

    def __post_init__(self):
        if self.mask.sum() == 0:  # guard: else if self.mask is None:
            raise ValueError("an empty mask")

    def __call__(self, x):
        return (x * self.mask).sum() / self.mask.sum()


# runs: MaskedMean(torch.zeros(3))(torch.ones(3))

# --- numpy: in a method that is called first
import numpy as np


class MaskedMean:
    def __init__(self, mask):
        self.mask = mask

    def check(self):
        if not self.mask.any():
            raise ValueError("an empty mask")

    def __call__(self, x):
        self.check()  # guard
        return x[self.mask].mean()


# runs: MaskedMean(np.zeros(3).astype(bool))(np.ones(3))

# --- torch: an assertion in __init__
import torch


class Weighted:
    def __init__(self, labels):
        self.counts = (labels == 1).sum(0)
        assert (self.counts > 0).all()  # guard

    def __call__(self, x):
        return x / self.counts


# runs: Weighted(torch.zeros(2, 3))(torch.zeros(3))
