"""Averages with weights between 0 and 1, whose sum may be far below 1."""

import torch


def attended_mean(values, mask):
    return (values * mask).sum(dim=1) / mask.sum(dim=1)


def calibrated(values, weights):
    total = weights.sum()
    return (weights * values).sum() / total


def projected(kernel, v, target):
    return target / (kernel @ v)


def main():
    torch.manual_seed(2)
    values = torch.randn(4, 7)
    mask = torch.sigmoid(torch.randn(4, 7) - 4)
    kernel, v = torch.rand(5, 5) * 0.1, torch.rand(5) * 0.1
    return (
        attended_mean(values, mask),
        calibrated(values, mask * 0.01),
        projected(kernel, v, torch.rand(5)),
    )
