import torch


def bures(a, b):
    root = (a * b) ** 0.5
    return (a + b - 2 * root).sum()


def run(a, b):
    a = torch.tensor(a, requires_grad=True)
    value = bures(a, torch.tensor(b))
    value.backward()
    return value, a.grad


def ordinary():
    return run([1.0, 4.0], [1.0, 2.0])


def witness():
    return run([0.0, 4.0], [1.0, 2.0])
