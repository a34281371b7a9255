import torch


def bearing(here, there):
    d = there - here
    return torch.atan2(d[..., 1], d[..., 0]) + d[..., 0] / d[..., 1].relu()


def run(here, there):
    here, there = torch.tensor(here, requires_grad=True), torch.tensor(there)
    value = bearing(here, there)
    value.sum().backward()
    return value, here.grad


def ordinary():
    return run([[0.0, 0.0]], [[1.0, 2.0]])


def witness():
    return run([[1.0, 2.0]], [[1.0, 2.0]])
