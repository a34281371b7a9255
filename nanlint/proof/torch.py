"""PyTorch as the interpreter's framework."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from nanlint.proof.arrays import ArrayBackend
from nanlint.proof.backend import Numbers


class TorchBackend(ArrayBackend):
    """Rows are one-dimensional tensors on the processor."""

    name = "torch"
    roots = ("torch",)

    def row(self, numbers: Sequence[float], fmt: str) -> Numbers:
        return torch.tensor(list(numbers), dtype=getattr(torch, fmt))

    def is_row(self, x: Numbers) -> bool:
        return isinstance(x, torch.Tensor)

    def numbers(self, x: Numbers) -> tuple[float, ...]:
        return tuple(x.detach().double().reshape(-1).tolist()) if self.is_row(x) else (float(x),)

    def flat(self, x: Numbers) -> Numbers:
        return x.reshape(-1) if self.is_row(x) else x

    def cast(self, x: Numbers, fmt: str) -> Numbers:
        return x.to(getattr(torch, fmt))

    def truth(self, x: Numbers) -> Numbers:
        return x if x.dtype == torch.bool else x != 0

    def where(self, cond: Numbers, a: Numbers, b: Numbers) -> Numbers:
        return torch.where(cond, a, b)

    def concat(self, rows: Sequence[Numbers]) -> Numbers:
        return torch.cat(list(rows))

    def take(self, x: Numbers, places: Sequence[int]) -> Numbers:
        return x[torch.tensor(list(places), dtype=torch.long)]

    def stop_gradient(self, x: Numbers) -> Numbers:
        return x.detach()

    def array(self, x: Numbers) -> Numbers:
        return x if self.is_row(x) else torch.tensor([float(x)])

    def gradients(self, f: Callable[[list[Numbers]], Numbers], rows: list[Numbers]) -> list[tuple[float, ...] | None]:
        leaves = [row.clone().requires_grad_() for row in rows]
        found = torch.autograd.grad(f(leaves).sum(), leaves, allow_unused=True)
        return [None if g is None else self.numbers(g) for g in found]


BACKEND = TorchBackend
