"""A recurrence that grows until it is infinite."""

import torch

torch.manual_seed(0)
weight = torch.nn.Parameter(torch.rand(4, 4) * 1e4)
state = torch.ones(4)
for _ in range(12):
    state = torch.relu(weight @ state)  # born
state.sum().backward()
print(weight.grad)
