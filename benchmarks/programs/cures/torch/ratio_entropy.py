import torch


def kl(p, q):
    return (p * torch.log(p / q)).sum(-1)


def run(p, q):
    p, q = torch.tensor(p, requires_grad=True), torch.tensor(q)
    value = kl(p, q)
    value.sum().backward()
    return value, p.grad


def ordinary():
    return run([0.2, 0.8], [0.5, 0.5])


def witness():
    return run([0.0, 1.0], [0.5, 0.5])
