"""A model of counts, whose link is exp. One batch of the data has a row in other units: each epoch pushes it further.

layers: the input of net.0, net.0
"""

import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=2e-3, momentum=0.5)
data = torch.randn(40, 32, 8)
counts = torch.poisson(torch.exp(0.5 * data[..., :1]))
data[27, 3] = 300.0
counts[27, 3] = 300.0
for step in range(4000):
    x, y = data[step % 40], counts[step % 40]
    rate = net(x)
    loss = (torch.exp(rate) - y * rate).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
