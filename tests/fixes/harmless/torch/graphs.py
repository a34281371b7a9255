"""Message passing on graphs."""

import torch
from torch import nn


def aggregate_mean(x, src, dst, n):
    total = x.new_zeros(n, x.size(1)).index_add_(0, dst, x[src])
    count = x.new_zeros(n).index_add_(0, dst, torch.ones_like(dst, dtype=x.dtype))
    return total / count.clamp(min=1).unsqueeze(-1)


def aggregate_weighted(x, src, dst, w, n):
    total = x.new_zeros(n, x.size(1)).index_add_(0, dst, x[src] * w[:, None])
    norm = x.new_zeros(n).index_add_(0, dst, w)
    return total / norm.clamp(min=1)[:, None]


def edge_softmax(score, dst, n):
    peak = torch.full((n,), float("-inf")).scatter_reduce(0, dst, score, "amax")
    e = torch.exp(score - peak[dst])
    return e / torch.zeros(n).index_add(0, dst, e)[dst]


def gcn_norm(edge, n):
    src, dst = edge
    degree = torch.bincount(dst, minlength=n).float()
    inv = degree.pow(-0.5)
    inv[torch.isinf(inv)] = 0
    return inv[src] * inv[dst]


def shortest(edge, n, start=0):
    dist = torch.full((n,), float("inf"))
    dist[start] = 0
    for _ in range(n):
        for s, d in edge.t().tolist():
            dist[d] = torch.minimum(dist[d], dist[s] + 1)
    return dist


class PairNorm(nn.Module):
    def forward(self, x):
        x = x - x.mean(0)
        return x / (1e-3 + x.pow(2).sum(1).mean()).sqrt()


def link_loss(z, pos, neg):
    p = torch.sigmoid((z[pos[0]] * z[pos[1]]).sum(-1))
    q = torch.sigmoid((z[neg[0]] * z[neg[1]]).sum(-1))
    return -torch.log(p).mean() - torch.log(1 - q).mean()


def closeness(dist):
    return torch.where(torch.isinf(dist) | (dist == 0), torch.zeros_like(dist), 1 / dist)


def main():
    edge = torch.tensor([[0, 1, 2, 0], [1, 2, 1, 2]])
    src, dst = edge
    x = torch.tensor([[1.0, 0.5], [2.0, -1.0], [0.3, 0.7], [1.0, 1.0]], requires_grad=True)
    w = torch.tensor([0.2, 0.1, 0.3, 0.05])
    mean, weighted = aggregate_mean(x, src, dst, 4), aggregate_weighted(x, src, dst, w, 4)
    alpha = edge_softmax(x[src, 0], dst, 4)
    normed = PairNorm()(x)
    loss = link_loss(x, edge[:, :2], torch.tensor([[0, 3], [3, 1]]))
    (mean.sum() + (weighted**2).sum() + (alpha**2).sum() + normed.pow(3).sum() + loss).backward()
    d = shortest(edge, 4)
    return mean, weighted, alpha, normed, loss, x.grad, gcn_norm(edge, 4), d, torch.isinf(d).sum(), closeness(d)
