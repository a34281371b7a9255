"""The likelihood of an excluded class, in a graph that torch.compile made."""

import torch


@torch.compile(backend="aot_eager")
def loss(logits: torch.Tensor) -> torch.Tensor:
    probabilities = torch.softmax(logits, dim=-1)
    return -torch.log(probabilities[:, 0])  # born


print(loss(torch.tensor([[0.0, 200.0], [1.0, 2.0]])))
