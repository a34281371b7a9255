import torch


def attend(scores, padding):
    scores = scores.half()
    bias = padding.to(scores.dtype) * -1e12
    return torch.softmax(scores + bias, dim=-1)


def run(padding):
    scores = torch.tensor([[0.5, 1.0, -0.25]], requires_grad=True)
    value = attend(scores, torch.tensor(padding))
    (value.float() * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return value, scores.grad


def ordinary():
    return run([[0.0, 1.0, 0.0]])


def witness():
    return run([[1.0, 1.0, 1.0]])
