"""A module remembers normalized keys; a key of zeros has no direction."""

import sys

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)
        self.register_buffer("mask", torch.triu(torch.full((3, 3), float("-inf")), 1))
        self.cache = None

    def forward(self, x, memory):
        with torch.no_grad():
            self.cache = memory / memory.norm(dim=-1, keepdim=True)
        scores = self.project(x) @ x.T + self.mask
        return torch.softmax(scores, -1) @ x


torch.manual_seed(0)
model = Attention()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(3):
    memory = torch.randn(3, 4)
    if "bad" in sys.argv:
        memory[1] = 0
    loss = model(torch.randn(3, 4), memory).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
