"""The first bad step of a training: where the model broke, and what it takes to repeat the step, in one file."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim import Optimizer

from nanlint.runtime.adapters.torch.batches import Batches, tensors_in
from nanlint.runtime.adapters.torch.breakdown import NAN, PINF, apart, kinds_of, suspicious
from nanlint.runtime.adapters.torch.generators import Generators, restore_random_states
from nanlint.runtime.adapters.torch.modules import path_in_named, path_of, rank

#: rows of a batch that are named
SHOWN = 8
#: as it is before a watch hears of it: what is kept of a step is nothing that the program saves
_SAVE = torch.save


@dataclass(frozen=True)
class Call:
    """A call of a model in the step that goes on; it keeps what the model was given until the step is over."""

    name: str
    model: weakref.ref[torch.nn.Module]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    autocast: tuple[str, torch.dtype] | None

    @staticmethod
    def of(name: str, model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        device = next((tensor.device.type for _, tensor in tensors_in((args, kwargs), "")), "cpu")
        mixed = torch.is_autocast_enabled(device)
        autocast = (device, torch.get_autocast_dtype(device)) if mixed else None
        return Call(name, weakref.ref(model), args, kwargs, autocast)


@dataclass
class Broken:
    """Where a model first gave what is not finite: the path of the module, and the rows of the batch that have it."""

    module: str
    what: str
    rows: list[int] = field(default_factory=list)
    of: int = 0

    def __str__(self) -> str:
        listed = ", ".join(map(str, self.rows[:SHOWN])) + (", …" if len(self.rows) > SHOWN else "")
        if not self.rows:
            return self.what
        if len(self.rows) == self.of:
            return f"{self.what}, in all rows of the batch"
        return f"{self.what}, in row{'s' if len(self.rows) > 1 else ''} {listed} of {self.of}"


def file_of(step: int, rank: int) -> str:
    """What the file of a step is called in the directory of a run."""
    return f"step-{step}{f'-rank-{rank}' if rank else ''}.pt"


def save(path: str, call: Call, batch: Any, states: Mapping[str, Any], optimizer: Optimizer, **where: Any) -> None:
    """Write the step to a file for ``torch.load``: weights as they were before it, inputs, and random states.

    Raises OSError, and what pickling raises.
    """
    model = call.model()
    held = [] if model is None else [*model.named_parameters(), *model.named_buffers()]
    step = {
        **where,
        "model": {name: tensor.detach() for name, tensor in held},
        "optimizer": optimizer.state_dict(),
        "batch": batch,
        "args": call.args,
        "kwargs": dict(call.kwargs),
        "random": states,
    }
    half = f"{path}.{os.getpid()}"
    try:
        _SAVE(step, half)
        os.replace(half, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(half)
        raise


def put_back(path: str, model: torch.nn.Module, optimizer: Optimizer | None, batches: Batches) -> int | None:
    """Let the step that comes be the one in a file: weights, the batch and random states, what the model is given.

    Gives its number; None where there is no such file, or its weights were bad already, so that the step before is what
    is to be repeated.
    """
    if not os.path.exists(path):
        return None
    step: dict[str, Any] = torch.load(path, weights_only=False)
    kept = step["model"]
    if any(_is_bad(kept[name]) for name, _ in model.named_parameters() if name in kept):
        return None
    # buffers are as the step has left them
    model.load_state_dict({name: one for name, one in kept.items() if not _is_bad(one)}, strict=False)
    if optimizer is not None:
        optimizer.load_state_dict(step["optimizer"])

    def batch() -> Any:
        restore_random_states(step["random"])
        return step["batch"]

    def given(module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        if not module.training:
            return None
        hook.remove()
        return step["args"], step["kwargs"]

    restore_random_states(step["random"])
    if step["batch"] is not None:
        batches.hand_out(batch)
    hook = model.register_forward_pre_hook(given, with_kwargs=True)
    return int(step["step"])


def where_it_broke(call: Call, states: Mapping[str, Any]) -> Broken | None:
    """Which module gave something that is not finite, though nothing that it was given was: the model runs once more.

    On the weights, inputs and random states of its step; what it changes in itself is put back. Not where other
    processes would have to run with it.
    """
    model = call.model()
    if model is None or rank() is not None:
        return None
    for name, parameter in model.named_parameters():
        if _is_bad(parameter):
            path = path_of(".".join(filter(None, (path_in_named(model), name))))
            return Broken(path.rpartition(".")[0], f"{path}, before this step already")
    found: list[Broken] = []
    #: what modules were given that has only -inf, as masks do: it is bad if the module makes more of it
    masked: dict[torch.nn.Module, Broken] = {}

    def look(module: torch.nn.Module, path: str, what: str, value: Any, given: bool = False) -> None:
        if found:
            return
        with apart():
            for tensor in [tensor for _, tensor in tensors_in(value, "") if suspicious(tensor)]:
                kinds = kinds_of(tensor)
                if kinds & {NAN, PINF}:
                    found.append(masked.get(module) or Broken(path, what, *_rows(tensor, call)))
                elif kinds and given:
                    masked[module] = Broken(path, what, *_rows(tensor, call))

    hooks: list[Any] = []
    within = path_in_named(model)
    for name, module in model.named_modules():
        path, kind = path_of(".".join(filter(None, (within, name)))), type(module).__name__
        outer = path.rpartition(".")[0]
        before = f"in {outer or call.name}, before {path}" if name else f"the input of {path or call.name}"
        gave = f"the output of {path or call.name} ({kind})"
        hooks.append(
            module.register_forward_pre_hook(
                lambda one, args, kwargs, at=outer, what=before: look(one, at, what, (args, kwargs), True),
                with_kwargs=True,
            )
        )
        hooks.append(module.register_forward_hook(lambda one, _, out, at=path, what=gave: look(one, at, what, out)))
    try:
        with _without_trace(model, states), torch.no_grad(), _autocast(call), _eager():
            model(*call.args, **call.kwargs)
    finally:
        for hook in hooks:
            hook.remove()
    return found[0] if found else None


def _is_bad(tensor: torch.Tensor) -> bool:
    """Whether it has a nan or +inf: models mask with -inf."""
    return suspicious(tensor) and bool(kinds_of(tensor) & {NAN, PINF})


def _rows(bad: torch.Tensor, call: Call) -> tuple[list[int], int]:
    """The rows of the batch in which a tensor is not finite, and how many there are; none if it has no such rows."""
    of = next((len(tensor) for _, tensor in tensors_in((call.args, dict(call.kwargs)), "") if tensor.dim()), 0)
    if not bad.dim() or len(bad) != of or bad.layout != torch.strided:
        return [], 0
    unfit = ~torch.isfinite(bad)
    return unfit.reshape(of, -1).any(1).nonzero().flatten().tolist(), of


@contextlib.contextmanager
def _without_trace(model: torch.nn.Module, states: Mapping[str, Any]) -> Iterator[None]:
    """Random numbers as in the step; then these, and what the modules keep of a call, are as they were."""
    modules = [(module, dict(vars(module)), dict(module._buffers)) for module in model.modules()]
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    now = Generators().states()
    restore_random_states(states)
    try:
        yield
    finally:
        restore_random_states(now)
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
        for module, attributes, own in modules:
            _reset(vars(module), attributes)
            _reset(module._buffers, own)


def _reset(held: dict[str, Any], before: Mapping[str, Any]) -> None:
    """What is in a dictionary is as before; what has not changed is not written, as compiled code looks for that."""
    for name in held.keys() - before.keys():
        del held[name]
    for name, value in before.items():
        if name not in held or held[name] is not value:
            held[name] = value


def _autocast(call: Call) -> contextlib.AbstractContextManager[Any]:
    if call.autocast is None:
        return contextlib.nullcontext()
    mixed: contextlib.AbstractContextManager[Any] = torch.autocast(call.autocast[0], dtype=call.autocast[1])
    return mixed


def _eager() -> contextlib.AbstractContextManager[Any]:
    """What is compiled runs op by op, if this PyTorch can do that."""
    stance = getattr(torch.compiler, "set_stance", None)
    eager: contextlib.AbstractContextManager[Any] = (
        contextlib.nullcontext() if stance is None else stance("force_eager")
    )
    return eager
