import torch


def surrogate(new, old, advantage):
    ratio = torch.exp(new - old)
    return -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()


def run(new):
    x = torch.tensor(new, requires_grad=True)
    value = surrogate(x, torch.tensor([-1.0, -1.0]), torch.tensor([1.0, -1.0]))
    value.backward()
    return value, x.grad


def ordinary():
    return run([-1.2, -0.9])


def witness():
    return run([120.0, 120.0])
