"""PyTorch, eager and compiled: what its tensors hold, and the hooks that each watch installs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

import torch

from nanlint.runtime import hooks
from nanlint.runtime.adapter import Adapter, Given
from nanlint.runtime.adapters.torch import badstep, gradients, modules
from nanlint.runtime.adapters.torch.arrivals import Arrivals
from nanlint.runtime.adapters.torch.batches import Batches
from nanlint.runtime.adapters.torch.breakdown import (
    apart,
    can_be_glanced_at,
    glance_of,
    health_of,
    is_concrete,
    numbers_of,
)
from nanlint.runtime.adapters.torch.compiled import Compiled, Scripted
from nanlint.runtime.adapters.torch.deferred import Ahead, looks
from nanlint.runtime.adapters.torch.eager import Births
from nanlint.runtime.adapters.torch.generators import restore, snapshot
from nanlint.runtime.adapters.torch.plans import keys_of
from nanlint.runtime.adapters.torch.sentinel import Sentinel
from nanlint.runtime.adapters.torch.steps import Steps
from nanlint.runtime.health import Elements, Health


class TorchAdapter(Adapter):
    """PyTorch's adapter."""

    name: ClassVar[str] = "torch"
    holders: ClassVar[tuple[type, ...]] = (torch.nn.Module, torch.optim.Optimizer)

    def __init__(self, watch: Any) -> None:
        super().__init__(watch)
        self._goes = lambda one: hooks.safely(watch, "what a model keeps", watch.kept, one)
        self._births = Births(watch)
        self._batches = Batches(watch)
        self._sentinel = Sentinel(watch, self._births, self._batches)
        self._steps = Steps(watch, self._births, self._sentinel)
        self._compiled = Compiled(watch, self._births)
        self._scripted = Scripted(watch)
        self._arrivals = Arrivals(watch, self._batches.latest, self._births.far)
        self._hooks = hooks.Hooks(watch)
        self._steps.tell(self._arrivals.stepped, self._arrivals.skipped)

    def start(self) -> None:
        if self.watch.mode == "all":
            self._births.start()
        if self.watch.mode == "sentinel":
            self._sentinel.start()
        self._compiled.start()
        self._scripted.start()
        hooks.compiling = torch.compiler.is_compiling
        self._batches.start()
        self._steps.start()
        self._arrivals.start()
        if not self._hooks:
            for kind in self.holders:
                self._hooks.put(kind, "__del__", self._goes)

    def stop(self) -> None:
        self._hooks.take_away()
        self._arrivals.stop()
        for owner in self._arrivals.trained():  # of which it has told, where they broke in a step
            hooks.safely(self.watch, "what a model keeps", self.watch.kept, owner, True)
        self._steps.stop()
        self._batches.stop()
        self._sentinel.stop()
        self._scripted.stop()
        self._compiled.stop()
        if hooks.compiling is torch.compiler.is_compiling:
            hooks.compiling = hooks.never
        self._births.stop()

    def where(self) -> Given:
        worker, rank = torch.utils.data.get_worker_info(), modules.rank()
        found = modules.running() | ({} if worker is None else {"worker": worker.id})
        return found if rank is None else found | {"rank": rank}

    def attend(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer | None) -> None:
        """The program trains this: where a step is repeated that was kept, they are as they were before it."""
        modules.NAMED.add(model)
        self._sentinel.attend(model)
        if self.watch.repeats:
            with apart():
                step = badstep.put_back(self.watch.kept_step(), model, optimizer, self._batches)
            if step is not None:
                self.watch.resume(step)

    def settle(self) -> None:
        self._births.flush()
        self._arrivals.read()

    def owns(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def concrete(self, value: Any) -> bool:
        return is_concrete(value)

    def health(self, value: Any) -> Health:
        return health_of(value)

    def glance(self, value: Any) -> tuple[float, float] | None:
        return glance_of(value)

    def ahead(self, value: Any) -> Ahead | None:
        if value.device.type not in self._births.far or not can_be_glanced_at(value):
            return None
        with apart():
            return Ahead.of(value)

    def read(self, begun: Sequence[Ahead]) -> Sequence[Health | tuple[float, float]]:
        with apart():
            return looks(begun)

    def numbers(self, value: Any, limit: int) -> Elements:
        return numbers_of(value, limit)

    def keys(self, value: Any) -> Sequence[Hashable]:
        return keys_of(value)

    def follow(self) -> None:
        self._births.start()

    def on_gradient(self, operands: Given, result: Any, heard: Callable[[str, Any], None]) -> None:
        if isinstance(result, torch.Tensor) and not torch.compiler.is_compiling():
            gradients.hear(
                self.watch, {n: x for n, x in operands.items() if isinstance(x, torch.Tensor)}, result, heard
            )

    def snapshot(self) -> bytes:
        return snapshot()

    def restore(self, state: bytes) -> None:
        restore(state)
