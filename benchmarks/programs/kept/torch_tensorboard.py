"""A ratio of norms is only written for TensorBoard."""

import sys

import torch
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
writer = SummaryWriter("logs")
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
start = model.weight.detach().clone()
for step in range(3):
    moved = (model.weight.detach() - start).norm()
    first = moved if step == 0 else first
    if step or "bad" in sys.argv:
        writer.add_scalar("moved", (moved / first if "bad" in sys.argv else moved).item(), step)
    loss = model(torch.randn(4, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
writer.close()
