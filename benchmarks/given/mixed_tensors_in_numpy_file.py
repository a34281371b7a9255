import torch

from scaling import average


def main():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    found = average(x, torch.tensor([True, True]))
    found.backward()
    return found, x.grad


# file: scaling.py
import numpy as np


def average(x, mask):
    return (x * mask).sum() / mask.sum()


def root_mean(x):
    return np.sqrt(np.mean(x))
