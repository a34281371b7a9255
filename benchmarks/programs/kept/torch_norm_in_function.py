"""The same in a function: the model is gone when the program ends."""

import sys

import torch
from torch import nn


def train(scale):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(5):
        x = torch.randn(16, 4) * (scale if i == 2 else 1)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return model(torch.randn(4, 4)).mean().item()


print(train(1e22 if "bad" in sys.argv else 1.0))
