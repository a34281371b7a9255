"""Operands that are no tensors: a lazy matrix, and a tree of tensors."""

import torch


class Lazy:
    """A sum that is computed when it is asked for."""

    def __init__(self, parts):
        self.parts = parts

    def sum(self):
        return Lazy([p.sum() for p in self.parts])

    def __truediv__(self, other):
        return Lazy([p / q for p, q in zip(self.parts, other.parts)])

    def __rtruediv__(self, other):
        return Lazy([other / p for p in self.parts])

    def evaluate(self):
        return torch.stack([torch.as_tensor(p).sum() for p in self.parts])


def normalised(weights):
    return weights / weights.sum()


def inverse(scale):
    return 1 / scale.sum()


def main():
    torch.manual_seed(4)
    weights = Lazy([torch.rand(3), torch.rand(2)])
    return normalised(weights).evaluate(), inverse(weights).evaluate()
