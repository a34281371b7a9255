"""Functions with their own gradients."""

import torch
from torch.autograd import Function


class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(1 + torch.exp(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.exp(x) / (1 + torch.exp(x))


class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x):
        return (torch.sigmoid(x) > 0.5).to(x.dtype)

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1)


class SafeNorm(Function):
    @staticmethod
    def forward(ctx, x):
        n = torch.sqrt((x**2).sum(-1, keepdim=True))
        ctx.save_for_backward(x, n)
        return n

    @staticmethod
    def backward(ctx, g):
        x, n = ctx.saved_tensors
        return g * torch.where(n > 0, x / n, torch.zeros_like(x))


def swish(x):
    return x / (1 + torch.exp(-x))


def mish(x):
    return x * torch.tanh(torch.log(1 + torch.exp(x)))


def tanh(x):
    a, b = x.exp(), (-x).exp()
    return (a - b) / (a + b)


def tanh2(x):
    e = torch.exp(2 * x)
    return (e - 1) / (e + 1)


def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 2**0.5))


def logsigmoid(x):
    return -torch.log(1 + torch.exp(-x))


def elu(x, alpha=1.0):
    return torch.where(x > 0, x, alpha * (torch.exp(x) - 1))


def main():
    x = torch.tensor([-1.5, 0.2, 2.5], requires_grad=True, dtype=torch.float64)
    results, grads = [], []
    for f in (Softplus.apply, StraightThrough.apply, swish, mish, tanh, tanh2, gelu, logsigmoid, elu):
        y = f(x)
        results.append(y)
        grads.append(torch.autograd.grad(y.sum(), x)[0])
    z = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    n = SafeNorm.apply(z)
    (gz,) = torch.autograd.grad(n.sum(), z)
    return *results, *grads, n, gz, torch.autograd.gradcheck(Softplus.apply, x)
