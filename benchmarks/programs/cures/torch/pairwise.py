import torch


def distances(x):
    square = (x[:, None] - x[None]).pow(2).sum(-1)
    return square.sqrt()


def loss(x):
    d = distances(x)
    return torch.relu(1.0 - d).mean()


def run(rows):
    x = torch.tensor(rows, requires_grad=True)
    value = loss(x)
    value.backward()
    return value, x.grad


def ordinary():
    d = distances(torch.tensor([[0.0, 1.0], [0.5, 0.5], [0.25, 0.75]]))
    return d, loss(torch.tensor([[0.0, 1.0], [0.5, 0.5]]))


def witness():
    return run([[0.0, 1.0], [0.5, 0.5], [0.0, 1.0]])
