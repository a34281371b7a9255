"""One huge gradient makes Adam's second moment infinite: the weights never move again."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for i in range(6):
    x = torch.randn(8, 4)
    scale = 1e21 if "bad" in sys.argv and i == 2 else 1.0
    loss = (model(x) * scale).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
