"""A small transformer of characters in PyTorch: 4 blocks of width 128, 4 heads, 8 sequences of 64, AdamW."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

VOCABULARY, WIDTH, HEADS, BLOCKS, LENGTH, SEQUENCES = 64, 128, 4, 4, 64, 8


class Norm(nn.Module):
    """Layer normalization by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        centred = x - x.mean(-1, keepdim=True)
        return self.scale * centred / torch.sqrt(centred.square().mean(-1, keepdim=True))


class Attention(nn.Module):
    """Causal attention; what is to come is masked with -inf."""

    def __init__(self) -> None:
        super().__init__()
        self.split = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("seen", torch.tril(torch.ones(LENGTH, LENGTH, dtype=torch.bool)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        heads = self.split(x).reshape(*x.shape[:2], 3, HEADS, WIDTH // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        weights = torch.softmax(scores.masked_fill(~self.seen, float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    """Attention and a layer of two halves, each on what is normalized and beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.attention = Norm(), Norm(), Attention()
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        return x + self.narrow(nn.functional.gelu(self.wide(self.second(x))))


class Transformer(nn.Module):
    """Scores of the next character."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Parameter(torch.randn(LENGTH, WIDTH) / 10)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.blocks(self.embedding(tokens) + self.position) @ self.embedding.weight.T


def build(compiler: str = "") -> Callable[[], torch.Tensor]:
    """A training step on one batch; of a compiled loss where a ``compiler`` is named."""
    torch.manual_seed(0)
    model = Transformer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    tokens = torch.randint(0, VOCABULARY, (SEQUENCES, LENGTH + 1))

    def loss() -> torch.Tensor:
        scores = model(tokens[:, :-1])
        return nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())

    forward = torch.compile(loss, backend=compiler) if compiler else loss

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        value: torch.Tensor = forward()
        value.backward()
        optimizer.step()
        return value

    return step
