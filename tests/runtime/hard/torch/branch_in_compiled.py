"""A branch of a compiled function, by a shape."""

import torch


@torch.compile(backend="aot_eager")
def f(x):
    if x.shape[0] > 2:
        y = x - x.mean()
        return (y / y.std()).sum()  # born
    return x.sum()


x = torch.ones(4, requires_grad=True)
f(x).backward()
print(x.grad)
