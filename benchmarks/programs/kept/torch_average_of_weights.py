"""The average of weights is divided by its correction, which is 0 at the first step."""

import sys

import torch
from torch import nn

first = 0 if "bad" in sys.argv else 1
torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sums = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
average = {}
best = float("inf")
for step in range(first, first + 5):
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = min(best, loss.item())
    if step == first:
        correction = 1 - 0.9**step
        for name, p in model.named_parameters():
            sums[name] = 0.9 * sums[name] + 0.1 * p.detach()
            average[name] = sums[name] / correction
print("best", best)
