import torch


def inverse(r, q):
    out = torch.where(r > 0, 1 / r, torch.zeros_like(r))
    return out + torch.where(q > 0, q.log(), 0.0) / (1 + r)


def run(r, q):
    r, q = torch.tensor(r, requires_grad=True), torch.tensor(q, requires_grad=True)
    value = inverse(r, q)
    value.sum().backward()
    return value, r.grad, q.grad


def ordinary():
    return run([1.0, 2.0], [0.5, 3.0])


def witness():
    return run([0.0, 2.0], [0.5, 0.0])
