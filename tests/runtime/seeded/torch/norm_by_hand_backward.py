"""A penalty on the length of a vector that starts at zero."""

import torch

offset = torch.nn.Parameter(torch.zeros(4))
scale = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.Adam([offset, scale], lr=0.1)
inputs = torch.linspace(-1, 1, 8).reshape(2, 4)
for _ in range(2):
    optimizer.zero_grad()
    error = (inputs * scale).square().mean()
    length = (offset * offset).sum().sqrt()  # born
    (error + 0.1 * length).backward()
    optimizer.step()
print(offset)
