"""Samples of layers for the flight recorder: what modules give in some steps, their gradients, what a step changes.

Nothing of the program's is held: of each tensor a few numbers stay on its device, and all are read in one wait when the
step is done.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import torch
from torch.optim import Optimizer

from nanlint.runtime.adapter import Watch, is_due, safely
from nanlint.runtime.adapters.torch.badstep import Call
from nanlint.runtime.adapters.torch.batches import tensors_in
from nanlint.runtime.adapters.torch.breakdown import apart, can_be_glanced_at, is_concrete
from nanlint.runtime.adapters.torch.deferred import numbers_on_devices
from nanlint.runtime.adapters.torch.modules import path_of
from nanlint.runtime.adapters.torch.steps import names_of
from nanlint.runtime.events import Layer
from nanlint.runtime.layers import INPUT

#: the first steps, which are all sampled, and then one in so many
FIRST, EVERY = 8, 5
#: seconds that samples may take in any run, and their share of the time of a long one
ALLOWED, SHARE = 0.25, 0.03
#: elements of an output that are looked at for what is not its greatest magnitude, and of each parameter
PART, FEW = 8_192, 256
#: calls of a module in one step that are looked at closely, and at all; rows that say something of a unit
CLOSELY, CALLS, ROWS = 2, 256, 8
#: ends of the range of a function, by the node of its result, and how near to them the gradient is a thousandth
ENDS = {"TanhBackward0": (-1.0, 1.0), "SigmoidBackward0": (0.0, 1.0)}
ANY = (-math.inf, math.inf)
NEAR = 1e-3
#: the share of subnormal numbers in a parameter that nobody initialised: its memory held addresses
ADDRESSES = 0.25

Key = tuple[int, bool]
Line = tuple[str, int, str]


@dataclass
class Seen:
    """A module in the step that goes on: where it was called, what it took, and numbers of what it gave."""

    line: Line | None
    dtype: torch.dtype
    source: Key | None = None
    #: the least and the greatest element of each call
    ends: list[torch.Tensor] = field(default_factory=list)
    #: of calls that were looked at closely: ``_closely``, and the numbers of elements and units, 0 for too few rows
    closely: list[torch.Tensor] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)

    def layer(self, read: Iterator[float], source: str) -> Layer:
        """What it was, of its numbers as they were read."""
        largest = max((abs(next(read)) for _ in self.ends), key=lambda x: (math.isnan(x), x))
        close = [[next(read) for _ in range(4)] for _ in self.sizes] or [[math.inf, 0.0, 0.0, 0.0]]
        size, units = (sum(one[i] for one in self.sizes) for i in (0, 1))
        nonzero, live, saturated = (sum(one[i] for one in close) for i in (1, 2, 3))
        return Layer(
            largest=_finite(largest),
            smallest=_finite(min(one[0] for one in close)),
            zeros=1 - nonzero / size if size else None,
            dead=1 - live / units if units else None,
            saturated=saturated / size if size else None,
            top=torch.finfo(self.dtype).max,
            source=source,
            line=self.line,
        )


class Samples:
    """Measures the layers of some steps."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        #: whether the step that goes on is sampled
        self.on = True
        self._steps = 0
        self._spent, self._began = 0.0, time.perf_counter()
        self._seen: dict[Key, Seen] = {}
        #: whose output a tensor is, for as long as it is there
        self._outputs: dict[int, tuple[weakref.ref[torch.Tensor], Key]] = {}
        #: what modules took at last: their input, or the output of another
        self._entered: dict[int, Key] = {}
        #: parameters on a device as the step is taken: two magnitudes of the gradient of each, and some elements of it
        self._trained: list[tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]] = []
        self._doubts: dict[int, dict[str, str]] = {}

    def timed(self, what: Callable[..., Any], *args: Any) -> None:
        """Measure something, and how long that takes."""
        began = time.perf_counter()
        with apart():
            safely(self._watch, "layers", what, *args)
        self._spent += time.perf_counter() - began

    def gave(self, module: torch.nn.Module, args: Any, given: Any) -> None:
        """A module was called."""
        tensor = _first(given)
        if tensor is not None:
            source = self.took(module, args)
            seen = self._measure((id(module), False), tensor)
            seen.source = seen.source or source

    def took(self, module: torch.nn.Module, args: Any) -> Key | None:
        """Whose output a module takes; what no module gave is measured as its input."""
        tensor = _first(args)
        if tensor is None:
            return None
        known = self._outputs.get(id(tensor))
        if known is not None and known[0]() is tensor:
            key = known[1]
        else:
            key = (id(module), True)
            self._measure(key, tensor)
        self._entered[id(module)] = key
        return key

    def surprised(self, calls: Iterable[Call]) -> None:
        """A step turns out to be unlike all others: what is still there of it is measured."""
        self.on = True
        for call in calls:
            tensor = _first(call.args)
            key = self._entered.get(id(call.model()))
            if tensor is not None and key is not None:
                self._measure(key, tensor).line = None  # it was called elsewhere

    def _measure(self, key: Key, tensor: torch.Tensor) -> Seen:
        seen = self._seen.setdefault(key, Seen(None, tensor.dtype))
        seen.line = seen.line or self._watch.user_line()
        self._outputs[id(tensor)] = weakref.ref(tensor), key
        if len(seen.ends) < 2 * CALLS:
            seen.ends += torch.aminmax(tensor.detach())
        if len(seen.sizes) < CLOSELY and tensor.requires_grad:  # else it is data, which may be sparse
            numbers, size = _closely(tensor.detach(), *ENDS.get(type(tensor.grad_fn).__name__, ANY))
            seen.closely += numbers
            seen.sizes.append(size)
        return seen

    def forget(self) -> None:
        """The step that goes on is over, or is not watched."""
        self._seen, self._outputs, self._trained, self._doubts = {}, {}, [], {}

    def stepping(self, optimizer: Optimizer) -> None:
        """A step is about to be taken: the gradients are there."""
        trained = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if not self._steps:
            for group in optimizer.param_groups:
                real = [p for p in group["params"] if is_concrete(p) and can_be_glanced_at(p)]
                self._doubts |= {id(p): doubts for p in real if (doubts := _doubts(p, group.get("eps")))}
        there = [p for p in trained if is_concrete(p) and can_be_glanced_at(p) and can_be_glanced_at(p.grad)]
        for device in dict.fromkeys(p.device for p in there):
            here = [p for p in there if p.device == device]
            gradients = [p.grad for p in here if p.grad is not None]
            parts = _parts(gradients).abs_()
            least = parts.masked_fill_(parts == 0, math.inf).amin(1)
            # thirty times as fast as the norm
            largest = torch.stack([torch.maximum(*map(torch.abs, torch.aminmax(g))).float() for g in gradients])
            self._trained.append((here, torch.stack([largest, least], 1), _parts(here)))

    def stepped(self, optimizer: Optimizer, models: Sequence[tuple[str, torch.nn.Module]]) -> None:
        """A step is done: what was measured in it is told."""
        if self.on:
            called = dict(_named(models))
            if any(id(p) not in called for here, _, _ in self._trained for p in here):
                called = names_of(optimizer) | called
            self._watch.sampled(self._layers(called))
        self.forget()
        self._steps += 1
        allowed = ALLOWED + SHARE * (time.perf_counter() - self._began)
        self.on = is_due(self._steps, FIRST, EVERY) and self._spent <= allowed

    def _layers(self, called: Mapping[int, str]) -> dict[str, Layer]:
        """Each layer by its name: modules in the order of their calls, then what is trained outside of them."""
        seen = {key: one for key, one in self._seen.items() if key[0] in called}
        numbers = [x for one in seen.values() for x in (*one.ends, *one.closely)]
        for here, magnitudes, before in self._trained:
            norms = torch.stack([(_parts(here) - before).norm(dim=1), before.norm(dim=1)], 1)
            numbers += torch.cat([magnitudes, norms], 1).flatten().unbind()
        read = iter(numbers_on_devices(numbers))
        layers = {_name(key, called): one.layer(read, _name(one.source, called)) for key, one in seen.items()}
        sizes: dict[str, int] = {}
        for parameter in (one for here, _, _ in self._trained for one in here):
            most, least, change, size = (next(read) for _ in range(4))
            name = called.get(id(parameter), "parameters")
            layer = layers.get(name, Layer())
            if parameter.numel() > sizes.get(name, 0):
                sizes[name] = parameter.numel()
                layer = msgspec.structs.replace(layer, update=_finite(change / size) if size else None)
            layers[name] = msgspec.structs.replace(
                layer,
                gradient=max(math.inf if math.isnan(most) else most, layer.gradient or 0.0),
                least_gradient=_finite(min(least, layer.least_gradient or math.inf)),
            )
        for identity, doubts in self._doubts.items():
            name = called.get(identity, "parameters")
            layers[name] = msgspec.structs.replace(layers.get(name, Layer()), doubts=doubts)
        return layers


def _named(models: Sequence[tuple[str, torch.nn.Module]]) -> Iterator[tuple[int, str]]:
    """The paths of modules, and of the modules that parameters are of, by identity."""
    for model_name, model in models:
        for path, module in model.named_modules():
            whole = ".".join(filter(None, (model_name, path_of(path))))
            yield id(module), whole
            yield from ((id(parameter), whole) for parameter in module._parameters.values() if parameter is not None)


def _name(key: Key | None, called: Mapping[int, str]) -> str:
    return "" if key is None or key[0] not in called else INPUT * key[1] + called[key[0]]


def _first(value: Any) -> torch.Tensor | None:
    """The first tensor in what a module took or gave that can be measured."""
    return next((one for _, one in tensors_in(value, "") if can_be_glanced_at(one)), None)


def _closely(tensor: torch.Tensor, low: float, high: float) -> tuple[list[torch.Tensor], tuple[int, int]]:
    """Of a part of an output: its smallest magnitude, how many elements are not 0, units live, elements saturated.

    And how many elements and units there are; no units where there are too few rows to tell a dead one.
    """
    tensor = tensor.reshape(1, -1)[:, :PART] if tensor.dim() < 2 else tensor
    part = tensor[: max(1, PART * len(tensor) // tensor.numel())]
    part = part.movedim(1, -1) if part.dim() > 3 else part
    magnitudes = part.abs().reshape(-1, part.shape[-1])
    rows, units = magnitudes.shape
    ended = (part - (low + high) / 2).abs() > (high - low) / 2 * (1 - NEAR)
    counts = [torch.count_nonzero(what).float() for what in (magnitudes, magnitudes.amax(0), ended)]
    smallest = magnitudes.masked_fill(magnitudes == 0, math.inf).amin()
    return [smallest, *counts], (rows * units, units if rows >= ROWS else 0)


def _parts(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Some elements of each tensor, a row each, with zeros behind those of smaller ones."""
    rows = []
    for tensor in tensors:
        flat = tensor.detach().flatten() if tensor.is_contiguous() else tensor.detach()[:1].flatten()
        row = flat[:: max(1, len(flat) // FEW)][:FEW].float()
        rows.append(row if len(row) == FEW else torch.nn.functional.pad(row, (0, FEW - len(row))))
    return torch.stack(rows)


def _doubts(parameter: torch.Tensor, epsilon: Any) -> dict[str, str]:
    """What is wrong with a parameter before the first step: nobody initialised it; an epsilon is 0 in its format."""
    found: dict[str, str] = {}
    limits, format_ = torch.finfo(parameter.dtype), str(parameter.dtype).removeprefix("torch.")
    if isinstance(epsilon, float) and epsilon > 0 and not parameter.new_tensor(epsilon):
        found["lost-epsilon"] = f"{epsilon:g} is 0 in {format_}: the optimizer divides by 0 where a gradient is small"
    largest = float(parameter.abs().amax())
    subnormal = torch.count_nonzero((parameter != 0) & (parameter.abs() < limits.tiny)) / parameter.numel()
    # small weights are subnormal in float16, and large ones have squares beyond it
    if not largest < math.inf or (format_ != "float16" and (largest**2 > limits.max or subnormal > ADDRESSES)):
        found["uninitialised"] = f"a parameter was never initialised: its largest element is {largest:.3g}"
    return found


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
