"""What a DataLoader hands out: the first batches of each are looked at for nan that came with the data."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch

from nanlint.runtime.adapter import Watch, around
from nanlint.runtime.adapters.torch.breakdown import NAN, apart, is_concrete, kinds_of, suspicious
from nanlint.runtime.adapters.torch.eager import nan_in_data

#: batches of each loader's iteration that are looked at, but under ``--watch all``, which looks at each
FIRST = 2


class Batches:
    """Looks at what the iterators of DataLoaders give."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._undo: Callable[[], None] | None = None
        self._last: list[weakref.ref[torch.Tensor]] = []

    def start(self) -> None:
        from torch.utils.data import dataloader

        if self._undo is not None:
            return
        kind = dataloader._BaseDataLoaderIter
        original = kind.__next__
        kind.__next__ = around(self._watch, "the batches of a DataLoader", original, self._next)
        self._undo = lambda: setattr(kind, "__next__", original)

    def stop(self) -> None:
        if self._undo is not None:
            self._undo()
            self._undo = None

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        batch = original(iterator)
        self._last = [weakref.ref(tensor) for _, tensor in tensors_in(batch, "")]
        if self._undo is not None and (self._watch.mode == "all" or iterator._num_yielded <= FIRST):
            self._look(batch)
        return batch

    def latest(self) -> list[torch.Tensor]:
        """The tensors of the batch that was handed out last, as far as the program keeps them."""
        return [tensor for one in self._last if (tensor := one()) is not None]

    def _look(self, batch: Any) -> None:
        with apart():
            found = [
                nan_in_data(name, tensor, self._watch.frames(3))
                for name, tensor in tensors_in(batch, "batch")
                if suspicious(tensor) and NAN in kinds_of(tensor)
            ]
        for alert in found:
            self._watch.alert(**alert)


def tensors_in(value: Any, name: str) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of a batch with what they are called in it: ``batch[0]``, ``batch['image']``."""
    if isinstance(value, torch.Tensor):
        if value.dtype.is_floating_point and is_concrete(value):
            yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from tensors_in(one, f"{name}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for i, one in enumerate(value):
            yield from tensors_in(one, f"{name}[{i}]")
