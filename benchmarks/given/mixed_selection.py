import numpy as np
import torch


def positive_mean(x):
    return x[x > 0].mean()


def main():
    return positive_mean(torch.tensor([1.0, -1.0])), positive_mean(np.array([1.0, -1.0]))
