"""Gates, mixtures, CRF and CTC-like sums in loops."""

import torch
from torch import nn


class Gru(nn.Module):
    def __init__(self, width, *rest, leak=0.0, **kwargs):
        super().__init__()
        self.w = nn.Parameter(torch.linspace(-0.5, 0.5, 3 * width * width).view(3, width, width))
        self.leak = leak

    def sigmoid(self, x):
        return 1 / (1 + torch.exp(-x))

    def step(self, h, x):
        z, r = self.sigmoid(x @ self.w[0] + h), self.sigmoid(x @ self.w[1] - h)
        c = torch.tanh(x @ self.w[2] + r * h)
        return (1 - z) * h + z * c

    def forward(self, xs):
        h = torch.zeros_like(xs[0])
        states = []
        for x in xs:
            h = self.step(h, x)
            states.append(h)
        return torch.stack(states)


def crf_norm(emit, trans):
    alpha = emit[0]
    for e in emit[1:]:
        alpha = torch.log(torch.exp(alpha[:, None] + trans).sum(0)) + e
    return torch.log(torch.exp(alpha).sum())


def mixture_nll(x, pi, mu, sigma):
    dens = torch.exp(-0.5 * ((x[:, None] - mu) / sigma) ** 2) / (sigma * 2.5066)
    return -torch.log((torch.softmax(pi, -1) * dens).sum(-1)).mean()


def forward_probability(emit, trans, start):
    a = start * emit[0]
    logz = 0.0
    for e in emit[1:]:
        c = a.sum()
        logz = logz + torch.log(c)
        a = (a / c) @ trans * e
    return logz + a.sum().log()


def viterbi(emit, trans):
    s = torch.full_like(emit[0], -float("inf"))
    s[0] = 0
    for e in emit:
        s = (s[:, None] + trans).max(0).values + e
    return s


def main():
    xs = torch.tensor([[[0.5, -1.0]], [[1.0, 2.0]], [[-0.3, 0.1]]])
    net = Gru(2, "ignored", leak=0.1, device=None)
    states = net(xs)
    emit = torch.tensor([[0.1, 0.5], [1.0, -0.2], [0.0, 0.3]], requires_grad=True)
    trans = torch.tensor([[0.0, 0.4], [-0.1, 0.2]])
    pi, mu, sigma = (torch.tensor(v, requires_grad=True) for v in ([0.1, 0.3], [0.0, 1.0], [0.5, 1.5]))
    loss = crf_norm(emit, trans) + mixture_nll(emit[:, 0], pi, mu, sigma)
    (loss + states.pow(2).sum()).backward()
    p = torch.tensor([[0.7, 0.3], [0.2, 0.8]])
    f = forward_probability(emit.detach().exp(), p, torch.tensor([0.6, 0.4]))
    return loss, states, emit.grad, pi.grad, mu.grad, sigma.grad, net.w.grad, f, viterbi(emit.detach(), trans)
