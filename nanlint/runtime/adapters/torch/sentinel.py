"""The watch of long runs: the gradient's norm and the loss of each step, and nothing else; PyTorch's random state."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import msgspec
import torch
from torch.optim import Optimizer

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.torch.breakdown import is_concrete, suspicious
from nanlint.runtime.adapters.torch.steps import names_of, parameters_of


class Sentinel:
    """Hears of each loss that a backward pass starts from, and of each step."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._loss: torch.Tensor | None = None
        self._undo: Callable[[], None] | None = None

    def start(self) -> None:
        if self._undo is not None:
            return
        original = torch.Tensor.backward

        @functools.wraps(original)
        def backward(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if not torch.compiler.is_compiling() and tensor.numel() == 1:
                self._loss = tensor.detach()
            return original(tensor, *args, **kwargs)

        torch.Tensor.backward = backward
        self._undo = functools.partial(setattr, torch.Tensor, "backward", original)

    def stop(self) -> None:
        if self._undo is not None:
            self._undo()
            self._undo = self._loss = None

    def stepped(self, optimizer: Optimizer) -> dict[str, float]:
        """The numbers of the step that an optimizer has just taken; bad ones are told of."""
        norm = gradient_norm(optimizer)
        numbers = {} if norm is None else {"gradient_norm": norm}
        loss, self._loss = self._loss, None
        if loss is not None and is_concrete(loss) and not loss.is_complex():
            numbers["loss"] = float(loss)
        bad = [name for name, x in numbers.items() if not math.isfinite(x)]
        if bad:
            self._tell(bad, numbers, optimizer)
        return numbers

    def _tell(self, bad: list[str], numbers: dict[str, float], optimizer: Optimizer) -> None:
        names = names_of(optimizer)
        broken = [
            names.get(id(p), f"parameter {i}")
            for i, p in enumerate(parameters_of(optimizer))
            if p.grad is not None and suspicious(p.grad)
        ]
        what = " and ".join(f"the {name.replace('_', ' ')} is {numbers[name]}" for name in sorted(bad, reverse=True))
        where = f"; in the gradients of {', '.join(broken[:3])}" if broken else ""
        more = f" and {len(broken) - 3:,} more" if len(broken) > 3 else ""
        told = {name: str(x) for name, x in numbers.items()}
        self._watch.alert("non-finite", f"{what}{where}{more}", frames=self._watch.frames(3), **told)


def gradient_norm(optimizer: Optimizer) -> float | None:
    """The norm of all gradients together; None where there is none."""
    gradients = [p.grad for p in parameters_of(optimizer) if p.grad is not None]
    dense = [g for g in gradients if g.layout == torch.strided and is_concrete(g)]
    if not dense:
        return None
    norms = torch._foreach_norm(dense)
    if len({norm.device for norm in norms}) > 1:
        norms = [norm.cpu() for norm in norms]
    norm = float(torch.linalg.vector_norm(torch.stack([norm.float() for norm in norms])))
    if math.isinf(norm) and not any(map(suspicious, dense)):  # it is the squares that are too big
        norm = float(torch.linalg.vector_norm(torch.stack([g.double().norm() for g in dense])))
    return norm


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
