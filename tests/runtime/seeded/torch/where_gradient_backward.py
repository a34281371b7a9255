"""The branch that where does not take is computed all the same, and its gradient is 0 * inf."""

import torch

weight = torch.tensor([0.0, 0.5, 1.0], requires_grad=True)
slope = torch.where(weight > 0, weight.pow(0.25), 0.0)  # born
slope.sum().backward()
print(weight.grad)
