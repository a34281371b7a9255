"""Targets with outliers, and the gradient clipped."""

import torch
from torch import nn

torch.manual_seed(26)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
noise = torch.distributions.StudentT(3.0)
for _ in range(800):
    x = torch.randn(32, 8)
    loss = (net(x) - x[:, :1] - noise.sample((32, 1))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
