import numpy as np
import torch

from metrics import average


def main():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = average(x**2, x > 0)
    loss.backward()
    return loss, x.grad, average(np.ones(3), np.array([True, True, False]))


# file: metrics.py
import torch


def average(x, mask):
    return (x * mask).sum() / mask.sum()


def as_tensor(x):
    return torch.as_tensor(x)
