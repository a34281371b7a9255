import math

import torch


def margin_logit(c, m=0.5):
    s = torch.sqrt(1 - c * c)
    return c * math.cos(m) - s * math.sin(m)


def run(c):
    c = torch.tensor(c, requires_grad=True)
    value = margin_logit(c)
    value.sum().backward()
    return value, c.grad


def ordinary():
    return run([0.1, -0.7, 0.9])


def witness():
    return run([1.0, -1.0])
