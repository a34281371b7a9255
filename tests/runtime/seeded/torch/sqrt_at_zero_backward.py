"""A distance between points that meet in the second step: the slope of the root is infinite there."""

import torch

point = torch.tensor([2.0], requires_grad=True)
goal = torch.tensor([1.0])
optimizer = torch.optim.SGD([point], lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    squared = (point - goal).square().sum() / 2
    distance = torch.sqrt(squared * 2)  # born
    (distance * distance.detach() * 2).backward()
    optimizer.step()
print(point)
