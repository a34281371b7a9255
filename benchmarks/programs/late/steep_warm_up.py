"""A warm-up that ends at a hundred times the learning rate that was meant, of plain SGD.

layers: net.0, net.2, net.4, net.6
"""

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
net = nn.Sequential(
    nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)
)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.05**step)
for step in range(1500):
    x = torch.randn(32, 8)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    warm_up.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
