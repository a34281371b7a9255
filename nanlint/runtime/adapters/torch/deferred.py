"""Find origins on a device without waiting for it: each op writes one flag, and all flags are read once per step.

The inputs and outputs of an op are not kept for this; they are inspected only if they still exist then.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from nanlint.runtime.adapter import Report, Tensor
from nanlint.runtime.adapters.torch import words
from nanlint.runtime.adapters.torch.breakdown import health_of, kinds_of
from nanlint.runtime.events import Frame, Stack
from nanlint.runtime.health import Health, Kinds, Shape

#: numbers that wait on a device before they are read even within a step
MOST = 20_000


@dataclass(frozen=True)
class Flag:
    """An op that ran on a device: the sum of what it gave, where it was called, and what it computed with."""

    total: torch.Tensor
    op: str
    backward: bool
    place: Frame | None
    inputs: tuple[Past, ...]
    output: Past


@dataclass(frozen=True)
class Past:
    """A tensor as an op saw it, for as long as the program keeps it and does not write to it."""

    name: str
    tensor: weakref.ref[torch.Tensor]
    version: int
    dtype: str
    shape: Shape

    @staticmethod
    def of(name: str, tensor: torch.Tensor) -> Past:
        dtype = str(tensor.dtype).removeprefix("torch.")
        return Past(name, weakref.ref(tensor), tensor._version, dtype, tuple(tensor.shape))

    def value(self) -> torch.Tensor | None:
        """The tensor, if it is still as it was."""
        tensor = self.tensor()
        return tensor if tensor is not None and tensor._version == self.version else None

    def told(self, kinds: Kinds = frozenset()) -> Tensor:
        """As it is reported: with its breakdown, or of what is gone only that a kind occurred."""
        value = self.value()
        if value is not None:
            return Tensor(self.name, health_of(value), value)
        return Tensor(self.name, Health(**dict.fromkeys(kinds, 1), dtype=self.dtype, shape=self.shape))


@dataclass(frozen=True)
class Ahead:
    """A glance that was begun: the ends of a tensor, on its device."""

    low: torch.Tensor
    high: torch.Tensor
    past: Past

    @staticmethod
    def of(tensor: torch.Tensor) -> Ahead:
        low, high = torch.aminmax(tensor.detach())
        return Ahead(low, high, Past.of("", tensor))

    def came_to(self, low: float, high: float) -> Health | tuple[float, float]:
        """The look, when the ends are known."""
        if math.isfinite(low) and math.isfinite(high):
            return low, high
        return self.past.told(words.literal_kinds([low, high])).health


def numbers_on_devices(scalars: Sequence[torch.Tensor]) -> list[float]:
    """The values of tensors of one element, each device waited for once for each dtype."""
    return Left(scalars).numbers()


class Left:
    """Numbers on devices that come over by themselves, while the program goes on."""

    def __init__(self, scalars: Sequence[torch.Tensor]) -> None:
        self._count = len(scalars)
        self._parts: list[tuple[list[int], torch.Tensor, Any]] = []
        groups: dict[tuple[torch.device, torch.dtype], list[int]] = {}
        for i, scalar in enumerate(scalars):
            groups.setdefault((scalar.device, scalar.dtype), []).append(i)
        for (device, _), there in groups.items():
            stacked = torch.stack([scalars[i].reshape(()) for i in there])
            event = None
            if device.type == "cuda":
                stacked = torch.empty_like(stacked, device="cpu", pin_memory=True).copy_(stacked, non_blocking=True)
                event = torch.cuda.Event()
                event.record(torch.cuda.current_stream(device))
            self._parts.append((there, stacked, event))

    @property
    def there(self) -> bool:
        """Whether they have come."""
        return all(event is None or event.query() for _, _, event in self._parts)

    def numbers(self) -> list[float]:
        """What they are; waits for them."""
        found = [0.0] * self._count
        for there, stacked, event in self._parts:
            if event is not None:
                event.synchronize()
            for i, x in zip(there, stacked.tolist(), strict=True):
                found[i] = float(x)
        return found


def looks(begun: Sequence[Ahead]) -> list[Health | tuple[float, float]]:
    """What glances came to that were begun."""
    ends = numbers_on_devices([end for one in begun for end in (one.low, one.high)])
    return [one.came_to(*pair) for one, pair in zip(begun, zip(ends[::2], ends[1::2], strict=True), strict=True)]


def first_bad(flags: Sequence[Flag]) -> tuple[Flag, Kinds] | None:
    """The first op that gave something bad, and its kinds; None where all is well or was bad from the start.

    One read for each device: where the program waits for it.
    """
    for flag, total in zip(flags, numbers_on_devices([flag.total for flag in flags]), strict=True):
        if math.isfinite(total):
            continue
        value = flag.output.value()
        kinds = kinds_of(value) if value is not None else words.literal_kinds([total])
        if not kinds:
            continue  # the sum was too big, and no element
        given = [x for x in (one.value() for one in flag.inputs) if x is not None]
        fresh = kinds.difference(*map(kinds_of, given))
        return (flag, fresh) if fresh else None
    return None


def report_of(flag: Flag, kinds: Kinds, frames: Stack) -> Report:
    """The birth, as the watch wants it; ``frames`` are those of the moment that it was read."""
    place = () if flag.place is None else (flag.place,)
    return {
        "framework": "torch",
        "op": flag.op,
        "kinds": kinds,
        "inputs": [one.told() for one in flag.inputs],
        "outputs": [flag.output.told(kinds)],
        "frames": tuple(frames) if flag.backward else place,
        "backward": flag.backward,
        "forward": place if flag.backward else (),
        "note": "read once per step from the device; of tensors that no longer exist, only the kind of value is known",
    }
