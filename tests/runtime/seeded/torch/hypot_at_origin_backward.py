"""The radius of a point at the origin: hypot has no slope there."""

import torch

x = torch.tensor([3.0, 0.0], requires_grad=True)
y = torch.tensor([4.0, 0.0], requires_grad=True)
radius = torch.hypot(x, y)  # born
radius.sum().backward()
print(x.grad)
