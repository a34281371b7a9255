"""The birth watch of eager TensorFlow: every op as it is executed, through op callbacks.

A callback is run by the fast path of the executor, after the op, in the thread that added it; ops that it calls
itself would call it again. A look whether all elements of an output are finite costs less than most ops.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow.python import pywrap_tfe as _tfe
from tensorflow.python.framework import op_callbacks as _callbacks
from tensorflow.python.framework.ops import _EagerTensorBase as EagerBase

from nanlint.runtime.adapter import AnyFunction, Hooked, Ours, Tensor, Watch, safely
from nanlint.runtime.adapters.tensorflow.clamps import has_bounds
from nanlint.runtime.adapters.tensorflow.gradients import Backward, Forward
from nanlint.runtime.adapters.tensorflow.ops import (
    CLAMPS,
    COMPARES,
    HIDES,
    PRINTS,
    READS,
    TESTS,
    UNREAD,
    is_call,
    says_nothing,
)
from nanlint.runtime.adapters.tensorflow.places import Place, Places, framed
from nanlint.runtime.adapters.tensorflow.tensors import EagerTensor, array_of, first_nan, health_of, is_finite
from nanlint.runtime.adapters.tensorflow.variables import computes_in_place, handles_in, value_of
from nanlint.runtime.fates import TEST
from nanlint.runtime.health import Kinds

#: ops that are remembered, twice over: where a tensor comes from is asked soon after
REMEMBERED = 50_000

#: views of the data that are followed back
DEEP = 20

_FLOATS = frozenset(
    dtype.as_datatype_enum for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128)
)


class Executed(NamedTuple):
    """An op that was executed: where, of which tensors (by their ids), and whether a tape was recording."""

    op: str
    place: Place | None
    inputs: tuple[int, ...]
    taped: bool


class EagerWatch(Hooked):
    """Looks at what each eager op puts out. Holds ids of tensors, and no tensor."""

    def __init__(self, watch: Watch, places: Places, backward: Backward) -> None:
        super().__init__(watch)
        self._places = places
        self._backward = backward
        self._local = threading.local()
        #: ops of nanlint's own are not looked at
        self.quiet = Ours()
        self._made: dict[int, Executed] = {}
        self._made_before: dict[int, Executed] = {}
        self._used: dict[tuple[str, int], Executed] = {}
        self._used_before: dict[tuple[str, int], Executed] = {}
        self._bad: dict[int, None] = {}
        self._bad_variables: dict[int, Kinds] = {}  # by their handles
        self._numbers: dict[tuple[str, Place, bool], int] = {}
        self._silent: dict[str, bool] = {}
        self._profiles = False
        self._callback = functools.partial(safely, watch, "TensorFlow's ops", self._executed)

    # ── in and out ──────────────────────────────────────────────────────────────────────────────────────────────────

    def hook(self) -> None:
        """Watch this thread, and those that it starts."""
        self._hooks.around(EagerBase, "_numpy", self._read, "what is read")
        _callbacks.add_op_callback(self._callback)
        if threading.getprofile() is None:
            threading.setprofile(functools.partial(safely, self._watch, "a new thread", self._thread_began))
            self._profiles = True

    def stop(self) -> None:
        """Leave this thread as it was; the callbacks of others end with them."""
        super().stop()
        if self._profiles:
            threading.setprofile(None)
            self._profiles = False
        with suppress(KeyError):
            _callbacks.remove_op_callback(self._callback)

    def _thread_began(self, frame: FrameType, event: str, arg: Any) -> None:
        """Runs as a profiler at the first call in a new thread, and no more."""
        sys.setprofile(None)
        if self._profiles:
            _callbacks.add_op_callback(self._callback)

    # ── each op ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _executed(
        self, op: str | bytes, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> None:
        if graph is not None or self.quiet.now:
            return
        self.quiet.now = True
        name = op.decode() if isinstance(op, bytes) else op
        try:
            if self._watch.mode == "all":
                self._look(name, inputs, outputs)
            if self._watch.fates.following and name not in UNREAD:
                self._passed(name, inputs, outputs)
        finally:
            self.quiet.now = False

    def _read(self, original: AnyFunction, tensor: Any) -> Any:
        """The program reads a tensor."""
        if self._watch.fates.following and not self.quiet.now:
            with self.quiet():
                self._watch.fates.arrive(bad_of([tensor]))
        return original(tensor)

    def _passed(self, op: str, inputs: Any, outputs: Any) -> None:
        """Tell the fates of an op: what is printed or put into a variable has arrived."""
        fates, given = self._watch.fates, [one._id for one in inputs]
        if op in PRINTS or op == "AssignVariableOp" or (not outputs and computes_in_place(op)):
            fates.arrive(bad_of(inputs))
        elif op not in COMPARES or given[0] == given[-1]:
            bad = set(bad_of(outputs))
            name = TEST if op in TESTS or op in COMPARES else "a call of a function" if is_call(op) else op
            fates.passed(name, given, [(one._id, one._id in bad) for one in outputs], self._places.frames)

    def _look(self, op: str, inputs: Any, outputs: Any) -> None:
        taped = not _tfe.TFE_Py_TapeSetIsEmpty()
        where = self._places.here(sys._getframe(3))
        forward = self._backward.current
        made_for = self._origin(forward) if taped and forward is not None else None
        self._remember(op, inputs, outputs, made_for or where, taped)
        if where is not None:
            key = (op, where, forward is not None)
            number = self._numbers.get(key)
            if number is None:
                number = self._watch.numbered("tensorflow", op, where[0], where[1], forward is not None)
                self._numbers[key] = number
            self._watch.executed(number)
        if self._watch.filtering and not is_call(op):  # in those are probes
            for output in outputs:
                self._watch.wants(op, "tensorflow", output)
        silent = self._silent.get(op)
        if silent is None:
            silent = self._silent[op] = says_nothing(op)
        if taped and forward is None and op in CLAMPS and has_bounds(inputs):
            self._clamped(op, inputs, outputs, where)
        if op == "AssignVariableOp":
            self._assigned(inputs)
        if silent and not self._bad:
            return
        if silent and not is_call(op) and not any(one._id in self._bad for one in inputs):
            return
        for output in outputs:
            if output._datatype_enum() in _FLOATS and not is_finite(output):
                self._hit(op, inputs, outputs, forward, silent)
                return
        if not outputs and computes_in_place(op):
            self._stored(op, inputs)
        if self._bad and op in HIDES:
            self._hidden(op, inputs, outputs)

    def _remember(self, op: str, inputs: Any, outputs: Any, where: Place | None, taped: bool) -> None:
        if len(self._made) > REMEMBERED or len(self._used) > REMEMBERED:
            self._made_before, self._made = self._made, {}
            self._used_before, self._used = self._used, {}
        executed = Executed(op, where, tuple([one._id for one in inputs]), taped)
        for output in outputs:
            self._made[output._id] = executed
        if taped:
            for number in executed.inputs:
                self._used[op, number] = executed

    # ── what is seldom ──────────────────────────────────────────────────────────────────────────────────────────────

    def _hit(self, op: str, inputs: Any, outputs: Any, forward: Forward | None, silent: bool) -> None:
        """Something in an output is not finite: is it new?"""
        given = _tensors(inputs, "input")
        made = _tensors(outputs, "output")
        self._taint(outputs)
        old = Kinds().union(*(one.health.bad for one in given))
        new = Kinds().union(*(one.health.bad for one in made)) - old
        if old:
            self._data(op, [one for one in given if one.health.nan])
        if not new or silent:
            return
        origin = self._origin(forward) if forward is not None else None
        self._watch.born(
            framework="tensorflow",
            op=op,
            kinds=new,
            inputs=given,
            outputs=made,
            frames=self._places.frames(),
            backward=forward is not None,
            forward=framed([origin]) if origin is not None else (),
            note=f"gradient of {forward.op}" if forward is not None else "",
        )

    def _assigned(self, inputs: Any) -> None:
        """What is put into a variable as it is, is not born there."""
        handle, value = inputs
        if value._datatype_enum() in _FLOATS and not is_finite(value):
            self._bad_variables[handle._id] = health_of(value).bad
        else:
            self._bad_variables.pop(handle._id, None)

    def _stored(self, op: str, inputs: Any) -> None:
        """An op has computed in variables: is what they hold now finite?"""
        for handle in handles_in(inputs):
            value = value_of(handle)
            known = self._bad_variables.pop(handle._id, frozenset())
            if is_finite(value):
                continue
            made = Tensor("the variable", health_of(value), value)
            self._bad_variables[handle._id] = made.health.bad
            given = _tensors(inputs, "input")
            new = made.health.bad.difference(known, *(one.health.bad for one in given))
            if new:
                self._watch.born(
                    framework="tensorflow", op=op, kinds=new, inputs=given, outputs=[made], frames=self._places.frames()
                )

    def _taint(self, outputs: Any) -> None:
        if len(self._bad) > REMEMBERED:
            self._bad.clear()
        for output in outputs:
            if output._datatype_enum() in _FLOATS and not is_finite(output):
                self._bad[output._id] = None

    def _origin(self, forward: Forward) -> Place | None:
        """Where the forward op was called whose gradient is computed."""
        for number in forward.outputs:
            executed = self.made(number) if number is not None else None
            if executed is not None and executed.op == forward.op:
                return executed.place
        for number in forward.inputs:
            key = (forward.op, number or 0)
            executed = self._used.get(key) or self._used_before.get(key)
            if executed is not None:
                return executed.place
        return None

    def made(self, number: int) -> Executed | None:
        """The op that a tensor came out of, by the tensor's id."""
        return self._made.get(number) or self._made_before.get(number)

    def leak(self, source: int) -> tuple[Place, Place] | None:
        """See ``tape.Remembers``."""
        reached: dict[int, Place | None] = {source: None}
        for number, executed in [*self._made_before.items(), *self._made.items()]:
            origins = [reached[one] for one in executed.inputs if one in reached]
            if not origins:
                continue
            came = origins[0]
            if executed.taped and came is not None and executed.place is not None:
                return came, executed.place
            if not executed.taped:
                reading = executed.op == "ReadVariableOp" and came is None
                reached[number] = None if reading else came or executed.place
        return None

    def _clamped(self, op: str, inputs: Any, outputs: Any, where: Place | None) -> None:
        """Is every element held by a bound, so that no gradient goes through? A clip is two of these ops."""
        given, made = (array_of(one) for one in (inputs[0], outputs[0]))
        if given is None or made is None or given.shape != made.shape or given.size < 2 or given.dtype.kind != "f":
            return
        free = given == made
        earlier = self._local.__dict__.pop("clamp", None)
        if earlier is not None and earlier[0] == inputs[0]._id:
            free &= earlier[1]
        self._local.clamp = (outputs[0]._id, free)
        if not free.any() and where is not None:
            self._watch.alert(
                "clip-holds-all",
                f"{op} sets all {free.size:,} elements to a bound: no gradient flows",
                frames=self._places.frames(),
                op=op,
            )

    def given(self, name: bytes, inputs: Sequence[Any]) -> None:
        """A function in which something went bad was given these: was there a nan in them already?"""
        if self._watch.mode == "all" and not name.startswith(b"__backward_"):
            self._data("the function", [one for one in _tensors(inputs, "input") if one.health.nan])

    def _data(self, op: str, bad: Sequence[Tensor]) -> None:
        """A nan that no op has made came in from outside: tell the place in the data."""
        for one in bad:
            number = one.value._id
            if number in self._bad or not self._from_outside(number):
                continue
            self._bad[number] = None
            if one.health.size > 1:
                self._watch.alert(
                    "nan-in-input",
                    f"{one.health.nan:,} nan of {one.health.size:,} elements in the data for {op}",
                    frames=self._places.frames(),
                    op=op,
                    first=first_nan(one.value),
                    shape=one.health.shape,
                    dtype=one.health.dtype,
                )

    def _from_outside(self, number: int) -> bool:
        """Whether a tensor is what the program read or wrote down, perhaps in another shape."""
        for _ in range(DEEP):
            made = self.made(number)
            if made is None or made.op in READS:
                return True
            if made.op == "ReadVariableOp" or is_call(made.op) or not says_nothing(made.op) or not made.inputs:
                return False
            number = made.inputs[0]
        return False

    def _hidden(self, op: str, inputs: Any, outputs: Any) -> None:
        """No output is bad any more."""
        bad = [one for one in inputs if one._id in self._bad]
        nans = sum(health_of(one).nan for one in bad)
        if nans:
            made = self.made(bad[0]._id)
            came = framed([made.place]) if made is not None and made.place is not None else ()
            self._watch.alert(
                "hidden-nan",
                f"{op} hides {nans:,} nan: its output is finite, but its gradient may not be",
                frames=self._places.frames(),
                op=op,
                made_at=[f"{one.path}:{one.line}" for one in came],
            )


def bad_of(tensors: Any) -> list[int]:
    """Those of eager tensors that are not finite, by their ids."""
    floats = (one for one in tensors if isinstance(one, EagerTensor) and one._datatype_enum() in _FLOATS)
    return [one._id for one in floats if not is_finite(one)]


def _tensors(tensors: Any, name: str) -> list[Tensor]:
    many = len(tensors) > 1
    return [
        Tensor(f"{name} {i}" if many else name, health_of(one), one)
        for i, one in enumerate(tensors)
        if isinstance(one, EagerTensor) and one._datatype_enum() in _FLOATS
    ]
