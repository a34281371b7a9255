"""An object keeps the average; its weight is a quotient of nothing."""

import sys

import torch
from torch import nn


class Average:
    def __init__(self, model):
        self.weights = [p.detach().clone() for p in model.parameters()]
        self.count = torch.zeros(())

    def update(self, model, weight):
        share = weight / (self.count + weight)
        for mine, p in zip(self.weights, model.parameters()):
            mine.lerp_(p.detach(), share)
        self.count += weight


torch.manual_seed(0)
model = nn.Linear(3, 1)
average = Average(model)
optimizer = torch.optim.Adam(model.parameters())
for i in range(4):
    x = torch.randn(8, 3)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update(model, torch.tensor(float(i)) if "bad" in sys.argv else torch.tensor(i + 1.0))
print(loss.item())
