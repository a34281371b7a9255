"""What a DataLoader hands out: the first batches of each are looked at for nan that came with the data.

For a step that may have to be repeated the last batches are kept, and one is handed out again.
"""

from __future__ import annotations

import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from nanlint.runtime.adapter import AnyFunction, Hooked, Watch, safely
from nanlint.runtime.adapters.torch.breakdown import NAN, Named, apart, is_concrete, kinds_of, nan_in_data, suspicious
from nanlint.runtime.adapters.torch.generators import Generators

#: batches of each loader's iteration that are looked at, but under ``--watch all``, which looks at each
FIRST = 2
#: as a failure is told
LOADER = "the batches of a DataLoader"
#: batches that are kept, as some programs read ahead
KEPT = 4


@dataclass(frozen=True)
class Handed:
    """A batch, its number in its epoch, and the random states as the program got it."""

    batch: Any
    number: int
    states: Mapping[str, Any]

    def has(self, given: list[torch.Tensor]) -> bool:
        """Whether one of these tensors is of it, or a copy on a device."""
        own = [tensor for _, tensor in tensors_in(self.batch, "")]
        return any(
            one is other or (one.shape == other.shape and torch.equal(one.cpu(), other.cpu()))
            for one in own
            for other in given
        )


class Batches(Hooked):
    """Looks at what the iterators of DataLoaders give."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(watch)
        self._last: list[weakref.ref[torch.Tensor]] = []
        self._handed: deque[Handed] = deque(maxlen=KEPT)
        self._epochs: Counter[object] = Counter()
        self._generators = Generators()
        self._again: Callable[[], Any] | None = None

    def hook(self) -> None:
        from torch.utils.data import dataloader

        self._hooks.around(dataloader._BaseDataLoaderIter, "__next__", self._next, LOADER)

    def stop(self) -> None:
        super().stop()
        self._handed.clear()

    def _next(self, original: AnyFunction, iterator: Any) -> Any:
        batch = original(iterator)
        if self._again is not None:
            again, self._again = self._again, None
            batch = again()
        self._last = [weakref.ref(tensor) for _, tensor in tensors_in(batch, "")]
        if self._hooks and (self._watch.mode == "all" or iterator._num_yielded <= FIRST):
            self._look(batch)
        safely(self._watch, LOADER, self._note, batch, iterator)
        return batch

    def _note(self, batch: Any, iterator: Any) -> None:
        number = iterator._num_yielded - 1
        if number == 0:  # each loop over each set of data has epochs of its own
            loop = self._watch.user_line(), id(iterator._dataset)
            self._epochs[loop] += 1
            self._watch.at(epoch=self._epochs[loop] - 1)
        if self._watch.mode == "sentinel":
            self._handed.append(Handed(batch, number, self._generators.states()))

    def handed(self, given: list[torch.Tensor]) -> Handed | None:
        """The batch that these tensors are of, or else the last one; None where no loader is in use."""
        return next((one for one in reversed(self._handed) if one.has(given)), (*self._handed, None)[-1])

    @property
    def in_use(self) -> bool:
        """Whether a loader has handed out a batch."""
        return bool(self._handed)

    def hand_out(self, again: Callable[[], Any]) -> None:
        """Hand out this the next time that a program asks for a batch."""
        self._again = again

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


def tensors_in(value: Any, name: str) -> Iterator[Named]:
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
