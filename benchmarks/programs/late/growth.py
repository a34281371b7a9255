"""A residual net without normalization; the learning rate of one block never stops to grow.

layers: net.2.a, net.2.b
"""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.a, self.b = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


net = nn.Sequential(nn.Linear(16, 32), *[Block(32) for _ in range(4)], nn.Linear(32, 1))
block = {id(p) for p in net[2].parameters()}
groups = [{"params": [p for p in net.parameters() if id(p) not in block]}, {"params": list(net[2].parameters())}]
optimizer = torch.optim.Adam(groups, lr=1e-3)
target = torch.randn(16, 1)
for step in range(1500):
    optimizer.param_groups[1]["lr"] = 1e-3 * 1.05 ** max(0, step - 60)
    x = torch.randn(64, 16)
    loss = (net(x) - x @ target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
