"""Variables of nanlint's own, written in graphs of the program and read outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import control_flow_v2_func_graphs as _inner
from tensorflow.python.ops import gen_resource_variable_ops as _variables
from tensorflow.python.ops import resource_variable_ops as _resource

from nanlint.runtime.adapters.tensorflow.tensors import Array

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
