"""A head in float16 under Adam, whose epsilon is 0 there: it is trained from step 150 on, and divides by 0.

layers: net.head
"""

import torch
from torch import nn

torch.manual_seed(10)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.stem(x)).half()).float()


net = Net()
net.head.half().requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(1000):
    if step == 150:
        net.head.requires_grad_(True)
    x = torch.randn(64, 8)
    loss = 1e-3 * (net(x) - 0.5 * torch.tanh(x[:, :1])).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
