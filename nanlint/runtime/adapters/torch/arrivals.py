"""What comes back from a backward pass, in every watch: the loss that it began with, and the gradients that it gave.

One number is read of the loss each time, and one of all gradients together; of a long run of each so-manieth pass. On a
device that is not waited for they are read at a later pass, or at the end. A parameter that goes bad makes the next
loss bad; how they ended is looked at when the watch ends.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import autograd
from torch.optim import Optimizer
from torch.utils.weak import WeakIdKeyDictionary

from nanlint.runtime.adapter import AnyFunction, Hooked, Values, Watch, around, is_due, safely
from nanlint.runtime.adapters.torch.breakdown import NAN, any_suspicious, apart, is_concrete, kinds_of, parts_of
from nanlint.runtime.adapters.torch.deferred import Left
from nanlint.runtime.adapters.torch.modules import NAMED
from nanlint.runtime.adapters.torch.plans import keys_of
from nanlint.runtime.adapters.torch.steps import parameters_of
from nanlint.runtime.adapters.torch.words import held
from nanlint.runtime.events import Frames, Stack
from nanlint.runtime.frames import names_in_callers
from nanlint.runtime.health import Health, Kinds, health_of_numbers

#: as a failure is told
PASS, DERIVED = "a backward pass", "a derivative"
#: nodes of a graph that are looked at for the leaves; one pass of a larger graph takes long enough
MOST = 100_000
#: functions that give derivatives of a function, whose results are looked at
DERIVATIVES = ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "vjp", "jvp")


#: passes whose numbers may wait on devices
MANY = 64


@dataclass(frozen=True)
class Unread:
    """What a pass has left: first the numbers of its data, then of its losses, then of the gradients of sources."""

    left: Left
    data: int
    losses: int
    sources: Sequence[Callable[[], Any]]
    asked: str
    frames: Stack


class Arrivals(Hooked):
    """Wraps the start of every backward pass, and the functions of ``torch.func`` that give derivatives.

    ``latest``: the tensors that the program was last given as data.
    """

    def __init__(self, watch: Watch, latest: Callable[[], Iterable[torch.Tensor]], far: Kinds = frozenset()) -> None:
        super().__init__(watch)
        self._latest = latest
        self._far = far
        self._passes = 0
        self._depth = 0
        #: the losses that a scaler has multiplied, by what it made of them
        self._unscaled = WeakIdKeyDictionary()
        self._left: deque[Unread] = deque()
        #: whether a derivative was taken where tensors stand for others
        self._nested = False
        #: whether what the last loss was made of was bad
        self._given = False
        self._stepped: weakref.WeakKeyDictionary[Optimizer, Frames] = weakref.WeakKeyDictionary()

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def hook(self) -> None:
        self._hooks.around(autograd, "_engine_run_backward", self._pass, PASS)
        for name in DERIVATIVES:
            self._wrap(torch.func, name)
        for owner in (torch, torch.func):
            self._wrap(owner, "vmap")
        self._hooks.around(torch.amp.GradScaler, "scale", self._scaling, "a loss scaler")

    def stop(self) -> None:
        if self._hooks:
            safely(self._watch, PASS, self.read)
            if self._watch.mode != "sentinel":
                safely(self._watch, "parameters", self._parameters)
        super().stop()

    def _is_elsewhere(self) -> bool:
        """Whether tensors stand for others now, or a pass runs inside of another."""
        return (
            not self._hooks
            or self._depth > 0
            or torch.compiler.is_compiling()
            or torch._C._functorch.peek_interpreter_stack() is not None
        )

    def _pass(self, run: AnyFunction, roots: Any, *args: Any, **kwargs: Any) -> Any:
        if self._is_elsewhere() or (self._stepped and self._watch.mode == "sentinel"):  # it is looked at in steps
            return run(roots, *args, **kwargs)
        keeps = bool(kwargs.get("accumulate_grad"))
        asked = "backward()" if keeps else "autograd.grad()"
        inputs = args[3] if len(args) > 3 else ()
        due = is_due(self._passes)
        self._passes += 1
        far = any(getattr(one, "device", None) is not None and one.device.type in self._far for one in roots)
        leaves: list[torch.Tensor] = []
        if far:
            safely(self._watch, PASS, self.read, False)
        else:
            safely(self._watch, "a loss", self._losses, roots, asked)
        if due and keeps:
            safely(self._watch, PASS, self._find, leaves, roots, inputs)
        self._depth += 1
        try:
            given = run(roots, *args, **kwargs)
        finally:
            self._depth -= 1
        if due and far:
            safely(self._watch, "gradients", self._leave, roots, inputs if given else leaves, given, asked)
        elif due:
            safely(self._watch, "gradients", self._gradients, inputs if given else leaves, given, asked)
        return given

    def _scaling(self, scale: AnyFunction, scaler: Any, outputs: Any) -> Any:
        scaled = scale(scaler, outputs)
        if scaler.is_enabled():
            self._watch.scaler()
            self._watch.fates.passed("the scaled loss", keys_of(scaled), (), lambda: self._watch.frames(2))
            pairs = zip(scaled, outputs, strict=True) if isinstance(outputs, (list, tuple)) else ((scaled, outputs),)
            for one, loss in pairs:
                if isinstance(one, torch.Tensor):
                    self._unscaled[one] = loss.detach()
        return scaled

    # ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def stepped(self, optimizer: Optimizer) -> None:
        """An optimizer has taken a step: its parameters are of the program's own making."""
        if len(self._unscaled):  # the scaler has waited for the device itself
            self.read()
        if optimizer not in self._stepped:
            self._stepped[optimizer] = self._watch.frames(2)

    def trained(self) -> Iterator[object]:
        """The optimizers that took a step, and the modules of models that the program named and they train."""
        ids = {id(p) for optimizer in self._stepped for p in parameters_of(optimizer)}
        yield from list(self._stepped)
        for model in list(NAMED):
            yield from model.modules() if any(id(p) in ids for p in model.parameters()) else ()

    def skipped(self) -> None:
        """A scaler has skipped a step: what came back in it is none of the program's."""
        self._left.clear()

    # ── on a device ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _leave(self, roots: Values, sources: Values, given: Any, asked: str) -> None:
        """Leave numbers on the devices of which one is not finite where something of a pass is not."""
        if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
            return
        with apart():
            tensors = _tensors(self._unscaled.get(one, one) for one in roots if isinstance(one, torch.Tensor))
            losses = [_number_of(one) for one in list(tensors)[:1]]
            data = [torch.sum(one, dtype=torch.float32) for one in _tensors(self._latest()) if not one.is_complex()]
            pairs = zip(sources, given, strict=False) if given else ((one, one.grad) for one in sources)
            known = [(source, one) for source, whole in pairs for one in _tensors([whole]) if _is_plain(one)]
            norms = torch._foreach_norm([one for _, one in known], 1, dtype=torch.float32) if known else []
            left = Left([*data, *losses, *norms])
        names = [weakref.ref(source) for source, _ in known]
        self._left.append(Unread(left, len(data), len(losses), names, asked, self._watch.frames(2)))

    def read(self, wait: bool = True) -> None:
        """Tell of what was left, as far as it has come; of all if it is waited for."""
        while self._left and (wait or len(self._left) > MANY or self._left[0].left.there):
            one = self._left.popleft()
            numbers = one.left.numbers()
            bad = [not math.isfinite(x) for x in numbers]
            given = any(bad[: one.data])
            first = one.data + one.losses
            found = [("loss", "the loss", numbers[one.data])] if any(bad[one.data : first]) else []
            gradients = [i for i in range(first, len(numbers)) if bad[i]]
            if gradients:
                more = f" (the first of {len(gradients):,})" if len(gradients) > 1 else ""
                source = one.sources[gradients[0] - first]()
                name = "a tensor" if source is None else _name_of(source, self._watch)
                found.append(("gradient", f"the gradient of {name}{more}", abs(numbers[gradients[0]])))
            for what, name, number in found:
                signed = what == "loss" or math.isnan(number)  # of what was added up regardless of signs
                health = health_of_numbers([number]) if signed else Health()
                self._watch.arrived(what, name, health, asked=one.asked, frames=one.frames, given=given)

    # ── looks ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _losses(self, roots: Values, asked: str) -> None:
        """The loss is one number that must be finite; arrays may hold an inf, as masks do, but no nan."""
        self._given = False
        with apart():
            tensors = list(_tensors(self._unscaled.get(one, one) for one in roots if isinstance(one, torch.Tensor)))
            if not any_suspicious(tensors):
                return
            for root in tensors:
                kinds = kinds_of(root)
                if kinds if root.numel() == 1 else kinds & {NAN}:
                    name = "the loss" if root.numel() == 1 else "the differentiated value"
                    self._given = self._is_given(roots, kinds)
                    self._tell("loss", name, root, asked)
                    return

    def _is_given(self, roots: Values, kinds: Kinds) -> bool:
        """Whether it was bad already in what the loss is made of: data, or parameters that no step has changed."""
        self._watch.came_in(kind for one in _tensors(self._latest()) for kind in kinds_of(one))
        trained = {id(p) for optimizer in list(self._stepped) for p in parameters_of(optimizer)}
        leaves, nodes = _leaves(roots)
        data = [tensor for node in nodes for tensor in _saved(node)]
        known = [leaf for leaf in leaves if id(leaf) not in trained]
        found = [kinds_of(one) for one in _tensors([*known, *data, *self._latest()])]
        return any(NAN in one or kinds <= one for one in found)

    def _find(self, leaves: list[torch.Tensor], roots: Values, inputs: Values) -> None:
        leaves += _tensors(inputs) if inputs else _leaves(roots)[0]

    def _gradients(self, sources: Values, given: Any, asked: str) -> None:
        with apart():
            pairs = list(zip(sources, given, strict=False)) if given else [(one, one.grad) for one in sources]
            pairs = [(source, one) for source, whole in pairs for one in _tensors([whole])]
            if not pairs or not any_suspicious([one for _, one in pairs]):
                return
            bad = [(source, one) for source, one in pairs if kinds_of(one)]
            if not bad:
                return
            source, gradient = next((pair for pair in bad if not _is_bad(pair[0])), bad[0])
            self._given = self._given or _is_bad(source)
        more = f" (the first of {len(bad):,})" if len(bad) > 1 else ""
        self._tell("gradient", f"the gradient of {_name_of(source, self._watch)}{more}", gradient, asked)

    def _parameters(self) -> None:
        """How the parameters of optimizers ended that took a step."""
        for optimizer, frames in list(self._stepped.items()):
            with apart():
                trained = [one for p in parameters_of(optimizer) if p.grad is not None for one in _tensors([p])]
                bad = [one for one in trained if kinds_of(one)] if any_suspicious(trained) else []
            if bad:
                asked = f"{type(optimizer).__name__}.step()"
                many = f"one of {len(bad):,} parameters" if len(bad) > 1 else "a parameter"
                name = _name_of(bad[0], self._watch, many)
                self._watch.arrived("parameter", name, bad[0], asked=asked, frames=frames)

    def _tell(self, what: str, name: str, tensor: torch.Tensor, asked: str) -> None:
        self._watch.arrived(what, name, tensor.detach(), asked=asked, frames=self._watch.frames(2), given=self._given)

    # ── torch.func ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _wrap(self, owner: Any, name: str) -> None:
        direct, mapped = name in ("vjp", "jvp"), name == "vmap"

        def derived(function: Any, *inputs: Any, **options: Any) -> Any:
            nested, self._nested = self._nested, False
            found = function(*inputs, **options)
            if self._nested or not mapped:
                self._came_back(found, name)
            self._nested = self._nested or nested
            return found

        def wrapped(original: Any, *args: Any, **kwargs: Any) -> Any:
            made = original(*args, **kwargs)
            if direct:
                self._came_back(made, name)
                return made
            return around(self._watch, DERIVED, made, derived)

        self._hooks.around(owner, name, wrapped, DERIVED)

    def _came_back(self, found: Any, name: str) -> None:
        if torch._C._functorch.peek_interpreter_stack() is not None:
            self._nested = True
        elif not self._is_elsewhere():
            self._nested = False
            safely(self._watch, DERIVED, self._results, found, f"torch.func.{name}()")

    def _results(self, found: Any, asked: str) -> None:
        with apart():
            tensors = list(_tensors(torch.utils._pytree.tree_leaves(found)))
            bad = [one for one in tensors if kinds_of(one)] if any_suspicious(tensors) else []
        if bad:
            self._given = False
            self._tell("gradient", "the derivative", bad[0], asked)


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """Those that have numbers here."""
    for one in values:
        if isinstance(one, torch.Tensor):
            for part in parts_of(one):
                if (part.is_floating_point() or part.is_complex()) and is_concrete(part):
                    yield part


def _is_plain(tensor: torch.Tensor) -> bool:
    return tensor.layout == torch.strided and not tensor.is_complex() and not tensor._is_zerotensor()


def _number_of(loss: torch.Tensor) -> torch.Tensor:
    """A number that is finite if a loss is; of an array, which may hold an inf, if it holds no nan."""
    if loss.numel() == 1:
        return loss.real if loss.is_complex() else loss
    return torch.where(torch.isnan(loss).any(), math.nan, 0.0)


def _is_bad(source: Any) -> bool:
    return any(kinds_of(one) for one in _tensors([source]))


def _leaves(roots: Iterable[Any]) -> tuple[list[torch.Tensor], list[Any]]:
    """The leaves of the graph behind some tensors, and its nodes."""
    nodes: dict[Any, None] = {}
    leaves = [one for one in roots if isinstance(one, torch.Tensor) and one.grad_fn is None]
    todo = [node for one in roots if (node := getattr(one, "grad_fn", getattr(one, "node", None))) is not None]
    while todo and len(nodes) < MOST:
        node = todo.pop()
        if node in nodes:
            continue
        nodes[node] = None
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves.append(variable)
        todo.extend(following for following, _ in node.next_functions if following is not None)
    return leaves, list(nodes)


def _saved(node: Any) -> Iterator[Any]:
    """What a node keeps that no other has computed: the data that its op was given, not what it has written."""
    for name in dir(node):
        if name.startswith("_saved_") and not name.startswith(("_saved_result", "_saved_running")):
            try:
                kept = getattr(node, name)
            except RuntimeError:  # it was freed
                continue
            if isinstance(kept, torch.Tensor) and kept.grad_fn is None and not kept.requires_grad:
                yield kept


def _name_of(source: Any, watch: Watch, otherwise: str = "a tensor") -> str:
    """What the program calls a tensor; ``otherwise`` if it has no name."""
    return names_in_callers({id(source)}, held, watch.owns_file).get(id(source), otherwise)
