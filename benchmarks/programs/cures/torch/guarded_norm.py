import torch


def direction(v):
    speed = torch.sqrt((v * v).sum())
    return torch.where(speed == 0, torch.zeros_like(v), v / speed)


def friction(v, mu=0.5):
    return (-mu * direction(v)).sum()


def run(numbers):
    v = torch.tensor(numbers, requires_grad=True)
    value = friction(v)
    value.backward()
    return value, v.grad


def ordinary():
    return run([0.3, -0.4]), run([2.0, 1.0]), friction(torch.zeros(2))


def witness():
    return run([0.0, 0.0])
