"""Layers that normalise, written out: by deviation, by root mean square, by the largest, by rank."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return (
            self.scale * (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
            + self.shift
        )


def rms(x):
    return x / torch.sqrt((x**2).mean(-1, keepdim=True))


def min_max(x):
    low, high = x.amin(dim=-1, keepdim=True), x.amax(dim=-1, keepdim=True)
    return (x - low) / (high - low)


def variance(x):
    return (x**2).mean() - x.mean() ** 2


def main():
    torch.manual_seed(9)
    x = torch.randn(3, 6, requires_grad=True)
    layer = LayerNorm(6)
    loss = layer(x).pow(3).sum() + rms(x).sum() + min_max(x).sum() + variance(x)
    loss.backward()
    return (
        loss.detach(),
        x.grad,
        layer.scale.grad,
        layer(x).detach(),
        min_max(x).detach(),
    )
