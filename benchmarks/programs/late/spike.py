"""Every 60 steps a sensor fails and the whole batch is out of scale, each time more: the last one overflows.

layers: the input of net.0, net.0
"""

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(1000):
    x = torch.randn(32, 8)
    y = x[:, :1] - x[:, 1:2]
    if step % 60 == 59:
        x = x * 10.0 ** (step // 10)
    loss = (net(x) - y).square().mean() + 1e-3 * x[:, 2:3].mul(net[0].weight[0, 0]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
