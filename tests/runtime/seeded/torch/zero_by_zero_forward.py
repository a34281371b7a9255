"""The mean over the valid elements of a sequence that has none."""

import torch

values = torch.arange(6.0).reshape(2, 3)
valid = torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
total = (values * valid).sum(dim=1)
mean = total / valid.sum(dim=1)  # born
print(mean)
