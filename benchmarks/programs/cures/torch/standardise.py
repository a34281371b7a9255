import torch


def standardise(x):
    return (x - x.mean(0)) / x.std(0)


def run(rows):
    x = torch.tensor(rows, requires_grad=True)
    value = standardise(x)
    (value * torch.arange(1.0, 1.0 + len(rows))[:, None]).sum().backward()
    return value, x.grad


def ordinary():
    return run([[1.0, 2.0], [2.0, 5.0], [4.0, 4.0]])


def witness():
    return run([[1.0, 2.0], [1.0, 5.0], [1.0, 4.0]])
