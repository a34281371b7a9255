"""What ops write into the program's variables: optimizers' updates, whose result is no output of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import auto_control_deps_utils as _control_deps
from tensorflow.python.framework import errors as _errors
from tensorflow.python.ops import gen_resource_variable_ops as _variables
from tensorflow.python.ops import handle_data_util as _handle_data

from nanlint.runtime.adapter import Values
from nanlint.runtime.adapters.tensorflow.alarms import SCOPE
from nanlint.runtime.adapters.tensorflow.ops import is_call, says_nothing
from nanlint.runtime.adapters.tensorflow.rows import FLOATS
from nanlint.runtime.adapters.tensorflow.tensors import EagerTensor, is_finite

_READ = "ReadVariableOp"


@cache
def computes_in_place(op: str) -> bool:
    """Whether an op may compute something new in a variable that it is given."""
    return not (op in _control_deps.RESOURCE_READ_OPS or is_call(op) or says_nothing(op))


def handles_in(inputs: Values) -> list[Any]:
    """Those inputs of an op that stand for variables of floating-point numbers."""
    return [one for one in inputs if one.dtype == tf.resource and dtype_of(one) in FLOATS]


def dtype_of(handle: Any) -> Any:
    """Of what a variable holds; None of other resources."""
    known = _known_of(handle)
    return None if known is None else tf.as_dtype(known.dtype)


def value_of(handle: Any) -> Any:
    """What a variable holds now, by a new op."""
    value = _variables.read_variable_op(handle, dtype_of(handle))
    if not isinstance(value, EagerTensor):
        value.set_shape(tf.TensorShape(_known_of(handle).shape))
    return value


def _known_of(handle: Any) -> Any:
    """Shape and dtype of what a variable holds; None of other resources."""
    is_eager = isinstance(handle, EagerTensor)
    known = handle._handle_data if is_eager else _handle_data.get_resource_handle_data(handle)
    return known.shape_and_type[0] if known is not None and known.shape_and_type else None


def written(graph: Any, live: Values) -> Mapping[Any, Values]:
    """For the last op of a graph that computes in each variable, what the variable holds after it.

    Variables that are not finite already, as the graph is traced, are left out.
    """
    last = {handle.name: (op, handle) for op in live if computes_in_place(op.type) for handle in handles_in(op.inputs)}
    found: dict[Any, list[Any]] = {}
    for op, handle in last.values():
        if not _is_bad(graph, handle):
            with tf.name_scope(SCOPE), tf.control_dependencies([op]):
                found.setdefault(op, []).append(value_of(handle))
    return found


def reads_of(op: Any) -> list[Any]:
    """What an op may have found in its variables: what was read of them in the same graph before it."""
    consumers = (one for handle in handles_in(op.inputs) for one in handle.consumers())
    return [one.outputs[0] for one in consumers if one.type == _READ and one._id < op._id]


def name_of(tensor: Any) -> str:
    """The name of a tensor of a graph; what is read of a variable has the variable's."""
    op = tensor.op
    if op.type == "Identity" and op.inputs[0].op.type == "VariableV2":
        return str(op.inputs[0].name)
    if op.type != _READ:
        return str(tensor.name)
    if op.inputs[0].op.type == "VarHandleOp":
        return str(op.inputs[0].name)
    handle = _eager_handle(op.graph, op.inputs[0])
    variables = list(getattr(op.graph, "_watched_variables", ())) if handle is not None else []
    return str(next((one.name for one in variables if one.handle is handle), tensor.name))


def _is_bad(graph: Any, handle: Any) -> bool:
    handle = _eager_handle(graph, handle)
    if handle is None:
        return False
    with tf.init_scope():
        try:
            return not is_finite(value_of(handle))
        except _errors.OpError:  # not initialized yet
            return False


def _eager_handle(graph: Any, handle: Any) -> Any:
    """What a handle in a graph stands for outside of all graphs; None where that is not known."""
    while not isinstance(handle, EagerTensor):
        outside = next((outer for outer, inner in getattr(graph, "captures", ()) if inner is handle), None)
        if outside is None:
            return None
        graph, handle = graph.outer_graph, outside
    return handle
