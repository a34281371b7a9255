"""A recurrent net without a squashing function or clipping, whose loss wants a longer memory: it explodes over time.

layers: net.cell
"""

import torch
from torch import nn

torch.manual_seed(7)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inlet, self.cell, self.head = nn.Linear(2, 16), nn.Linear(16, 16, bias=False), nn.Linear(16, 1)
        nn.init.orthogonal_(self.cell.weight)

    def forward(self, x):
        state = torch.zeros(len(x), 16)
        for moment in range(x.shape[1]):
            state = self.cell(state) + 0.1 * self.inlet(x[:, moment])
        return self.head(state)


net = Net()
optimizer = torch.optim.SGD(net.cell.parameters(), lr=3e-7)
for step in range(3000):
    x = torch.randn(16, 50, 2)
    loss = (net(x) - 40.0).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        net.cell.weight.mul_(1.001)
    if not torch.isfinite(loss):
        print("broke", step)
        break
