"""Births in eager code, forward and backward: a dispatch mode that looks once at what each op gives.

Where a backward op comes from is told by autograd's sequence numbers: in the forward pass the next one is the number of
the node that is made next, so the line of the user's that was running when it moved is where that node belongs to.
"""

from __future__ import annotations

import functools
import math
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from nanlint.runtime.adapter import AnyFunction, Given, Report, Tensor, Values, Watch, safely
from nanlint.runtime.adapters.torch import deferred, words
from nanlint.runtime.adapters.torch.breakdown import (
    NAN,
    NINF,
    NONE,
    PINF,
    Named,
    apart,
    health_of,
    is_concrete,
    kinds_of,
    nan_in_data,
    suspicious,
)
from nanlint.runtime.adapters.torch.lines import Lines, inside
from nanlint.runtime.adapters.torch.plans import Plan, inputs_of, keys_of, outputs_of, plain, plan_of
from nanlint.runtime.fates import DECISION, TEST
from nanlint.runtime.frames import names_in_callers, place
from nanlint.runtime.health import Kinds
from nanlint.runtime.hooks import Guard, Hooks

#: what reads the numbers of a tensor as a whole, past every mode
READERS = ((torch._tensor_str, "_str"), (torch.Tensor, "numpy"), (torch.Tensor, "tolist"))
#: ops before a birth, one behind the other, that are told with it
GRAPH = 4
_SUM = torch.sum
_FLOAT32 = torch.float32
_TENSOR, _PARAMETER = torch.Tensor, torch.nn.Parameter
_number: Callable[[], int] = torch.autograd._get_sequence_nr
_node: Callable[[], Any] = torch._C._current_autograd_node
_is_apart: Callable[[str], bool] = torch._C._dispatch_tls_is_dispatch_key_excluded


class Births:
    """Installs a mode in every thread, and takes it away."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        #: those of threads that live: the thread itself holds its own
        self._modes: weakref.WeakSet[BirthMode] = weakref.WeakSet()
        self._previous: Any = None
        self._running = False
        self._hooks = Hooks(watch)
        #: whether something bad has come out of an op: what comes by later is no surprise
        self.fed = False
        #: whether this step's ops are written to the timeline: of ever fewer steps, as they are alike
        self.tracing = True
        #: types of devices whose numbers are read once a step, as waiting for each op would stop them
        self.far = frozenset({"cuda"} if torch.version.cuda or torch.version.hip else ()) if not watch.prompt else NONE

    def start(self) -> None:
        if self._running:
            return
        self._running = True
        #: whether each op is judged: else, what was born is only followed
        self.judging = self._watch.mode == "all"
        for owner, name in READERS:
            self._hooks.around(owner, name, self._read, "what is read")
        self._hooks.around(torch.Tensor, "__reduce_ex__", self._saved, "what is saved")
        self._enter()
        self._previous = getattr(threading, "_profile_hook", None)
        threading.setprofile(functools.partial(safely, self._watch, "a new thread", self._in_thread))

    def stop(self) -> None:
        if not self._running:
            return
        self._running = False
        self._hooks.take_away()
        threading.setprofile(self._previous)
        for mode in list(self._modes):
            safely(self._watch, "PyTorch's ops", mode.flush)
            mode.off = True
            leave(mode)
        self._modes.clear()

    @contextmanager
    def judged(self) -> Iterator[None]:
        """Find origins within, whatever is watched."""
        self.start()
        judging, self.judging = self.judging, True
        try:
            yield
        finally:
            self.flush()
            self.judging = judging
            if not (judging or self._watch.fates.following):
                self.stop()

    def flush(self) -> None:
        """Tell what was kept for the end of a formula, or waits on a device."""
        for mode in list(self._modes):
            mode.flush()

    def pause(self) -> BirthMode | None:
        """Look at nothing in this thread until the mode that was put out (if there was one) goes on: ``resume``."""
        depth = torch._C._len_torch_dispatch_stack()
        for i in reversed(range(depth)):
            mode = torch._C._get_dispatch_stack_at(i)
            if isinstance(mode, BirthMode) and not mode.off:
                mode.off = True
                if i == depth - 1:  # else it stays where it is, below one that will take itself away
                    torch._C._pop_torch_dispatch_stack(None)
                    mode.away = True
                return mode
        return None

    def _read(self, original: AnyFunction, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """The program prints a tensor, or hands it to NumPy."""
        if self._watch.fates.following and not _is_apart("Python"):
            with apart():
                self._watch.fates.arrive(key for one in plain(tensor) if suspicious(one) for key in keys_of(one))
        return original(tensor, *args, **kwargs)

    def _saved(self, original: AnyFunction, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """The program stores a tensor; -inf in it may be a mask, as models hold them, unless it is a parameter."""
        if self._watch.fates.following:
            with apart():
                is_mask = not isinstance(tensor, _PARAMETER) and kinds_of(tensor) <= {NINF}
            if not is_mask:
                return self._read(original, tensor, *args, **kwargs)
        return original(tensor, *args, **kwargs)

    def _enter(self) -> None:
        mode = BirthMode(self._watch, self)
        self._modes.add(mode)
        torch._C._push_on_torch_dispatch_stack(mode)

    def _in_thread(self, frame: FrameType, event: str, argument: Any) -> None:
        """First thing that a new thread does: a profile function has no other work here, so it goes at once."""
        sys.setprofile(self._previous)
        if self._running:
            self._enter()


def leave(mode: TorchDispatchMode) -> None:
    """Take a mode off this thread's stack, wherever in it."""
    above = []
    while torch._C._len_torch_dispatch_stack() > 0:
        top = torch._C._pop_torch_dispatch_stack(None)
        if top is mode:
            break
        above.append(top)
    for one in reversed(above):
        torch._C._push_on_torch_dispatch_stack(one)


class BirthMode(TorchDispatchMode):  # type: ignore[misc]
    """The mode of one thread.

    It goes on the stack without the context manager, so that what asks "is a mode active" (torch.compile, which would
    turn itself off) does not see it.
    """

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return True

    def __init__(self, watch: Watch, births: Births) -> None:
        super().__init__()
        self.off = False
        self.away = False
        self._births = births
        self._watch = watch
        self._guard = Guard(watch, "PyTorch's ops")
        self._plans: dict[int, Plan] = {}
        self._lines = Lines(watch)
        self._unmoded = Unmoded(watch, births.pause)
        self._last = -1
        self._pending: Pending | None = None
        #: the backward op whose formula runs, and the kinds that its ops were given so far
        self._came_in: tuple[tuple[int, str], Kinds] = (-1, ""), NONE
        self._flags: list[deferred.Flag] = []
        self._filtering = watch.filtering

    def resume(self) -> None:
        """Go on, on this thread."""
        self.off = False
        if self.away:
            self.away = False
            torch._C._push_on_torch_dispatch_stack(self)

    def __torch_dispatch__(self, func: Any, types: Any, args: Values = (), kwargs: Given | None = None) -> Any:
        plan, before, far = None, NONE, False
        with self._guard:
            plan = self._plans.get(id(func))  # its own hash is Python code
            if plan is None:
                plan = self._plans[id(func)] = plan_of(func)
            if self._pending is not None and (inside(self._watch.user_line()) or self._pending.follows(_node(), args)):
                self._tell_pending()  # also where a hook of the user's runs now
            if self._unmoded:
                self._unmoded.hook()
            if not (plan.view or self.off):
                number = _number()
                if number != self._last:
                    self._last = number
                    self._lines.remember(number - 1)
                far = bool(self._births.far) and self._is_far(args)
                before = self._before(plan, args) if plan.written and not far else NONE
        call = func if plan is None else plan.call
        result = call(*args, **kwargs) if kwargs else call(*args)
        with self._guard:
            if plan is None or plan.view or self.off:
                if self._pending is not None:
                    self._pending.gave(result)
            elif far:
                self._queue(plan, args, kwargs or {}, result)
            else:
                if self._births.judging:
                    self._executed(plan, args, kwargs, result, before)
                if plan.asking:
                    self._unmoded.made(result)
                if self._watch.fates.following:
                    self._follow(plan, args, kwargs, result)
        return result

    def _executed(self, plan: Plan, args: Values, kwargs: Given | None, result: Any, before: Kinds) -> None:
        """An op has been executed here."""
        if self._births.tracing and plan.looks:
            self._trace(plan)
        if self._filtering:
            self._filter(plan, args, result)
        if self._pending is not None:
            self._pending.gave(result)
        if plan.looks:
            kind = result.__class__
            if kind is _TENSOR or kind is _PARAMETER:
                bad = suspicious(result)
            else:
                bad = any(map(suspicious, outputs_of(plan, args, result)))
            if bad:
                self._judge(plan, args, kwargs, result, before)
        elif plan.clips and plan.clips.pop():
            self._clipped(plan, args, result)
        elif plan.cast or (plan.hides and any(map(suspicious, plain(args)))):
            self._judge(plan, args, kwargs, result, before)

    def looked(self, plan: Plan, args: Values, result: Any) -> None:
        """Look at what came out of a formula that ran without this mode."""
        if self._births.judging and any(map(suspicious, plain(result))):
            self._judge(plan, args, None, result, NONE)

    def _follow(self, plan: Plan, args: Values, kwargs: Given | None, result: Any) -> None:
        """Tell the fates of an op: in what it was given may be something bad that it takes away."""
        fates = self._watch.fates
        if plan.name in words.READS:
            if not math.isfinite(abs(result)):
                fates.arrive(keys_of(args[0]))
            return
        given = [key for one in (*args, *(kwargs or {}).values()) for key in keys_of(one)]
        name = plan.name
        if name in words.TESTS or (name in words.COMPARISONS and _is_test(args)):
            name = TEST
        elif name in words.COMPARISONS:
            if not self._watch.called_by_library():
                return
            name = DECISION
        made = [result, *(args[i] for i in plan.written if i < len(args))]
        with apart():
            outputs = [(key, one, suspicious(one)) for x in made for one in plain(x) for key in keys_of(one)]
        whole = [(key, bad) for key, one, bad in outputs if bad or _is_whole(one)]
        if plan.name not in words.UNREAD:
            fates.passed(name, given, whole, functools.partial(self._watch.frames, 1))
        fates.arrive(key for key, one, bad in outputs if bad and isinstance(one, _PARAMETER))

    # ── what ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _before(self, plan: Plan, args: Values) -> Kinds:
        """The kinds in what an op is about to overwrite."""
        found = NONE
        for i in plan.written:
            if i < len(args):
                for tensor in plain(args[i]):
                    if suspicious(tensor):
                        found |= kinds_of(tensor)
        return found

    def _trace(self, plan: Plan) -> None:
        """An op for the timeline, at the line that it is of."""
        node = _node()
        line = self._watch.user_line()
        backward = node is not None and not inside(line)
        if backward:
            line = self._lines.of(node) or line
        path, number, _ = line or ("", 0, "")
        name = words.node_name(node.name()) if backward else plan.name
        self._watch.executed(self._watch.numbered("torch", name, path, number, backward))

    def _filter(self, plan: Plan, args: Values, result: Any) -> None:
        if plan.looks or plan.cast:
            for i, tensor in enumerate(outputs_of(plan, args, result)):
                self._watch.wants(f"{plan.name}:{i}", "torch", tensor)

    def _judge(self, plan: Plan, args: Values, kwargs: Given | None, result: Any, before: Kinds) -> None:
        """A close look at the result of an op."""
        with apart():
            report = self._look(plan, args, kwargs or {}, result, before)
        if report is None:
            return
        node = _node()
        if report.get("backward") and report["op"] != node.name().removesuffix("Backward"):
            if self._pending is None:
                self._pending = Pending(node, result)
            self._pending.reports.append(report)
        else:
            (self._watch.alert if "message" in report else self._watch.born)(**report)

    def _tell_pending(self) -> None:
        """The formula in which something was born is over: it is told if it came out of it."""
        pending, self._pending = self._pending, None
        if pending is not None and pending.came_out():
            for report in pending.reports:
                if report["kinds"] - pending.came_in:
                    self._watch.born(**{**report, "kinds": report["kinds"] - pending.came_in})

    def flush(self) -> None:
        """Tell what waits for the next op, as there may be none; read what waits on devices."""
        self._tell_pending()
        flags, self._flags = self._flags, []
        if not flags or self._births.fed:
            return
        with apart():
            found = deferred.first_bad(flags)
            report = None if found is None else deferred.report_of(*found, self._watch.frames(1))
        if report is not None:
            self._births.fed = True
            self._watch.born(**report)

    # ── on a device ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _is_far(self, args: Values) -> bool:
        first = args[0] if args else None
        while isinstance(first, (list, tuple)):
            first = first[0] if first else None
        return isinstance(first, torch.Tensor) and first.device.type in self._births.far

    def _queue(self, plan: Plan, args: Values, kwargs: Given, result: Any) -> None:
        """Leave a sum of what an op gave on its device; nothing is waited for."""
        if plan.looks and not self._births.fed:
            node = _node()
            line = self._lines.of(node) if node is not None else self._lines.here()
            where = None if line is None else place(*line)
            name = words.node_name(node.name()) if node is not None else plan.name
            inputs = tuple(deferred.Past.of(bare, x) for bare, x in inputs_of(plan, args, kwargs))
            for output in outputs_of(plan, args, result):
                total = _SUM(output, dtype=_FLOAT32) if not output.is_complex() else _SUM(output).abs()
                past = deferred.Past.of("result", output)
                self._flags.append(deferred.Flag(total, name, node is not None, where, inputs, past))
            if len(self._flags) > deferred.MOST:
                self.flush()

    def _look(self, plan: Plan, args: Values, kwargs: Given, result: Any, before: Kinds) -> Report | None:
        if words.MASKS in plan.arguments and True in args[plan.arguments.index(words.MASKS) :]:
            return None
        outputs = outputs_of(plan, args, result)
        inputs = inputs_of(plan, args, kwargs)
        if plan.cast and not any(words.narrows(one.dtype, out.dtype) for _, one in inputs for out in outputs):
            return None
        given = frozenset().union(*map(kinds_of, outputs))
        if plan.hides and NAN not in given:
            return self._hidden(plan, inputs, outputs)
        had = before.union(words.literal_kinds(args), words.literal_kinds(kwargs), *(kinds_of(x) for _, x in inputs))
        if plan.mirrors and had & {PINF, NINF}:
            had |= {PINF, NINF}
        running = _node()
        if running is not None and not inside(
            self._watch.user_line()
        ):  # what came into its formula is not its own, though it was masked there on the way
            formula = running._sequence_nr(), running.name()
            had |= self._came_in[1] if self._came_in[0] == formula else NONE
            self._came_in = formula, had
        fresh = given - had
        if not fresh:
            return None if self._births.fed or NAN not in given else self._brought(inputs)
        self._births.fed = True
        backward, node, frames, forward = self._lines.place()
        notes = [f"{plan.name} in its backward pass"] if node and node != plan.name else []
        if plan.written:
            notes.append("written in place: the old values are gone")
        if backward and not forward:
            notes.append("the line of its forward op is not known")
        return {
            "framework": "torch",
            "op": node or ("cast" if plan.cast else plan.name),
            "kinds": fresh,
            "inputs": [Tensor(name, health_of(x), x, self._lines.source(x.grad_fn, GRAPH)) for name, x in inputs],
            "outputs": [Tensor("result" if i == 0 else f"result {i}", health_of(x), x) for i, x in enumerate(outputs)],
            "frames": frames,
            "backward": backward,
            "forward": forward,
            "note": "; ".join(notes),
        }

    def _hidden(self, plan: Plan, inputs: Sequence[Named], outputs: Sequence[torch.Tensor]) -> Report | None:
        for name, tensor in inputs:
            if suspicious(tensor) and NAN in kinds_of(tensor):
                health = health_of(tensor)
                message = f"{plan.name} removes {health.nan:,} nan of {name}, but not from the gradient"
                return {"kind": "hidden-nan", "message": message, "frames": self._watch.frames(1), "op": plan.name}
        return None

    def _clipped(self, plan: Plan, args: Values, result: torch.Tensor) -> None:
        """A clip that holds every element sends no gradient back, and nothing says so."""
        given = args[0]
        if not (isinstance(given, torch.Tensor) and given.requires_grad and result.numel() > 1 and _node() is None):
            return
        if is_concrete(given) and not given._is_zerotensor() and not torch.eq(given, result).any().item():
            message = f"{plan.name} sets all {result.numel():,} elements to a bound: no gradient flows"
            self._watch.alert("clip-holds-all", message, frames=self._watch.frames(2), op=plan.name)

    def _brought(self, inputs: Sequence[Named]) -> Report | None:
        """The first nan of a run came out of no op: it is in the data."""
        self._births.fed = True
        for name, tensor in inputs:
            if NAN in kinds_of(tensor) and not tensor.requires_grad:  # as what a step has broken does
                known = names_in_callers({id(tensor)}, words.held, self._watch.owns_file)
                return nan_in_data(known.get(id(tensor), name), tensor, self._watch.frames(1))
        return None


def _is_whole(tensor: torch.Tensor) -> bool:
    """Whether it is all of its storage: what is finite of a view says nothing of the rest."""
    return bool(tensor.numel() * tensor.element_size() >= tensor.untyped_storage().nbytes())


def _is_test(args: Values) -> bool:
    """Whether a comparison asks if something is finite: with an infinity, or of a tensor with itself."""
    return len(args) > 1 and (args[0] is args[1] or bool(words.literal_kinds(args[1:2])))


# ── the backward formula of one op ───────────────────────────────────────────────────────────────────────────────────


class Pending:
    """Births in the formula of one backward op of PyTorch's, until it is done: many formulas divide by 0 and mask that.

    It holds what the formula has computed since and not used: that is what comes out of it. What was not finite in what
    it was given from outside (``came_in``) is not its own.
    """

    def __init__(self, node: Any, result: Any) -> None:
        self.reports: list[Report] = []
        self._node = node
        self._unused = {id(tensor): tensor for tensor in plain(result)}
        self._made = dict(self._unused)
        self.came_in = NONE

    def follows(self, node: Any, args: Values) -> bool:
        """Whether the next op is none of the formula's; if it is, what it is given is used."""
        if node is None or node._sequence_nr() != self._node._sequence_nr() or node.name() != self._node.name():
            return True
        for tensor in plain(args):
            self._unused.pop(id(tensor), None)
            if id(tensor) not in self._made:
                with apart():
                    self.came_in |= kinds_of(tensor) if suspicious(tensor) else NONE
        return False

    def gave(self, result: Any) -> None:
        """An op of the formula gave this."""
        self._unused.update((id(tensor), tensor) for tensor in plain(result))
        self._made.update(self._unused)

    def came_out(self) -> bool:
        """Whether something bad is in what is left."""
        return any(map(suspicious, self._unused.values()))


class Unmoded:
    """Has the formulas of ``words.ASKING`` run without the mode of their thread, and looks at what comes out of them.

    A node is there once the op is done, so hooks are put on it at the next op: there is one before a backward pass, but
    for a pass that is given a gradient which was there before.
    """

    def __init__(self, watch: Watch, pause: Callable[[], Any]) -> None:
        self._watch = watch
        self._pause = pause
        self._made: list[Any] = []

    def made(self, result: Any) -> None:
        """An op gave this."""
        self._made += plain(result)

    def hook(self) -> None:
        """Put hooks on the nodes of what was made since."""
        made, self._made = self._made, []
        for node in (tensor.grad_fn for tensor in made if tensor.grad_fn is not None):
            paused: list[Any] = []
            node.register_prehook(lambda _, paused=paused: paused.append(self._pause()))
            node.register_hook(lambda out, came, node=node, paused=paused: self._done(node, paused.pop(), came, out))

    def __bool__(self) -> bool:
        return bool(self._made)

    def _done(self, node: Any, mode: Any, came: Values, out: Values) -> None:
        if mode is not None:
            name = node.name().partition("Backward")[0].lower()
            plan = Plan(None, node, f"{name}_backward", arguments=("grad", "input"), mirrors=True)
            safely(self._watch, "PyTorch's ops", mode.looked, plan, (list(came), node._saved_self), list(out))
            mode.resume()
