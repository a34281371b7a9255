"""Two heads, of which one has the wrong sign in the sum of the losses: its error is made as large as it can be.

layers: net.second
"""

import torch
from torch import nn

torch.manual_seed(8)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.first, self.second = nn.Linear(8, 32), nn.Linear(32, 1), nn.Linear(32, 1)

    def forward(self, x):
        given = torch.tanh(self.stem(x))
        return self.first(given), self.second(given)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(3000):
    x = torch.randn(32, 8)
    first, second = net(x)
    loss = (first - x[:, :1]).square().mean() - 0.3 * (second - x[:, 1:2]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
