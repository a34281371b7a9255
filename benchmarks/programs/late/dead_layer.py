"""The units of a layer die one after the other, until a vector of them has no length.

layers: net.units, net.relu, the input of net.head
"""

import torch
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.units, self.relu, self.head = nn.Linear(8, 16), nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)

    def forward(self, x):
        given = self.relu(self.units(torch.tanh(self.stem(x))))
        return self.head(given / given.norm())


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(1500):
    x = torch.randn(32, 8)
    loss = (net(x) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        net.units.bias.sub_(0.004 + 0.008 * torch.arange(64) / 64)  # a penalty that is no square
    if not torch.isfinite(loss):
        print("broke", step)
        break
