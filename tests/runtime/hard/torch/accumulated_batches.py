"""Gradients of four batches are added, of which the third has the bad row; it runs compiled."""

import torch

layer = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(layer.parameters())
batches = [torch.ones(2, 3) for _ in range(4)]
batches[2][1] = 0


@torch.compile(backend="aot_eager")
def loss_of(x):
    unit = x / torch.linalg.vector_norm(x, dim=1, keepdim=True)  # born
    return layer(unit).mean() / 4


for x in batches:
    loss_of(x).backward()
optimizer.step()
