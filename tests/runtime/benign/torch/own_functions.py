"""Custom autograd Functions: in place, with several outputs, without gradients, double backward, checkpointing."""

import torch
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Exponent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return gradient * y


class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, at):
        ctx.at = at
        ctx.set_materialize_grads(False)
        return x[:at].clone(), x[at:].clone(), torch.tensor(at)

    @staticmethod
    @once_differentiable
    def backward(ctx, first, second, _):
        first = torch.zeros(ctx.at) if first is None else first
        second = torch.zeros(2) if second is None else second
        return torch.cat([first, second]), None


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


x = torch.randn(5, requires_grad=True)
(gradient,) = torch.autograd.grad(Exponent.apply(x).log().square().sum(), x, create_graph=True)
gradient.sum().backward()
print(gradient, x.grad)
x.grad = None
first, second, at = Split.apply(x, 3)
first.sum().backward()
print(x.grad, second, at)
y = Double.apply((x * 1).clone())
y.square().sqrt().sum().backward()
print(x.grad, y)

layer = torch.nn.Linear(5, 5)
kept = checkpoint(lambda v: torch.tanh(layer(v)).square().log1p(), x, use_reentrant=False)
kept.sum().backward()
again = checkpoint(lambda v: torch.nn.functional.dropout(layer(v).sigmoid()), x, use_reentrant=True)
again.mean().backward()
print(kept, again, layer.weight.grad)
