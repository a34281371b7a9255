import torch


def angle(a, b):
    c = (a * b).sum(-1).half()
    return torch.acos(torch.clamp(c, -1.0, 1.0))


def run(a, b):
    a = torch.tensor(a, requires_grad=True)
    value = angle(a, torch.tensor(b))
    value.sum().backward()
    return value, a.grad


def ordinary():
    return run([[0.6, 0.8], [0.0, 1.0]], [[0.8, 0.6], [1.0, 0.0]])


def witness():
    return run([[1.0, 0.0]], [[1.0, 0.0]])
