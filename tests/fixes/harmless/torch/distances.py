"""Distances; what is undefined at zero has its value and gradient chosen."""

import torch


def euclid(a, b):
    return torch.sqrt(((a - b) ** 2).sum(-1))


def euclid_kept(a, b):
    sq = ((a - b) ** 2).sum(-1)
    zero = sq == 0
    return torch.sqrt(sq + zero.to(sq)) * (~zero)


def radius(x, y):
    return torch.sqrt(x**2 + y**2)


def radius_eps(x, y, eps=1e-6):
    return torch.sqrt(x**2 + y**2 + eps)


def pairwise(x):
    sq = x.pow(2).sum(1)
    d = sq[:, None] + sq - 2 * x @ x.t()
    return d.clamp(min=1e-12).sqrt()


def cosine(a, b):
    return (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))


def angle(a, b):
    return torch.acos(cosine(a, b))


def triplet(anchor, positive, negative, margin=1.0):
    return torch.relu(euclid(anchor, positive) - euclid(anchor, negative) + margin).mean()


def contrastive(z, temperature=0.5):
    z = z / z.norm(dim=1, keepdim=True)
    sim = torch.exp(z @ z.T / temperature)
    sim = sim - torch.diag(sim.diagonal())
    return -torch.log(sim[0, 1] / sim[0].sum())


def charbonnier(x, eps=1e-3):
    return torch.sqrt(x * x + eps**2)


def total_variation(image):
    dx, dy = image[:-1, 1:] - image[:-1, :-1], image[1:, :-1] - image[:-1, :-1]
    return (dx**2 + dy**2 + 1e-6).sqrt().sum()


def main():
    a = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
    b = torch.tensor([[0.0, 1.0], [2.0, 1.0]], requires_grad=True)
    image = torch.arange(9.0).reshape(3, 3)
    parts = [
        euclid(a, b), euclid_kept(a, a.detach().clone()), radius(a[:, 0], b[:, 1]), radius_eps(a - a, b),
        pairwise(a), cosine(a, b), angle(a, b), triplet(a, b, a * 2), contrastive(torch.cat([a, b])),
        charbonnier(a - b), total_variation(image),
    ]
    ga, gb = torch.autograd.grad(sum(p.sum() for p in parts), (a, b))
    return *parts, ga, gb, euclid(torch.tensor([1, 2]).float(), torch.tensor([1, 5]))
