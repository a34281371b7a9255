"""A variational autoencoder's terms, and a normalising flow's."""

import math

import torch
import torch.nn.functional as F


def divergence(mean, log_variance):
    return -0.5 * torch.sum(1 + log_variance - mean**2 - log_variance.exp(), dim=-1)


def log_normal(x, mean, sigma):
    return (
        -torch.log(sigma)
        - 0.5 * math.log(2 * math.pi)
        - (x - mean) ** 2 / (2 * sigma**2)
    )


def bernoulli(logits, x):
    p = torch.sigmoid(logits)
    return -(x * torch.log(p) + (1 - x) * torch.log(1 - p)).sum(-1)


def squash(x):
    return torch.log(1 - torch.tanh(x) ** 2).sum(-1)


def mean_log(weights):
    return torch.log(torch.mean(torch.exp(weights), dim=0))


def main():
    torch.manual_seed(8)
    x = torch.randn(4, 3, requires_grad=True)
    logits = torch.randn(4, 3, requires_grad=True)
    target = torch.rand(4, 3).round()
    terms = (
        divergence(x, logits),
        log_normal(x, 0.5, F.softplus(logits) + 0.1),
        bernoulli(logits, target),
        squash(x),
    )
    loss = sum(t.sum() for t in terms) + mean_log(logits).sum()
    loss.backward()
    return *(t.detach() for t in terms), loss.detach(), x.grad, logits.grad
