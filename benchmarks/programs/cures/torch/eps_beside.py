import torch


def rescale(x, eps=1e-6):
    length = torch.sqrt((x**2).sum(-1, keepdim=True))
    return x / (length + eps)


def run(rows):
    x = torch.tensor(rows, requires_grad=True)
    value = rescale(x)
    value[:, 0].sum().backward()
    return value, x.grad


def ordinary():
    return run([[0.3, 0.4], [3.0, -1.0]])


def witness():
    return run([[0.0, 0.0]])
