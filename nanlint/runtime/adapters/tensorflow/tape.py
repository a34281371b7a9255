"""What a gradient tape tells: the end of a step, its loss and gradient norm, variables that no gradient reaches."""

from __future__ import annotations

import functools
import math
import re
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, Protocol

import tensorflow as tf
from tensorflow.python.eager import forwardprop as _forwardprop
from tensorflow.python.eager import record as _record
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops

from nanlint.runtime.adapter import AnyFunction, Hooked, Values, Watch, safely
from nanlint.runtime.adapters.tensorflow.arrivals import ArrivalProbe, are_finite, dense, look
from nanlint.runtime.adapters.tensorflow.births import needed
from nanlint.runtime.adapters.tensorflow.gradients import Backward
from nanlint.runtime.adapters.tensorflow.graphs import GraphWatch
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.tape_probes import Steps, TapeProbe, Waiting, numbers_of, numbers_when_read
from nanlint.runtime.adapters.tensorflow.tensors import EagerTensor, array_of
from nanlint.runtime.frames import names_in_callers

#: as a failure is told
TAPE = "a gradient tape"

#: what a function is called when it runs, and what its graph is called in there
CALLED = re.compile(r"__(?:inference|forward)_(.*)_\d+")


class Remembers(Protocol):
    """Knows where eager ops were executed."""

    def leak(self, source: int) -> tuple[Place, Place] | None:
        """Where an op outside of every tape used a tensor or variable, and where what it gave was used inside."""


class TapeWatch(Hooked):
    """Wraps ``GradientTape``: each gradient that is asked for, eagerly or while a function is traced."""

    def __init__(
        self,
        watch: Watch,
        places: Places,
        eager: Remembers,
        graphs: GraphWatch,
        backward: Backward,
    ) -> None:
        super().__init__(watch)
        self._places = places
        self._eager = eager
        self._graphs = graphs
        self._backward = backward
        self._asked = False
        self._steps = 0
        self._traced: list[TapeProbe] = []
        self._calls: dict[bytes, Steps] = {}
        #: names of graphs in which a gradient is computed, where nothing is to be added to them
        self._training: set[str] = set()
        self._trains: dict[bytes, bool] = {}
        self._waiting: dict[Any, Waiting] = {}
        #: what was computed before a tape, of which a finding says that the tape misses it
        self._watched_outside: weakref.WeakKeyDictionary[Any, list[tuple[Any, Place]]] = weakref.WeakKeyDictionary()
        self._began: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def hook(self) -> None:
        """Hear of gradients from now on."""

        def entered(original: Any, tape: Any) -> Any:
            self._recording(tape)
            found = original(tape)
            safely(self._watch, TAPE, self._watch_outside, tape)
            return found

        def differentiated(original: Any, tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            outside = self._watched_outside.pop(tape, ()) if tf.executing_eagerly() else ()
            if outside:
                both = [sources, [tensor for tensor, _ in outside]]
                found, lost = original(tape, target, both, *args, **kwargs)
                original.gives(found)
                if all(one is not None for one in tf.nest.flatten(found, expand_composites=False)):
                    # of a source without any it is told below
                    safely(self._watch, TAPE, self._lost, zip(outside, lost, strict=True))
            else:
                found = original(tape, target, sources, *args, **kwargs)
            self._found(tape, target, sources, found)
            return found

        def derived(original: Any, tape: Any, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(tape, target, sources, *args, **kwargs)
            asked = f"tape.{original.function.__name__}()"
            self.arrived(target, tf.nest.flatten(sources), found, asked)
            return found

        def pushed(original: Any, accumulator: Any, primals: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(accumulator, primals, *args, **kwargs)
            self.arrived(primals, tf.nest.flatten(primals), found, "accumulator.jvp()")
            return found

        hooks: dict[str, AnyFunction] = {
            "__enter__": entered,
            "gradient": differentiated,
            "jacobian": derived,
            "batch_jacobian": derived,
        }
        for name, hook in hooks.items():
            self._hooks.around(tf.GradientTape, name, of_programs(hook), TAPE)
        self._hooks.around(tf.autodiff.ForwardAccumulator, "jvp", pushed, TAPE)

    def stop(self) -> None:
        """Hear no more; the last step is done."""
        if not self._hooks:
            return
        super().stop()
        safely(self._watch, TAPE, self._step_done)
        for probe in self._traced:
            safely(self._watch, TAPE, probe.read)
        for waiting in self._waiting.values():
            waiting.tell(self._watch)
        self._waiting.clear()

    # ── a tape ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _recording(self, tape: Any) -> None:
        if tf.executing_eagerly():
            self._step_done()
        else:
            self._began[tape] = _ops.get_default_graph().version

    def _step_done(self) -> None:
        """A gradient was asked for, and then came another tape: if nobody has counted the step, it is counted."""
        if self._asked and self._watch.steps == self._steps:
            self._watch.step()
        self._asked = False

    def _found(self, tape: Any, target: Any, sources: Any, found: Any) -> None:
        flat_sources = tf.nest.flatten(sources)
        gradients = tf.nest.flatten(found, expand_composites=False)
        if len(gradients) != len(flat_sources):
            return
        safely(self._watch, TAPE, self.arrived, target, flat_sources, gradients, "tape.gradient()")
        some = []
        for i, (source, gradient) in enumerate(zip(flat_sources, gradients, strict=True)):
            self._backward.hear_source(source, gradient)
            if gradient is None:
                self._dead(tape, source, name_of_source(source, self._watch.owns_file))
            else:
                some.append((source, i, gradient))
        if tf.executing_eagerly():
            self._eagerly(target, some)
        else:
            with self._graphs.at_rest():
                self._traced_one(target, some)
            if tape in self._began:
                safely(self._watch, TAPE, self._lost_in_graph, target, [one for one, _, _ in some], self._began[tape])

    def arrived(self, target: Any, sources: Values, found: Any, asked: str) -> None:
        """Look whether the loss and what came back are finite; in a graph, put something there that does."""
        gradients = tf.nest.flatten(found, expand_composites=False)
        pairs = [(i, one) for i, one in enumerate(gradients) if one is not None]
        with self._graphs.at_rest():
            if tf.executing_eagerly():
                if not are_finite([*tf.nest.flatten(target)[:1], *gradients]):
                    look(self._watch, target, self._named(sources, pairs), sources, asked)
                return
            graph = _ops.get_default_graph()
            if not isinstance(graph, _func_graph.FuncGraph):
                self._graphs.sessions.differentiated(graph, target, sources, gradients)
                return
            around = asked, self._places.frames(), self._graphs.was_given_bad
            named = self._named(sources, pairs)
            probe = ArrivalProbe.of(self._graphs.settings.of(graph), target, named, *around)
            if probe is not None:
                with _record.stop_recording():
                    self._graphs.put(probe)

    def _named(self, sources: Values, found: Sequence[tuple[int, Any]]) -> list[tuple[str, Any]]:
        return [(name_of_source(sources[i], self._watch.owns_file), one) for i, one in found]

    def _eagerly(self, target: Any, found: Sequence[tuple[Any, int, Any]]) -> None:
        self._asked, self._steps = True, self._watch.steps
        if self._watch.mode == "sites":
            return
        squares = 0.0
        with self._graphs.at_rest():
            for source, i, gradient in found:
                dense = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
                if isinstance(dense, EagerTensor) and dense.dtype.is_floating:
                    square = 2.0 * float(tf.nn.l2_loss(dense))
                    squares += square
                    self._wait(source, i).seen(square != 0)
        self._measured(_loss(target), squares)

    def _measured(self, loss: float | None, squares: float) -> None:
        numbers = numbers_of(loss, squares)
        self._watch.measured(**numbers)
        if self._watch.mode == "sentinel":
            for name, value in numbers.items():
                if not math.isfinite(value):
                    self._watch.alert("non-finite", f"the {name.replace('_', ' ')} is {value}", what=name)

    def _wait(self, source: Any, i: int) -> Waiting:
        key = getattr(source, "_unique_id", None) or getattr(source, "path", None) or (self._watch.user_line(), i)
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = Waiting(name_of_source(source, self._watch.owns_file), self._places)
        return waiting

    # ── while a function is traced ──────────────────────────────────────────────────────────────────────────────────

    def _traced_one(self, target: Any, found: Sequence[tuple[Any, int, Any]]) -> None:
        graph = _ops.get_default_graph()
        if not isinstance(graph, _func_graph.FuncGraph):
            return
        if self._watch.mode == "sites":
            while isinstance(graph.outer_graph, _func_graph.FuncGraph):
                graph = graph.outer_graph
            self._training.add(str(graph.name))
            return
        dense = [
            (source, i, one.values if isinstance(one, tf.IndexedSlices) else one)
            for source, i, one in found
            if isinstance(one, (tf.Tensor, tf.IndexedSlices)) and one.dtype.is_floating
        ]
        waiting = [self._wait(source, i) for source, i, _ in dense]
        probe = TapeProbe(self._graphs.settings.of(graph), waiting, self._graphs.at_rest)
        with _record.stop_recording(), tf.name_scope(self._graphs.contents.scope_of(probe)):
            probe.build(self._graphs.alarm, target, [gradient for _, _, gradient in dense])
        self._traced.append(probe)

    def called(self, name: bytes, unusual: bool) -> None:
        """A function has run: was there a gradient in it, how often? ``unusual``: it failed, or rang the alarm."""
        if self._watch.mode == "sites":
            if self._is_training(name):
                self._step_done()
                self._watch.step()
            return
        steps = self._calls.get(name)
        if steps is None:
            steps = self._calls[name] = Steps.of(self._graphs.contents.of(name))
        if not steps.probes:
            return
        if unusual or not steps.one:
            self._counted(steps.probes)
        else:
            self._step_done()
            awaited = [probe.awaited() for probe in steps.probes]
            self._watch.awaits(functools.partial(numbers_when_read, awaited))
            self._watch.step()

    def _is_training(self, name: bytes) -> bool:
        known = self._trains.get(name)
        if known is None:
            found = CALLED.fullmatch(name.decode())
            known = self._trains[name] = found is not None and found[1] in self._training
        return known

    def _counted(self, probes: Sequence[TapeProbe]) -> None:
        """As many steps as there were gradients, with the numbers of the last."""
        steps = 0
        for probe in probes:
            executions, last = probe.read()
            if executions:
                self._step_done()
                self._measured(*last)
            steps = max(steps, executions)
        for _ in range(steps):
            self._watch.step()

    # ── a part of a gradient ────────────────────────────────────────────────────────────────────────────────────────

    def _watch_outside(self, tape: Any) -> None:
        """Have a tape tell of what was computed before it, of which a finding says that the tape misses it."""
        outside = self._backward.outside() if tf.executing_eagerly() else []
        if outside:
            for tensor, _ in outside:
                tape.watch(tensor)
            self._watched_outside[tape] = outside

    def _lost(self, outside: Iterable[tuple[tuple[Any, Place], Any]]) -> None:
        """A gradient came to what was computed before the tape, and goes no further."""
        for (_, line), gradient in outside:
            if gradient is not None and bool(tf.reduce_any(dense(gradient) != 0)):
                self._tell_lost(line)

    def _tell_lost(self, outside: Place, inside: Place | None = None) -> None:
        used = f", and used inside at line {inside[1]}" if inside is not None else ""
        self._watch.alert(
            "dead-gradient",
            f"a part of the gradient is lost: the result of line {outside[1]} was computed outside of the tape{used}",
            frames=(*framed([outside]), *(framed([inside]) if inside is not None else ()), *self._places.frames()),
            outside=f"{outside[0]}:{outside[1]}",
        )

    def _lost_in_graph(self, target: Any, sources: Values, began: int) -> None:
        """The same of ops of a graph that were made before the tape began, from a source and for the target."""
        graph = _ops.get_default_graph()
        handles: list[Any] = [getattr(one, "handle", one) for one in sources]
        inner = {(graph.capture(one) if isinstance(one, EagerTensor) else one).name for one in handles}
        ops = needed([one.op for one in tf.nest.flatten(target) if isinstance(one, tf.Tensor)], effects=False)
        taped = [op for op in ops if op._id - 1 > began]
        lost: dict[Place, Place | None] = {}
        for op in ops:
            there = self._places.all_of(op)[:1] if op._id - 1 <= began else ()
            if not any(site.loses for path, line, _ in there for site in self._watch.sites_on(path, line)):
                continue
            if any(one.name in inner for before in needed([op], effects=False) for one in before.inputs):
                users = (self._places.all_of(user)[:1] for user in taped if any(one.op is op for one in user.inputs))
                lost[there[0]] = next((one[0] for one in users if one), lost.get(there[0]))
        for outside, inside in lost.items():
            self._tell_lost(outside, inside)

    # ── no gradient ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _dead(self, tape: Any, source: Any, name: str) -> None:
        """A source without a gradient: where did the path leave the tape?"""
        leak = None
        handle = getattr(source, "handle", source)
        if tf.executing_eagerly():
            leak = self._eager.leak(getattr(handle, "_id", -1))
        elif tape in self._began:
            leak = self._leak_in_graph(handle, self._began[tape])
        asked = self._places.frames()
        if leak is None:
            self._watch.alert(
                "dead-gradient",
                f"{name} has no gradient: the tape recorded no operation that leads from it to the target",
                frames=asked,
                variable=name,
            )
            return
        outside, inside = framed(leak)
        self._watch.alert(
            "dead-gradient",
            f"{name} has no gradient: it was used outside of the tape at line {outside.line}, "
            f"and the result was used inside at line {inside.line}",
            frames=(outside, inside, *asked),
            variable=name,
            outside=f"{outside.path}:{outside.line}",
            inside=f"{inside.path}:{inside.line}",
        )

    def _leak_in_graph(self, handle: Any, began: int) -> tuple[Place, Place] | None:
        graph = _ops.get_default_graph()
        handle = graph.capture(handle) if isinstance(handle, EagerTensor) else handle
        reached: dict[str, Place | None] = {handle.name: None}
        for op in graph.get_operations():
            origins = [reached[one.name] for one in op.inputs if one.name in reached]
            if not origins:
                continue
            came = origins[0]
            taped = op._id - 1 > began
            here = next(iter(self._places.all_of(op)), None)
            if taped and came is not None and here is not None:
                return came, here
            if not taped:
                where = here if op.type != "ReadVariableOp" else None
                reached.update(dict.fromkeys((one.name for one in op.outputs), where or came or here))
        return None


def of_programs(hook: AnyFunction) -> AnyFunction:
    """The hook, which does not hear of the tapes that TensorFlow's forward mode is made of."""

    def heard(original: Any, *args: Any, **kwargs: Any) -> Any:
        asker = sys._getframe(2).f_globals.get("__name__")  # behind the guard around this
        return (original if asker == _forwardprop.__name__ else functools.partial(hook, original))(*args, **kwargs)

    return heard


def _loss(target: Any) -> float | None:
    for one in _flat(target):
        array = array_of(one)
        if array is not None and array.size == 1 and array.dtype.kind == "f":
            return float(array.reshape(-1)[0])
    return None


def _flat(target: Any) -> Iterator[Any]:
    yield from (one for one in tf.nest.flatten(target) if isinstance(one, EagerTensor))


# ── what the user calls a source ─────────────────────────────────────────────────────────────────────────────────────


#: what TensorFlow calls a variable that nobody has named
_UNNAMED = "Variable"


def name_of_source(source: Any, owns: Callable[[str], bool]) -> str:
    """Its own name, or what variables in files call it that ``owns`` says are the user's."""
    named = str(getattr(source, "path", None) or (source.name if isinstance(source, tf.Variable) else _UNNAMED))
    if not named.startswith(_UNNAMED):
        return named.removesuffix(":0")
    found = names_in_callers({id(source)}, _held, owns).get(id(source))
    if found is not None or isinstance(source, tf.Variable):
        return found or named.removesuffix(":0")
    return f"the tensor of shape {tuple(source.shape)}" if hasattr(source, "shape") else type(source).__name__


def _held(variable: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a variable holds: itself, what is in a list or dictionary, or the attributes of an object."""
    yield variable, value
    items: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list | tuple) else ()
    items = list(value.items()) if isinstance(value, dict) else items
    yield from ((f"{variable}[{key!r}]", one) for key, one in items)
    held = {} if isinstance(value, ModuleType | type) else getattr(value, "__dict__", {})
    yield from ((f"{variable}.{key}", one) for key, one in list(held.items()))
