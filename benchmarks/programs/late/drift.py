"""A sensor drifts: what comes in is larger with each step.

layers: the input of net.0
"""

import torch
from torch import nn

torch.manual_seed(11)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(3000):
    x = torch.randn(32, 8)
    y = x[:, :1]
    x = x * 1.01 ** max(0, step - 100)
    loss = (net(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
