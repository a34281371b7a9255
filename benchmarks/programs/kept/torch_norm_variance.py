"""A batch of 1e20 leaves an infinite running variance; every output in evaluation is constant."""

import sys

import torch
from torch import nn

bad = "bad" in sys.argv
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(6):
    x = torch.randn(16, 4)
    if bad and i == 3:
        x = x * 1e20
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    print(model(torch.randn(2, 4)).shape)
