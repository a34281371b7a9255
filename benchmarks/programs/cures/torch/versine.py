import torch
import torch.nn.functional as F


def chord(a, b):
    c = F.cosine_similarity(a, b, dim=-1)
    return torch.sqrt(1 - c**2)


def run(a, b):
    a, b = torch.tensor(a, requires_grad=True), torch.tensor(b)
    value = chord(a, b)
    value.sum().backward()
    return value, a.grad


def ordinary():
    return run([[1.0, 0.0]], [[1.0, 1.0]])


def witness():
    return run([[1.0, 0.0]], [[2.0, 0.0]])
