"""A contrastive loss: cosines, a temperature, a logarithm of a sum of exponentials."""

import torch


def similarities(a, b):
    a = a / a.norm(dim=-1, keepdim=True)
    b = b / b.norm(dim=-1, keepdim=True)
    return a @ b.T


def info_nce(a, b, temperature=0.5):
    s = similarities(a, b) / temperature
    return (torch.log(torch.exp(s).sum(dim=1)) - s.diagonal()).mean()


def uniformity(x):
    d = ((x[:, None] - x[None]) ** 2).sum(-1)
    return torch.log(torch.exp(-2 * d).mean())


def main():
    torch.manual_seed(7)
    a = torch.randn(6, 4, requires_grad=True)
    b = torch.randn(6, 4)
    loss = info_nce(a, b) + uniformity(a)
    loss.backward()
    return loss.detach(), a.grad
