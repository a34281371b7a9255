"""The watch of long runs: the gradient's norm, the loss and what models give in each step; PyTorch's random state."""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import torch
from torch.nn.modules import module as modules
from torch.optim import Optimizer

from nanlint.runtime.adapter import Watch, around, safely
from nanlint.runtime.adapters.torch import deferred
from nanlint.runtime.adapters.torch.batches import tensors_in
from nanlint.runtime.adapters.torch.breakdown import NAN, PINF, apart, is_concrete, kinds_of, parts_of, suspicious
from nanlint.runtime.adapters.torch.steps import names_in_callers, names_of, parameters_of
from nanlint.runtime.events import ARRIVED, NON_FINITE
from nanlint.runtime.frames import place

#: outputs of models in one step that are looked at
MOST = 64


@dataclass(frozen=True)
class Output:
    """What a model gave: the sum of it, on its device, and where the model was called."""

    name: str
    total: torch.Tensor
    past: deferred.Past
    line: tuple[str, int, str] | None

    def is_bad(self, total: float) -> bool:
        """Whether it held a nan or +inf (models mask with -inf). A sum can overflow, so what is left of it is asked."""
        if math.isfinite(total):
            return False
        value = self.past.value()
        return math.isnan(total) if value is None else bool(kinds_of(value) & {NAN, PINF})


class Sentinel:
    """Hears of each loss that a backward pass starts from, of what models give, and of each step.

    A model is the outermost module that has parameters of an optimizer. The hook is one for all modules, as one of its
    own would be pickled and scripted with it; what is compiled does not call it, but the compiled module as a whole
    does. All numbers are read when a step is done, in one wait for a device.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._loss: torch.Tensor | None = None
        self._outputs: list[Output] = []
        self._models: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        #: modules that were called in a step after which models are looked for
        self._called: dict[int, weakref.ref[torch.nn.Module]] | None = {}
        self._steps = 0
        self._undo: list[Callable[[], None]] = []

    def start(self) -> None:
        if self._undo:
            return
        original = torch.Tensor.backward
        torch.Tensor.backward = around(self._watch, "a loss", original, self._backward)
        self._undo.append(functools.partial(setattr, torch.Tensor, "backward", original))
        hook = modules.register_module_forward_hook(functools.partial(safely, self._watch, "outputs", self._gave))
        self._undo.append(hook.remove)
        asked = modules._has_any_global_hook
        modules._has_any_global_hook = around(self._watch, "the hooks of modules", asked, _has_any_global_hook)
        self._undo.append(functools.partial(setattr, modules, "_has_any_global_hook", asked))

    def stop(self) -> None:
        while self._undo:
            self._undo.pop()()
        self._loss = None
        self._outputs.clear()

    def stepped(self, optimizer: Optimizer) -> dict[str, float]:
        """The numbers of the step that an optimizer has just taken; bad ones are told of."""
        outputs, self._outputs = self._outputs, []
        loss, self._loss = self._loss, None
        scalars = {}
        norm = gradient_norm(optimizer)
        if norm is not None:
            scalars["gradient_norm"] = norm
        if loss is not None and is_concrete(loss) and not loss.is_complex():
            scalars["loss"] = loss
        read = deferred.numbers_on_devices([*scalars.values(), *(output.total for output in outputs)])
        numbers = dict(zip(scalars, read, strict=False))
        if math.isinf(numbers.get("gradient_norm", 0.0)):
            numbers["gradient_norm"] = exact_norm(optimizer)
        bad = [name for name, x in numbers.items() if not math.isfinite(x)]
        broken = [output for output, total in zip(outputs, read[len(scalars) :], strict=True) if output.is_bad(total)]
        if bad or broken:
            self._tell(bad, numbers, broken, optimizer)
        self._find_models(optimizer)
        return numbers

    def _find_models(self, optimizer: Optimizer) -> None:
        """Which of the modules that were called are models: asked after the first steps, then after ever fewer."""
        called, self._called = self._called, None
        if called is not None:
            modules_ = [module for one in called.values() if (module := one()) is not None]
            names = names_in_callers(torch.nn.Module, self._watch)
            for model in outermost(modules_, {id(p) for p in parameters_of(optimizer)}):
                self._models[id(model)] = weakref.ref(model), names.get(id(model), type(model).__name__)
        self._steps += 1
        if self._steps & (self._steps + 1) == 0:
            self._called = {}

    def _backward(self, original: Callable[..., Any], tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if tensor.numel() == 1:
            self._loss = tensor.detach()
        return original(tensor, *args, **kwargs)

    def _gave(self, module: torch.nn.Module, args: Any, given: Any) -> None:
        if self._called is not None:
            self._called[id(module)] = weakref.ref(module)
        known = self._models.get(id(module))
        if known is not None and module.training and known[0]() is module and torch._C._get_tracing_state() is None:
            self._look(known[1], given)

    def _look(self, name: str, given: Any) -> None:
        tensors = [one for _, one in tensors_in(given, name) if one.layout == torch.strided]
        if not tensors or len(self._outputs) >= MOST:
            return
        line = self._watch.user_line()
        with apart():
            for tensor in tensors:
                wide = tensor.dtype if tensor.dtype == torch.float64 else torch.float32
                past = deferred.Past.of(name, tensor)
                self._outputs.append(Output(name, torch.sum(tensor.detach(), dtype=wide), past, line))

    def _tell(self, bad: list[str], numbers: dict[str, float], outputs: Sequence[Output], optimizer: Optimizer) -> None:
        names = names_of(optimizer)
        broken = [
            names.get(id(p), f"parameter {i}")
            for i, p in enumerate(parameters_of(optimizer))
            if bad and p.grad is not None and suspicious(p.grad)
        ]
        said = [f"the {name.replace('_', ' ')} is {numbers[name]}" for name in sorted(bad, reverse=True)]
        said += [f"the output of {name} is not finite" for name in dict.fromkeys(one.name for one in outputs)]
        shown = [*broken[:3], *([f"{len(broken) - 3:,} more"] if len(broken) > 3 else [])]
        where = f"; not finite: the gradient of {_listed(shown)}" if broken else ""
        told = {name: str(x) for name, x in numbers.items()}
        line = next((one.line for one in outputs if one.line is not None), None)
        frames = (*([place(*line)] if line is not None else []), *self._watch.frames(3))
        arrived = {ARRIVED: "step"} if bad else {}
        self._watch.alert(NON_FINITE, f"{_listed(said)}{where}", frames=frames, **told, **arrived)


def _has_any_global_hook(original: Callable[..., Any]) -> Any:
    """Whether the program has one: that it has, it is warned of when it compiles."""
    found = original()
    return found if found is not modules._global_forward_hooks or len(found) > 1 else False


def outermost(modules_: Sequence[torch.nn.Module], wanted: set[int]) -> list[torch.nn.Module]:
    """Those that have parameters of some identities, and are inside of no other."""
    inner = {id(part) for module in modules_ for part in module.modules() if part is not module}
    return [m for m in modules_ if id(m) not in inner and any(id(p) in wanted for p in m.parameters())]


def gradient_norm(optimizer: Optimizer) -> torch.Tensor | None:
    """The norm of all gradients together, where they are; None where there is none."""
    dense = _gradients(optimizer)
    if not dense:
        return None
    norms = torch._foreach_norm(dense)
    if len({norm.device for norm in norms}) > 1:
        norms = [norm.cpu() for norm in norms]
    return torch.linalg.vector_norm(torch.stack([norm.float() for norm in norms]))


def exact_norm(optimizer: Optimizer) -> float:
    """The same where it is infinite: perhaps only the squares are too big."""
    dense = _gradients(optimizer)
    if any(map(suspicious, dense)):
        return math.inf
    return float(torch.linalg.vector_norm(torch.stack([g.double().norm() for g in dense])))


def _gradients(optimizer: Optimizer) -> list[torch.Tensor]:
    gradients = [part for p in parameters_of(optimizer) if p.grad is not None for part in parts_of(p.grad)]
    return [g for g in gradients if g.layout == torch.strided and is_concrete(g)]


def snapshot() -> bytes:
    """The state of PyTorch's random generators, of every device that is in use."""
    states = {"cpu": torch.get_rng_state().numpy().tobytes()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states |= {f"cuda:{i}": x.numpy().tobytes() for i, x in enumerate(torch.cuda.get_rng_state_all())}
    return msgspec.msgpack.encode(states)


def restore(state: bytes) -> None:
    """Go on as from the ``snapshot``."""
    for device, held in msgspec.msgpack.decode(state, type=dict[str, bytes]).items():
        tensor = torch.frombuffer(bytearray(held), dtype=torch.uint8)
        if device == "cpu":
            torch.set_rng_state(tensor)
        else:
            torch.cuda.set_rng_state(tensor, device)


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
