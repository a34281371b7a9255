"""What where does not take has a gradient all the same, in a graph that torch.compile made."""

import torch


def loss(x: torch.Tensor) -> torch.Tensor:
    inside = x.abs() < 1
    return torch.where(inside, torch.sqrt(1 - x * x), 0.0).sum()  # born


compiled = torch.compile(loss, backend="aot_eager")
x = torch.tensor([0.0, 0.6, 1.0], requires_grad=True)
compiled(x).backward()
print(x.grad)
