import torch

from pooling import Pool


def main():
    x = torch.tensor([[1.0, -2.0], [3.0, 0.5]])
    net = torch.nn.Sequential(torch.nn.Identity(), Pool())
    graph = torch.fx.symbolic_trace(net)
    return graph(x), torch.compile(net, backend="eager", fullgraph=True)(x)


# file: pooling.py
import torch
from torch import nn


class Pool(nn.Module):
    """The mean of what is positive."""

    def forward(self, x):
        return torch.mean(x[x > 0])
