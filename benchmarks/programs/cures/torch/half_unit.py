import torch


def unit(x):
    x = x.half()
    return x / x.norm(dim=-1, keepdim=True)


def run(rows):
    x = torch.tensor(rows, requires_grad=True)
    value = unit(x)
    value[:, 0].float().sum().backward()
    return value, x.grad


def ordinary():
    return run([[3.0, 4.0], [0.5, -0.25]])


def witness():
    return run([[0.0, 0.0]])
