"""Training steps, as optimizers take them: what is only seen there.

A parameter that never gets a gradient, one that an optimizer breaks, a step that loss scaling skips.
"""

from __future__ import annotations

import functools
import gc
import math
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch.optim import Optimizer

from nanlint.runtime.adapter import AnyFunction, Hooked, Report, Tensor, Watch, around
from nanlint.runtime.adapters.torch.breakdown import NONE, apart, health_of, is_concrete, parts_of, suspicious
from nanlint.runtime.adapters.torch.deferred import numbers_on_devices
from nanlint.runtime.adapters.torch.words import held
from nanlint.runtime.frames import names_in_callers
from nanlint.runtime.hooks import Guard
from nanlint.runtime.telling import listed

if TYPE_CHECKING:
    from nanlint.runtime.adapters.torch.eager import Births

#: a parameter without a gradient is told of after so many steps, or at the end of a shorter run
PATIENCE = 100
#: names in one alert
MOST = 4
#: so few steps tell nothing: layers that begin at zero let no gradient through in the first
FEW = 3


class Listener(Protocol):
    """Hears of each step, with what to say about it."""

    def stepping(self, optimizer: Optimizer) -> dict[str, float]:
        """Numbers of the step that is about to be taken, whose gradients are there."""

    def stepped(self, optimizer: Optimizer) -> None:
        """The step is taken."""

    def skipped(self, optimizer: Optimizer) -> None:
        """The step was skipped by a loss scaler."""


class Steps(Hooked):
    """Wraps the ``step`` of every optimizer class, as a hook would not hear of a step that raised."""

    def __init__(self, watch: Watch, births: Births, listener: Listener) -> None:
        super().__init__(watch)
        self._births = births
        self._listener = listener
        self._guard = Guard(watch, "an optimizer's parameters")
        self._taken_by: Callable[[Optimizer], None] = lambda optimizer: None
        self._skipped_by: Callable[[], None] = lambda: None
        self._undo: list[Callable[[], None]] = []
        self._made: dict[AnyFunction, AnyFunction] = {}
        self._waiting: weakref.WeakKeyDictionary[Optimizer, Waiting] = weakref.WeakKeyDictionary()
        self._broken: set[int] = set()
        self._depth = 0
        self._taken = 0

    def tell(self, stepped: Callable[[Optimizer], None], skipped: Callable[[], None]) -> None:
        """Have another hear of each step that was taken, and that one was skipped."""
        self._taken_by, self._skipped_by = stepped, skipped

    def hook(self) -> None:
        later = around(self._watch, "an optimizer", Optimizer.profile_hook_step, self._hooked)
        self._hooks.put(Optimizer, "profile_hook_step", staticmethod(later))
        for kind in _subclasses(Optimizer):
            own = kind.__dict__.get("step")
            if own is not None and getattr(own, "hooked", False):
                kind.step = self._wrapped(own)
        if self._made:
            self._wrap_instances()
        self._hooks.around(torch.amp.GradScaler, "step", self._scaled, "a loss scaler")

    def _wrap_instances(self) -> None:
        """Optimizers that were there before may have a ``step`` of their own, as schedulers give them one."""
        for one in [one for one in gc.get_objects() if issubclass(type(one), Optimizer) and "step" in vars(one)]:
            own, known = one.step, weakref.ref(one)

            def stepped(step: AnyFunction, *args: Any, known: Any = known, **kwargs: Any) -> Any:
                return self._step(lambda _, *args, **kwargs: step(*args, **kwargs), known(), *args, **kwargs)

            one.step = around(self._watch, "an optimizer's step", own, stepped)
            self._undo.append(functools.partial(_put_back, known, own))

    def stop(self) -> None:
        if self._hooks:
            for waiting in list(self._waiting.values()):
                waiting.tell(self._watch)
        super().stop()
        while self._undo:
            self._undo.pop()()
        for kind in _subclasses(Optimizer):
            own = kind.__dict__.get("step")
            if own in self._made:
                kind.step = self._made[own]
        self._made.clear()

    def _hooked(self, original: AnyFunction, function: AnyFunction) -> AnyFunction:
        step: Any = original(function)
        step.hooked = True  # as PyTorch marks what it finds in the class: when ours is gone it is this
        return self._wrapped(step)

    def _wrapped(self, step: AnyFunction) -> AnyFunction:
        watched = around(self._watch, "an optimizer's step", step, self._step)
        self._made[watched] = step
        return watched

    def _step(self, step: AnyFunction, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._hooks or self._depth:
            return step(optimizer, *args, **kwargs)
        closure = args[0] if args else kwargs.get("closure")
        closed = closure is None
        self._births.flush()
        if self._watch.bad:
            with self._guard, apart():
                names = names_of(optimizer)
                held = [
                    part
                    for i, one in enumerate(parameters_of(optimizer))
                    for part in _here(names.get(id(one), f"parameter {i}"), one)
                ]
                self._watch.retained("torch", [replace(one, graph_name=one.name) for one in held])
        numbers: dict[str, float] = {}
        looked = functools.partial(self._look, numbers, optimizer, closure)
        if closed:
            looked()
        elif self._watch.mode == "sentinel":  # the gradients are there when the closure has run
            args, kwargs = (looked, *args[1:]) if args else (), kwargs if args else {**kwargs, "closure": looked}
        # what PyTorch's own optimizers do is looked at as one op, when it is done
        paused = self._births.pause() if closed and _is_builtin(optimizer) else None
        self._depth += 1
        counted = self._watch.steps
        try:
            result = step(optimizer, *args, **kwargs)
        finally:
            self._depth -= 1
            if paused is not None:
                paused.resume()
        self._done(optimizer, paused is not None, counted, numbers)
        return result

    def _look(self, numbers: dict[str, float], optimizer: Optimizer, closure: Callable[[], Any] | None) -> Any:
        """What a step goes by, before it is taken."""
        loss = None if closure is None else closure()
        if self._watch.mode == "sentinel":
            with self._guard:
                numbers.update(self._listener.stepping(optimizer))
        return loss

    def _scaled(self, step: AnyFunction, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        taken = self._taken
        if self._undo and scaler.is_enabled():
            self._watch.measured(loss_scale=scaler.get_scale())
        result = step(scaler, optimizer, *args, **kwargs)
        if self._hooks and taken == self._taken and scaler.is_enabled():
            frames = self._watch.frames(1)
            if self._watch.mode == "sentinel":
                self._listener.skipped(optimizer)
            self._skipped_by()
            self._watch.settled(skipped=True)
            self._watch.fates.die("in a step that the loss scaler skipped")
            message = "the gradient was not finite under loss scaling, and the step was skipped"
            self._watch.alert("skipped-step", message, frames=frames, optimizer=type(optimizer).__name__)
            self._watch.step()
        return result

    def _done(self, optimizer: Optimizer, unwatched: bool, counted: int, numbers: dict[str, float]) -> None:
        self._taken += 1
        report: Report | None = None
        if self._watch.mode == "sentinel":
            self._listener.stepped(optimizer)
        with self._guard:
            waiting = self._waiting.get(optimizer)
            if waiting is None:
                waiting = self._waiting[optimizer] = Waiting(optimizer, self._watch)
            if waiting.places or unwatched:
                with apart():
                    if waiting.places:
                        waiting.look(optimizer, self._watch)
                    if unwatched:
                        report = self._broke(optimizer)
            self._taken_by(optimizer)
            self._watch.settled(skipped=not all(map(math.isfinite, numbers.values())))  # of which is told already
        if report is not None:
            self._watch.born(**report)
        if self._watch.steps == counted:  # else one who knows better what a step is has told
            self._watch.step(None, **numbers)
        elif numbers:
            self._watch.measured(**numbers)
        if self._watch.mode != "all" and not self._watch.fates.following:
            self._births.stop()  # which had begun to follow something
        self._births.tracing = self._watch.steps & (self._watch.steps - 1) == 0

    def _broke(self, optimizer: Optimizer) -> Report | None:
        """The birth of a bad value in a parameter whose gradient was finite, if there is one that is new."""
        for parameter in self._suspicious(optimizer):
            outputs = _here("parameter", parameter)
            kinds = NONE.union(*(one.health.bad for one in outputs))
            if not kinds:
                continue
            self._broken.add(id(parameter))
            inputs = _here("gradient", parameter.grad)
            fresh = kinds.difference(*(one.health.bad for one in inputs))
            if not fresh:
                continue
            for name, value in optimizer.state.get(parameter, {}).items():
                inputs += _here(name, value) if isinstance(value, torch.Tensor) else []
            return {
                "framework": "torch",
                "op": f"{type(optimizer).__name__}.step",
                "kinds": fresh,
                "inputs": inputs,
                "outputs": outputs,
                "frames": self._watch.frames(2),
                "note": "the state of the optimizer is the one after the step",
            }
        return None

    def _suspicious(self, optimizer: Optimizer) -> list[torch.Tensor]:
        """Its parameters that have something bad, perhaps; those on a device are asked together."""
        trained = [p for p in parameters_of(optimizer) if p.grad is not None and id(p) not in self._broken]
        far = [p for p in trained if p.device.type in self._births.far and p.layout == torch.strided and is_concrete(p)]
        if far:
            read = numbers_on_devices([torch.sum(p, dtype=torch.float32) for p in far])
            fine = {id(p) for p, total in zip(far, read, strict=True) if math.isfinite(total)}
            trained = [p for p in trained if id(p) not in fine]
        return [p for p in trained if suspicious(p)]


def _here(name: str, tensor: torch.Tensor | None) -> list[Tensor]:
    """A tensor as it is reported: of one that lies in several places the part that is here."""
    parts = [] if tensor is None else [part for part in parts_of(tensor) if is_concrete(part)]
    return [Tensor(name, health_of(part), part) for part in parts]


class Waiting:
    """The parameters of an optimizer that had no gradient but zeros up to now; it holds none of them."""

    def __init__(self, optimizer: Optimizer, watch: Watch) -> None:
        self.steps = 0
        self.frames = watch.frames(3)
        names = names_of(optimizer)
        parameters = list(parameters_of(optimizer))
        self.places = {i: names.get(id(p), f"parameter {i}") for i, p in enumerate(parameters) if p.requires_grad}
        self.zeros: set[int] = set()

    def look(self, optimizer: Optimizer, watch: Watch) -> None:
        """Those that got a gradient now wait no longer; those that wait for too long are told of."""
        self.steps += 1
        parameters = list(parameters_of(optimizer))
        for i in list(self.places):
            gradient = parameters[i].grad if i < len(parameters) else None
            if gradient is None:
                continue
            if gradient.layout != torch.strided or not is_concrete(gradient) or torch.count_nonzero(gradient):
                del self.places[i]
            else:
                self.zeros.add(i)
        if self.steps == PATIENCE:
            self.tell(watch)

    def tell(self, watch: Watch) -> None:
        """What is left never got one."""
        zeros = [name for i, name in self.places.items() if i in self.zeros]
        none = [name for i, name in self.places.items() if i not in self.zeros]
        for names, one, many in (
            (zeros, "only zeros as its gradient", "only zeros as their gradients"),
            (none, "no gradient", "no gradient"),
        ):
            if names and self.steps >= FEW:
                what, are = (one, "it is") if len(names) == 1 else (many, "they are")
                message = f"{listed(names, MOST)} got {what} in {self.steps:,} steps: {are} not trained"
                watch.alert("dead-gradient", message, frames=self.frames, parameters=names)
        self.places.clear()


def parameters_of(optimizer: Optimizer) -> Iterator[torch.Tensor]:
    """All that an optimizer trains."""
    for group in optimizer.param_groups:
        yield from group["params"]


def _put_back(known: Callable[[], Any], step: AnyFunction) -> None:
    optimizer = known()
    if optimizer is not None:
        optimizer.step = step


def _is_builtin(optimizer: Optimizer) -> bool:
    return type(optimizer).__module__.startswith("torch.optim.")


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)


def names_of(optimizer: Optimizer) -> dict[int, str]:
    """The names of parameters by identity: as the optimizer was told, or as a caller of the step calls its module."""
    names: dict[int, str] = {}
    for group in optimizer.param_groups:
        names.update({id(p): name for p, name in zip(group["params"], group.get("param_names", ()), strict=False)})
    return names_in_callers({id(p) for p in parameters_of(optimizer)} - names.keys(), held) | names
