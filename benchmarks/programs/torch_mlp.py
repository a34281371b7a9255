"""A classifier of digits in PyTorch: 784-512-512-10, batches of 64, AdamW."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

SIZES = (784, 512, 512, 10)
BATCH = 64


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The cross-entropy, from probabilities: what nanlint flags."""
    probabilities = torch.softmax(logits, dim=-1)
    chosen = probabilities.gather(1, labels[:, None])
    return -torch.log(chosen).mean()


def build(compiler: str = "") -> Callable[[], torch.Tensor]:
    """A training step on one batch; of a compiled loss where a ``compiler`` is named."""
    torch.manual_seed(0)
    layers = [nn.Linear(SIZES[0], SIZES[1]), nn.ReLU(), nn.Linear(SIZES[1], SIZES[2]), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(SIZES[2], SIZES[3]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    images, labels = torch.rand(BATCH, SIZES[0]), torch.randint(0, SIZES[-1], (BATCH,))

    def loss() -> torch.Tensor:
        return loss_of(model(images), labels)

    forward = torch.compile(loss, backend=compiler) if compiler else loss

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        value: torch.Tensor = forward()
        value.backward()
        optimizer.step()
        return value

    return step
