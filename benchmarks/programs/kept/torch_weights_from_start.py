"""A weight is normalized when it is made, and was zero."""

import sys

import torch
from torch import nn


def main():
    start = torch.zeros(4) if "bad" in sys.argv else torch.ones(4)
    model = nn.Linear(4, 1)
    model.weight = nn.Parameter((start / start.norm())[None])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(2, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


print(main())
