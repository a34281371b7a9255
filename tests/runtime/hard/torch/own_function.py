"""A backward pass of one's own."""

import torch


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return gradient / (2 * y)  # born


x = torch.tensor([4.0, 0.0], requires_grad=True)
Root.apply(x).sum().backward()
print(x.grad)
