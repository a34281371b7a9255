"""The division raises, and is caught."""

# --- torch: Python numbers
import torch


def accuracy(predicted, labels):
    valid = labels != -100
    right = (predicted[valid] == labels[valid]).sum().item()
    n = valid.sum().item()
    try:  # guard: else if True:
        return right / n  # guard: else return torch.tensor(right) / n
    except ZeroDivisionError:  # guard
        return 0.0  # guard


# runs: accuracy(torch.zeros(3), torch.full((3,), -100))

# --- numpy: Python numbers
import numpy as np


def precision(hits, predicted):
    n = int(np.count_nonzero(predicted > 0.5))
    right = (hits * (predicted > 0.5)).sum()
    try:  # guard: else if True:
        return float(right) / n  # guard: else return right / n
    except ZeroDivisionError:  # guard
        return 0.0  # guard


# runs: precision(np.ones(3), np.zeros(3))

# --- torch: what Python itself raises
import torch


def accuracy(predicted, labels):
    valid = labels != -100
    right = (predicted[valid] == labels[valid]).sum().item()
    return right / valid.sum().item()  # guard: else return right / valid.sum()


# runs: accuracy(torch.zeros(3), torch.full((3,), -100))
