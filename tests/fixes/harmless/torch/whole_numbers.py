"""Whole numbers as logits, ranks and counts: some functions take floating-point numbers alone."""

import torch


def of_steps(steps):
    return torch.log(torch.sigmoid(steps))


def of_counts(counts):
    return torch.log(1 + torch.exp(counts))


def share(counts):
    return counts / counts.sum()


def every_third(counts):
    return counts // counts.sum().clamp(min=1)


def main():
    steps = torch.arange(-3, 4)
    counts = torch.tensor([3, 0, 5, 2])
    return (
        of_steps(steps),
        of_counts(counts),
        share(counts),
        every_third(counts),
        torch.log(torch.sigmoid(counts.long())),
    )
