import torch


def score(a, b):
    return torch.sqrt((a**2).sum(-1)) / b.std(-1) + torch.log(b[..., 0].sigmoid())


def run(a, b):
    a, b = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
    value = score(a, b)
    value.sum().backward()
    return value, a.grad, b.grad


def ordinary():
    return run([[0.3, 0.4]], [[1.0, 2.0, 4.0]])


def witness():
    return run([[0.0, 0.0]], [[1.0, 2.0, 4.0]])
