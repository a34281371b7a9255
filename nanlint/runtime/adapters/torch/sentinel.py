"""The watch of long runs: the gradient's norm, the loss and what models give in each step; PyTorch's random state.

The first step that goes bad is kept in a file, and the model runs on it once more to learn where it broke.
"""

from __future__ import annotations

import functools
import math
import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import Optimizer

from nanlint.runtime import hooks
from nanlint.runtime.adapter import AnyFunction, Hooked, Report, Watch, safely
from nanlint.runtime.adapters.torch import deferred
from nanlint.runtime.adapters.torch.badstep import Call, file_of, save, where_it_broke
from nanlint.runtime.adapters.torch.batches import KEPT, Batches, Handed, tensors_in
from nanlint.runtime.adapters.torch.breakdown import NAN, PINF, apart, is_concrete, kinds_of, parts_of, suspicious
from nanlint.runtime.adapters.torch.eager import Births
from nanlint.runtime.adapters.torch.generators import Generators
from nanlint.runtime.adapters.torch.layers import Samples
from nanlint.runtime.adapters.torch.modules import NAMED, path_of
from nanlint.runtime.adapters.torch.steps import names_of, parameters_of
from nanlint.runtime.events import ARRIVED, NON_FINITE
from nanlint.runtime.flight import EVER
from nanlint.runtime.frames import Line, names_in_callers, place
from nanlint.runtime.hooks import Guard
from nanlint.runtime.telling import listed

#: outputs of models in one step that are looked at
MOST = 64


@dataclass(frozen=True)
class Output:
    """What a model gave: the sum of it, on its device, and where the model was called."""

    name: str
    total: torch.Tensor
    past: deferred.Past
    line: Line | None
    call: weakref.ref[Call]

    def is_bad(self, total: float) -> bool:
        """Whether it held a nan or +inf (models mask with -inf). A sum can overflow, so what is left of it is asked."""
        if math.isfinite(total):
            return False
        value = self.past.value()
        return math.isnan(total) if value is None else bool(kinds_of(value) & {NAN, PINF})


class Sentinel(Hooked):
    """Hears of each loss that a backward pass starts from, of what models give, and of each step.

    A model is the outermost module that has parameters of an optimizer. The hook is one for all modules, as one of its
    own would be pickled and scripted with it; what is compiled does not call it, but the compiled module as a whole
    does. All numbers are read when a step is done, in one wait for a device.
    """

    def __init__(self, watch: Watch, births: Births, batches: Batches) -> None:
        super().__init__(watch)
        self._births = births
        self._batches = batches
        #: the last calls of models in the step that goes on
        self._calls: deque[Call] = deque(maxlen=KEPT)
        #: the random states as the step began, where no loader has handed out a batch since
        self._states: dict[str, Any] = {}
        self._generators = Generators()
        self._samples = Samples(watch)
        #: the largest norm of gradients so far
        self._largest = 0.0
        self._kept = False
        self._loss: torch.Tensor | None = None
        self._outputs: list[Output] = []
        self._models: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        #: modules that were called in a step after which models are looked for
        self._called: dict[int, weakref.ref[torch.nn.Module]] | None = {}
        self._steps = 0
        self._undo: tuple[Callable[[], Any], ...] = ()

    def hook(self) -> None:
        self._hooks.around(torch.Tensor, "backward", self._backward, "a loss")
        try:
            hook = modules.register_module_forward_hook(self._called_module, with_kwargs=True)
        except TypeError:  # an older PyTorch
            hook = modules.register_module_forward_hook(lambda m, args, out: self._called_module(m, args, {}, out))
        # PyTorch forgets to take away with it that it wants keywords
        kwargs = getattr(modules, "_global_forward_hooks_with_kwargs", {})
        self._undo = hook.remove, functools.partial(kwargs.pop, hook.id, None)
        self._states = self._generators.states()
        for model in NAMED:
            self.attend(model)
        self._hooks.around(modules, "_has_any_global_hook", _has_any_global_hook, "the hooks of modules")

    def attend(self, model: torch.nn.Module) -> None:
        """This is a model, from its first call on."""
        self._models[id(model)] = weakref.ref(model), "model"

    def stop(self) -> None:
        super().stop()
        for undo in self._undo:
            undo()
        self._undo, self._loss = (), None
        self._outputs.clear()
        self._calls.clear()
        self._samples.forget()

    def stepping(self, optimizer: Optimizer) -> dict[str, float]:
        """The numbers of the step that an optimizer is about to take; bad ones are told of."""
        outputs, self._outputs = self._outputs, []
        loss, self._loss = self._loss, None
        scalars = {}
        with apart():
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
            totals = zip(outputs, read[len(scalars) :], strict=True)
            broken = [output for output, total in totals if output.is_bad(total)]
            self._find_models(optimizer)
            most, self._largest = self._largest, max(numbers.get("gradient_norm", 0.0), self._largest)
            if self._largest > EVER * most > 0 and not self._samples.on:
                self._samples.timed(self._samples.surprised, self._calls)
            if self._samples.on:
                self._samples.timed(self._samples.stepping, optimizer)
        if bad or broken:
            self._tell(bad, numbers, broken, optimizer)
        self._calls.clear()
        if not self._batches.in_use:
            self._states = self._generators.states()
        rates = [group.get("lr") for group in optimizer.param_groups]
        if rates and all(isinstance(rate, float) for rate in rates):
            self._watch.measured(learning_rate=max(rates))
        return numbers

    def stepped(self, optimizer: Optimizer) -> None:
        """The step is taken: what the layers were in it is told."""
        models = [(name, model) for one, name in self._models.values() if (model := one()) is not None]
        self._samples.timed(self._samples.stepped, optimizer, models)

    def skipped(self, optimizer: Optimizer) -> None:
        """A loss scaler skipped the step: which gradients were not finite is told all the same."""
        self._samples.timed(self._samples.stepping, optimizer)
        self._samples.on = True
        self.stepped(optimizer)

    def _find_models(self, optimizer: Optimizer) -> None:
        """Which of the modules that were called are models: asked after the first steps, then after ever fewer."""
        called, self._called = self._called, None
        if called is not None:
            modules_ = [module for one in called.values() if (module := one()) is not None]
            names = names_in_callers({*map(id, modules_)}, lambda *pair: [pair], self._watch.owns_file)
            for model in outermost(modules_, {id(p) for p in parameters_of(optimizer)}):
                self._models[id(model)] = weakref.ref(model), names.get(id(model), type(model).__name__)
        self._steps += 1
        if self._steps & (self._steps + 1) == 0:
            self._called = {}

    def _backward(self, original: AnyFunction, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if tensor.numel() == 1:
            self._loss = tensor.detach()
        return original(tensor, *args, **kwargs)

    def _called_module(self, module: torch.nn.Module, args: Any, kwargs: Any, given: Any) -> None:
        if hooks.compiling():
            return
        if self._samples.on and module.training and torch.is_grad_enabled() and not torch._C._get_tracing_state():
            self._samples.timed(self._samples.gave, module, args, given)
        if self._called is not None or id(module) in self._models:
            safely(self._watch, "outputs", self._gave, module, args, kwargs, given)

    def _gave(self, module: torch.nn.Module, args: Any, kwargs: Any, given: Any) -> None:
        if self._called is not None:
            self._called[id(module)] = weakref.ref(module)
        if not module.training or torch._C._get_tracing_state() is not None:
            return
        known = self._models.get(id(module))
        if known is not None and known[0]() is module:
            self._look(Call.of(known[1], module, args, kwargs), given)
        elif self._called is not None:  # perhaps it is one
            self._calls.append(Call.of(type(module).__name__, module, args, kwargs))

    def _look(self, call: Call, given: Any) -> None:
        name = call.name
        self._calls.append(call)
        tensors = [one for _, one in tensors_in(given, name) if one.layout == torch.strided]
        if not tensors or len(self._outputs) >= MOST:
            return
        line = self._watch.user_line()
        with apart():
            for tensor in tensors:
                wide = tensor.dtype if tensor.dtype == torch.float64 else torch.float32
                past = deferred.Past.of(name, tensor)
                self._outputs.append(
                    Output(name, torch.sum(tensor.detach(), dtype=wide), past, line, weakref.ref(call))
                )

    def _tell(self, bad: list[str], numbers: dict[str, float], broken: Sequence[Output], optimizer: Optimizer) -> None:
        """Say what is not finite; the first such step is kept, and it is said where in the model it began."""
        names = self._names_of(optimizer)
        with apart():
            gradients = [
                names.get(id(p), f"parameter {i}")
                for i, p in enumerate(parameters_of(optimizer))
                if bad and p.grad is not None and suspicious(p.grad)
            ]
        said = [f"the {name.replace('_', ' ')} is {numbers[name]}" for name in sorted(bad, reverse=True)]
        said += [f"the output of {name} is not finite" for name in dict.fromkeys(one.name for one in broken)]
        details: Report = {name: str(x) for name, x in numbers.items()}
        calls = [call for call in self._calls if id(call.model()) in self._models]
        if bad and calls and not self._kept:
            self._kept = True
            call = next((call for one in broken if (call := one.call())), calls[-1])
            handed = self._batches.handed([tensor for _, tensor in tensors_in((call.args, dict(call.kwargs)), "")])
            self._keep(details, call, handed, optimizer)
            self._locate(details, calls, handed)
        said = [listed(said)]
        if "first" in details:
            said.append(f"first not finite: {details['first']}")
        if gradients:
            details["parameters"] = gradients[:MOST]
            said.append(f"not finite: the gradient of {listed(gradients, 3)}")
        if "first" in details:
            said.append(f"to find this, {calls[0].name} was called once more")
        line = next((one.line for one in broken if one.line is not None), None)
        frames = (*([place(*line)] if line is not None else []), *self._watch.frames(3))
        if bad:
            details[ARRIVED] = "step"
        self._watch.alert(NON_FINITE, "; ".join(said), frames=frames, **details)
        self._watch.at(module="", batch=None)

    def _names_of(self, optimizer: Optimizer) -> dict[int, str]:
        """The parameters' names: their paths in a model that the program named, or as its variables have them."""
        found = {id(p): path_of(name) for model in NAMED for name, p in model.named_parameters()}
        return found or names_of(optimizer)

    def _keep(self, details: Report, call: Call, handed: Handed | None, optimizer: Optimizer) -> None:
        """Write the step to a file of the run."""
        watch = self._watch
        with Guard(watch, "the bad step, to be kept"):
            path = os.path.join(watch.directory, file_of(watch.steps, watch.where.rank or 0))
            batch, states = (None, self._states) if handed is None else (handed.batch, handed.states)
            save(path, call, batch, states, optimizer, step=watch.steps, epoch=watch.where.epoch)
            details["state"] = path

    def _locate(self, details: Report, calls: Sequence[Call], handed: Handed | None) -> None:
        """Where in the models it began; the line is found on the way."""
        states = self._states if handed is None else handed.states
        if handed is not None:
            self._watch.at(batch=handed.number)
        with Guard(self._watch, "where the model broke"), self._births.judged():
            broken = next(filter(None, (where_it_broke(call, states) for call in calls)), None)
            if broken is not None:
                details |= {"first": str(broken), "rows": broken.rows[:MOST]}
                self._watch.at(module=broken.module or calls[0].name)


def _has_any_global_hook(original: AnyFunction) -> Any:
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
