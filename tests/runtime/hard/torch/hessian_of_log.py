"""Derivatives of derivatives."""

import torch


def potential(x):
    return torch.log(x).sum()  # born


print(torch.func.hessian(potential)(torch.tensor([1.0, 0.0])))
