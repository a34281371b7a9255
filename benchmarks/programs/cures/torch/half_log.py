import torch


def surprise(p):
    return -torch.log(p)


def run(logits, fmt):
    x = torch.tensor(logits, requires_grad=True)
    value = surprise(torch.relu(x).to(torch.float16)) if fmt == "half" else surprise(torch.relu(x))
    value.float().sum().backward()
    return value, x.grad


def ordinary():
    return run([0.5, 0.25], "half"), run([0.125, 3.0], "single")


def witness():
    return run([0.0, 1.0], "half"), run([-1.0, 1.0], "single")
