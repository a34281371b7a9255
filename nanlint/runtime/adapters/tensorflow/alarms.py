"""How a graph tells that it should be looked at: it calls the host where it can, else it leaves a number."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import control_flow_util as _control
from tensorflow.python.ops import control_flow_v2_func_graphs as _inner
from tensorflow.python.ops import gen_resource_variable_ops as _variables
from tensorflow.python.ops import resource_variable_ops as _resource

from nanlint.runtime.adapter import Watch, safely
from nanlint.runtime.adapters.tensorflow.tensors import Array
from nanlint.runtime.frames import upward

#: graphs of loops and branches, and of their gradients
INNER = (_inner.CondBranchFuncGraph, _inner.WhileCondFuncGraph, _inner.WhileBodyFuncGraph)
#: what is added to a graph of the program is named so
SCOPE = "nanlint"
#: the handles of all that is kept, by their ids
OURS: set[int] = set()


def is_ours(op: Any) -> bool:
    """Whether an op of a graph was added by nanlint."""
    name = str(op.name)
    return name.startswith(SCOPE) or f"/{SCOPE}" in name


class Kept:
    """An array that outlives the call of a graph; outside of all scopes and strategies of the program.

    ``shape``: where it is another than that of ``initial``, with None for a length that changes.
    """

    def __init__(self, initial: Array, shape: tuple[int | None, ...] | None = None) -> None:
        self.dtype = tf.as_dtype(initial.dtype)
        with tf.init_scope():
            self._variable = _resource.ResourceVariable(
                initial,
                trainable=False,
                dtype=self.dtype,
                name="nanlint",
                shape=initial.shape if shape is None else shape,
            )
        OURS.add(self._variable.handle._id)

    def get(self) -> Array:
        """What it holds, outside of graphs; a copy."""
        return np.array(_variables.read_variable_op(self._variable.handle, self.dtype)._numpy_internal())

    def put(self, value: Array) -> None:
        """Set it, outside of graphs."""
        _variables.assign_variable_op(self._variable.handle, tf.constant(value, self.dtype))

    def handle(self, graph: Any) -> Any:
        """What stands for it in a graph that is being built.

        A loop or branch takes it from the graph around, as its gradient knows no tensor from further out. A function
        takes it as it is: it may be called from elsewhere than where it was built, as those that make variables are.
        """
        if isinstance(graph, INNER) and isinstance(graph.outer_graph, _func_graph.FuncGraph):
            return graph.capture(self.handle(graph.outer_graph))
        return graph.capture(self._variable.handle)


class Inside:
    """What is kept, in the graph that is being built."""

    def __init__(self, kept: Kept) -> None:
        self._dtype = kept.dtype
        self._handle = kept.handle(_ops.get_default_graph())

    def read(self) -> Any:
        """What it holds now."""
        return _variables.read_variable_op(self._handle, self._dtype)

    def assign(self, value: Any) -> Any:
        """Set it; returns the op, as those of ``add`` to be made sure of with ``after``."""
        return _variables.assign_variable_op(self._handle, tf.cast(value, self._dtype))

    def assign_row(self, row: Any, value: Any) -> Any:
        """Set one row of it."""
        return _variables.resource_scatter_update(self._handle, row, tf.cast(value, self._dtype))

    def add(self, value: Any) -> Any:
        """Add to it; safe from several threads."""
        return _variables.assign_add_variable_op(self._handle, tf.cast(value, self._dtype))


def after(effects: Sequence[Any]) -> Any:
    """A number that is there when these ops have run; a branch that returns it is sure to run them."""
    with tf.control_dependencies(effects):
        return tf.identity(tf.constant(0))


#: who asks TensorFlow so for a function may call it from a graph that XLA compiles
_CONCRETE = ("get_concrete_function", "_get_concrete_function_garbage_collected", "experimental_get_compiler_ir")


@dataclass(frozen=True)
class Setting:
    """What compiles a graph, and whether the graph can call the host: not under XLA, nor on another machine."""

    technique: str
    host: bool


class Settings:
    """Tells of graphs while they are traced, as it shows in who traces them."""

    def __init__(self) -> None:
        self._compiled: weakref.WeakSet[Any] = weakref.WeakSet()

    def begins(self, graph: Any, source: Any = None) -> None:
        """A graph is about to be traced; ``source``: whose gradient it will compute."""
        if _control.GraphOrParentsInXlaContext(graph) or source in self._compiled or self._is_part(graph):
            self._compiled.add(graph)

    def of(self, graph: Any) -> Setting:
        """How a graph that is being traced, by whoever calls this, will be run."""
        operations = graph.get_operations()
        contexts = (op._get_control_flow_context() for op in operations)
        inside = any(_control.GetContainingXLAContext(context) is not None for context in contexts)
        if inside or graph in self._compiled or _control.GraphOrParentsInXlaContext(graph) or self._is_part(graph):
            self._compiled.add(graph)
            return Setting("xla", host=False)
        devices = {op.device for op in operations}
        jobs = {tf.DeviceSpec.from_string(device).job for device in devices if device}
        return Setting("tf.function", host=jobs <= {None, "localhost"} and not _is_asked_for())

    def _is_part(self, graph: Any) -> bool:
        while (graph := getattr(graph, "outer_graph", None)) is not None:
            if graph in self._compiled:
                return True
        return False


def _is_asked_for() -> bool:
    """Whether someone asked TensorFlow for the function that is being traced, and may call it from anywhere."""
    callers = (one for one in upward(sys._getframe(2)) if one.f_code.co_name in _CONCRETE)
    return any(str(one.f_globals.get("__name__")).startswith("tensorflow.") for one in callers)


class Alarm:
    """Rung in graphs, heard outside."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._rung = False
        self._times: Kept | None = None

    def ring(self, host: bool) -> Any:
        """The op that rings, in the graph that is being built; ``host``: whether that can call the host."""
        if host:
            with tf.device("CPU:0"):
                return tf.numpy_function(functools.partial(safely, self._watch, "an alarm", self._ring), [], [])
        if self._times is None:
            self._times = Kept(np.zeros((), np.int64))
        return Inside(self._times).add(1)

    def _ring(self) -> None:
        self._rung = True

    def heard(self, host: bool) -> bool:
        """Whether it was rung since this was last asked; cheap of graphs that can call the host."""
        rung, self._rung = self._rung, False
        if not host and self._times is not None and self._times.get():
            self._times.put(0)
            return True
        return rung
