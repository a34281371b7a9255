"""Which forward op a gradient is computed for, eager and in graphs: TensorFlow calls a function for each."""

from __future__ import annotations

import inspect
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe as _tfe
from tensorflow.python.eager import backprop as _backprop
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import gradients_util as _gradients

from nanlint.runtime.adapter import Hooked, Watch, around
from nanlint.runtime.adapters.tensorflow.places import Place, Places
from nanlint.runtime.adapters.tensorflow.tensors import EagerTensor

#: as a failure is told
GRADIENT = "a TensorFlow gradient"

#: results of flagged expressions whose gradient may still come
AWAITED = 10_000

Heard = Callable[[str, Any], None]
RESULT = "result"


@dataclass(frozen=True)
class Forward:
    """A forward op whose gradient is being computed, eagerly."""

    op: str
    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]


@dataclass(frozen=True)
class Span:
    """Ops of a graph, by their ids, that compute the gradient of one forward op: its type, id and places.

    ``incoming`` and ``outgoing`` name the gradients of its outputs and inputs, "" where there is none.
    """

    first: int
    last: int
    op: str
    number: int
    places: tuple[Place, ...]
    incoming: tuple[str, ...] = ()
    outgoing: tuple[str, ...] = ()


class Backward(Hooked):
    """Wraps the gradient functions of the tape and of graphs."""

    def __init__(self, watch: Watch, places: Places) -> None:
        super().__init__(watch)
        self._places = places
        self._local = threading.local()
        self._spans: weakref.WeakKeyDictionary[Any, list[Span]] = weakref.WeakKeyDictionary()
        self._differentiated: weakref.WeakKeyDictionary[Any, set[int]] = weakref.WeakKeyDictionary()
        self._awaited: OrderedDict[int, Awaited] = OrderedDict()
        self._outside: OrderedDict[int, tuple[Callable[[], Any], Place]] = OrderedDict()

    def hook(self) -> None:
        """From now on it is known."""
        eager = around(self._watch, GRADIENT, _backprop._gradient_function, self._gradient_function)
        _tfe.TFE_Py_RegisterGradientFunction(eager)
        self._hooks.around(_gradients, "_MaybeCompile", self._maybe_compile, GRADIENT)

    def stop(self) -> None:
        """Leave TensorFlow as it was."""
        if self._hooks:
            _tfe.TFE_Py_RegisterGradientFunction(_backprop._gradient_function)
        super().stop()
        self._awaited.clear()
        self._outside.clear()

    # ── asked ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def current(self) -> Forward | None:
        """The forward op whose gradient this thread computes eagerly."""
        found: Forward | None = getattr(self._local, "current", None)
        return found

    def span_of(self, op: Any) -> Span | None:
        """What an op of a graph computes the gradient of; None for a forward op."""
        number = op._id - 1  # a graph counts from its first op, and has two nodes of its own before
        for span in self._spans.get(op.graph, ()):  # innermost first
            if span.first < number <= span.last:
                return span
        return None

    def spans_in(self, graph: Any) -> Sequence[Span]:
        """All gradients of single ops that a graph computes."""
        return self._spans.get(graph, ())

    def differentiated(self, graph: Any) -> Set[int]:
        """The ids of the ops of a graph that a gradient was asked of."""
        return self._differentiated.get(graph, frozenset())

    def await_gradient(self, operands: Mapping[str, Any], result: Any, heard: Heard) -> None:
        """Tell ``heard`` of what comes in at a result and goes out at operands, if a tape is recording."""
        if _tfe.TFE_Py_TapeSetIsEmpty():
            self._keep_outside(result)
            return
        for name, value in (*operands.items(), (RESULT, result)):
            number = _number(value)
            if number is not None:
                self._awaited[number] = Awaited(name, heard, tuple(operands))
        while len(self._awaited) > AWAITED:
            self._awaited.popitem(last=False)

    def _keep_outside(self, result: Any) -> None:
        """An expression was executed where no tape records; perhaps a finding says that a tape misses it."""
        line = self._watch.user_line()
        if line is None or not isinstance(result, EagerTensor) or not result.dtype.is_floating:
            return
        if any(site.loses for site in self._watch.sites_on(*line[:2])):
            self._outside[result._id] = weakref.ref(result), line
            while len(self._outside) > AWAITED:
                self._outside.popitem(last=False)

    def outside(self) -> list[tuple[Any, Place]]:
        """What such expressions gave that is still there, and where."""
        there = [(kept(), line) for kept, line in self._outside.values()]
        return [(tensor, line) for tensor, line in there if tensor is not None]

    # ── the hooks ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _gradient_function(
        self,
        original: Any,
        op: str,
        attrs: Any,
        count: int,
        inputs: Any,
        outputs: Any,
        out_grads: Any,
        skip: Any,
        scope: Any,
    ) -> Any:
        if tf.executing_eagerly():
            previous = self.current
            self._local.current = Forward(op, _ids(inputs), _ids(outputs))
            try:
                in_grads = original(op, attrs, count, inputs, outputs, out_grads, skip, scope)
            finally:
                self._local.current = previous
            if self._awaited:
                self._hear(_ids(inputs), _ids(outputs), in_grads, out_grads)
            return in_grads
        graph = _ops.get_default_graph()
        first = graph.version
        in_grads = original(op, attrs, count, inputs, outputs, out_grads, skip, scope)
        self._span(graph, first, op, _forward_op(op, inputs, outputs), out_grads, in_grads)
        return in_grads

    def _maybe_compile(self, original: Any, scope: Any, op: Any, func: Any, grad_fn: Any) -> Any:
        graph = _ops.get_default_graph()
        first = graph.version
        in_grads = original(scope, op, func, grad_fn)
        self._span(graph, first, op.type, op, inspect.getclosurevars(grad_fn).nonlocals.get("out_grads", ()), in_grads)
        return in_grads

    def _span(self, graph: Any, first: int, kind: str, forward: Any, out_grads: Any, in_grads: Any) -> None:
        earlier = None if forward is None else self.span_of(forward)  # a gradient of a gradient
        places = () if forward is None else earlier.places if earlier is not None else self._places.all_of(forward)
        number = 0 if forward is None else forward._id
        if forward is not None:
            self._differentiated.setdefault(forward.graph, set()).add(number)
        span = Span(first, graph.version, kind, number, places, _names(out_grads), _names(in_grads))
        self._spans.setdefault(graph, []).append(span)

    def _hear(
        self,
        inputs: tuple[int | None, ...],
        outputs: tuple[int | None, ...],
        in_grads: Any,
        out_grads: Sequence[Any],
    ) -> None:
        if not isinstance(in_grads, (list, tuple)):  # of an op with one input
            in_grads = [in_grads]
        result: Awaited | None = None
        for number, gradient in zip(outputs, out_grads, strict=False):
            awaited = self._awaited.get(number) if number is not None else None
            if awaited is not None and gradient is not None:
                awaited.heard(awaited.name, gradient)
                result = awaited if awaited.name == RESULT else result
        for i, gradient in enumerate(in_grads):
            number = inputs[i] if i < len(inputs) else None
            awaited = self._awaited.get(number) if number is not None else None
            if gradient is None:
                continue
            if awaited is not None:
                awaited.heard(awaited.name, gradient)
            elif number is None and result is not None and i < len(result.operands):
                result.heard(result.operands[i], gradient)  # the gradient needs no input of the op, so none was kept

    def hear_source(self, source: Any, gradient: Any) -> None:
        """The whole gradient of a variable was asked for, which no op is given, but what was read of it."""
        awaited = self._awaited.get(_number(source) or 0) if hasattr(source, "handle") else None
        if awaited is not None and gradient is not None:
            awaited.heard(awaited.name, gradient)


@dataclass(frozen=True)
class Awaited:
    """A tensor of a flagged expression whose gradient may come. ``operands``: the names of those of the expression."""

    name: str
    heard: Heard
    operands: tuple[str, ...]


def _number(value: Any) -> int | None:
    """What tells a tensor from others; of a variable, its handle."""
    number: int | None = getattr(getattr(value, "handle", value), "_id", None)
    return number


def _ids(tensors: Any) -> tuple[int | None, ...]:
    return () if tensors is None else tuple(getattr(one, "_id", None) for one in tensors)


def _names(gradients: Any) -> tuple[str, ...]:
    if not isinstance(gradients, (list, tuple)):
        gradients = [gradients]
    dense = [one.values if isinstance(one, tf.IndexedSlices) else one for one in gradients]
    return tuple(one.name if isinstance(one, tf.Tensor) and hasattr(one, "op") else "" for one in dense)


def _forward_op(op: str, inputs: Any, outputs: Any) -> Any:
    """The op of a graph that the tape remembers by its type and what it kept of its inputs and outputs."""
    for tensor in outputs or ():
        if isinstance(tensor, tf.Tensor) and hasattr(tensor, "op") and tensor.op.type == op:
            return tensor.op
    for tensor in inputs or ():
        if isinstance(tensor, tf.Tensor) and not hasattr(tensor, "numpy"):
            for consumer in tensor.consumers():
                if consumer.type == op:
                    return consumer
    return None
