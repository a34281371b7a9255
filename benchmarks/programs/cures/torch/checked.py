import torch


def geometric(x):
    if (x <= 0).any():
        return torch.zeros(())
    return torch.exp(torch.log(x).mean())


def scale(x):
    n = torch.linalg.norm(x)
    if n == 0:
        return x
    return x / n


def run(numbers):
    x = torch.tensor(numbers, requires_grad=True)
    return geometric(x), scale(x), torch.autograd.grad(scale(x).sum(), x)[0]


def ordinary():
    return run([1.0, 2.0]), run([0.0, 0.0])


def witness():
    return run([0.0, 0.0])
