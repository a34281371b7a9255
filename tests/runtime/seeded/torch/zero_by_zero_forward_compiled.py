"""Rows scaled to a sum of 1, one of which is empty, in a graph that torch.compile made."""

import torch


def normalised(counts: torch.Tensor) -> torch.Tensor:
    total = counts.sum(dim=-1, keepdim=True)
    return counts / total  # born


compiled = torch.compile(normalised, backend="aot_eager")
print(compiled(torch.tensor([[1.0, 3.0], [0.0, 0.0]])))
