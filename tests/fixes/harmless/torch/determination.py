"""How much of a variance is explained; of a constant target nothing, and the score says so."""

import torch


def r2(prediction, target):
    residual = ((target - prediction) ** 2).sum()
    total = ((target - target.mean()) ** 2).sum()
    score = 1 - residual / total
    return torch.where(torch.isfinite(score), score, torch.zeros_like(score))


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / (a.norm() * b.norm())


def main():
    torch.manual_seed(5)
    target = torch.randn(8)
    return (
        r2(target + 0.1, target),
        r2(torch.randn(4) * 0.01, torch.ones(4)),
        correlation(target, torch.randn(8)),
    )
