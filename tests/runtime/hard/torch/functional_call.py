"""The gradient of a model that is called with parameters of its own."""

import torch
from torch.func import functional_call, grad

m = torch.nn.Linear(2, 1)
p = dict(m.named_parameters())


def loss(p, x):
    y = functional_call(m, p, (x,))
    return torch.log(y * 0).mean()  # born


print(grad(loss)(p, torch.ones(3, 2)))
