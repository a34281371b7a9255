"""Targets with much noise, plain SGD."""

import torch
from torch import nn

torch.manual_seed(20)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(600):
    x = torch.randn(8, 8)
    y = x[:, :1] + 2 * torch.randn(8, 1)
    loss = (net(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
