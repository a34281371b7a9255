"""A layer in float16 that is rewarded for large outputs, behind a normalization that hides them from the loss.

layers: net.wide
"""

import torch
from torch import nn

torch.manual_seed(5)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.wide = nn.Linear(8, 32), nn.Linear(32, 32)
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 1)

    def forward(self, x):
        return self.head(self.norm(self.wide(torch.relu(self.stem(x))).float()))


net = Net()
net.wide.half()
net.stem.half()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(1500):
    x = torch.randn(32, 8)
    loss = (net(x.half()) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        net.wide.weight.mul_(1.02)  # a weight decay with the wrong sign
    if not torch.isfinite(loss):
        print("broke", step)
        break
