"""Gradients for each sample: that of a root at 0."""

import torch


def energy(x):
    return torch.sqrt((x * x).sum())  # born


gradients = torch.func.vmap(torch.func.grad(energy))(torch.tensor([[1.0, 2.0], [0.0, 0.0]]))
print(gradients.sum())
