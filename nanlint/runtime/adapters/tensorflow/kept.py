"""Variables of nanlint's own, written in graphs of the program and read outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import func_graph as _func_graph
from tensorflow.python.framework import ops as _ops
from tensorflow.python.ops import gen_resource_variable_ops as _variables
from tensorflow.python.ops import resource_variable_ops as _resource

from nanlint.runtime.adapters.tensorflow.tensors import Array

#: what is added to a graph of the program is named so
SCOPE = "nanlint"


def is_ours(op: Any) -> bool:
    """Whether an op of a graph was added by nanlint."""
    name = str(op.name)
    return name.startswith(SCOPE) or f"/{SCOPE}" in name


class Kept:
    """An array that outlives the call of a graph; outside of all scopes and strategies of the program."""

    def __init__(self, initial: Array) -> None:
        self.dtype = tf.as_dtype(initial.dtype)
        with tf.init_scope():
            self._variable = _resource.ResourceVariable(initial, trainable=False, dtype=self.dtype, name="nanlint")

    def get(self) -> Array:
        """What it holds, outside of graphs; a copy."""
        return np.array(_variables.read_variable_op(self._variable.handle, self.dtype)._numpy_internal())

    def put(self, value: Array) -> None:
        """Set it, outside of graphs."""
        _variables.assign_variable_op(self._variable.handle, tf.constant(value, self.dtype))

    def handle(self, graph: Any) -> Any:
        """What stands for it in a graph that is being built.

        It is taken through all graphs around: the gradient of a loop knows no tensor from further out.
        """
        outer = graph.outer_graph
        inherited = self.handle(outer) if isinstance(outer, _func_graph.FuncGraph) else self._variable.handle
        return graph.capture(inherited)


class Inside:
    """The same, in the graph that is being built."""

    def __init__(self, kept: Kept) -> None:
        self._dtype = kept.dtype
        self._handle = kept.handle(_ops.get_default_graph())

    def read(self) -> Any:
        """What it holds now."""
        return _variables.read_variable_op(self._handle, self._dtype)

    def assign(self, value: Any) -> Any:
        """Set it; returns the op, as those of ``add`` to be made sure of with ``after``."""
        return _variables.assign_variable_op(self._handle, tf.cast(value, self._dtype))

    def add(self, value: Any) -> Any:
        """Add to it; safe from several threads."""
        return _variables.assign_add_variable_op(self._handle, tf.cast(value, self._dtype))


def after(effects: Sequence[Any]) -> Any:
    """A number that is there when these ops have run; a branch that returns it is sure to run them."""
    with tf.control_dependencies(effects):
        return tf.identity(tf.constant(0))
