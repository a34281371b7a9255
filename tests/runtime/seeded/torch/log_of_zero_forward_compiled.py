"""The likelihood of an excluded class, in a graph that torch.compile made."""

import torch


def loss(logits: torch.Tensor) -> torch.Tensor:
    probabilities = torch.softmax(logits, dim=-1)
    return -torch.log(probabilities[:, 0])  # born


compiled = torch.compile(loss, backend="aot_eager")
print(compiled(torch.tensor([[0.0, 200.0], [1.0, 2.0]])))
