"""What ops are called in reports, and which ops can never give birth: facts about ATen's ops, and no tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import torch

from nanlint.runtime.adapters.torch.breakdown import NAN, NINF, NONE, PINF, Named
from nanlint.runtime.health import Kinds

#: A kind of non-finite value in their output was in an input already: they move, select, compare or bound elements.
_CLOSED = """
fw_primal make_dual pin_memory reshape_alias to_dense to_sparse abs adaptive_max_pool1d adaptive_max_pool2d
adaptive_max_pool3d alias amax amin aminmax argsort atan bernoulli broadcast_tensors bucketize cat ceil chunk clamp
clamp_max clamp_min clip clone constant_pad_nd copysign cummax cummin detach diag diag_embed diagonal_scatter dropout
embedding empty empty_like empty_permuted empty_quantized empty_strided erf eye fill flip floor fmax fmin frac full
full_like gather geometric hardshrink hardshrink_backward hardsigmoid hardtanh hardtanh_backward heaviside im2col
index index_copy index_fill index_put index_select lift lift_fresh logical_not masked_fill masked_scatter
masked_select max max_pool1d max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices maximum median min
minimum mode nan_to_num nanmedian new_empty new_empty_strided new_full new_ones new_zeros nonzero normal one_hot ones
ones_like put rand rand_like randint randint_like randn randn_like random randperm record_stream reflection_pad1d
reflection_pad2d reflection_pad3d relu relu6 repeat repeat_interleave replication_pad1d replication_pad2d
replication_pad3d resize resize_as roll rot90 round scatter searchsorted select_backward select_scatter set sgn
sigmoid sign signbit slice_backward slice_scatter sort split_with_sizes stack take tanh threshold threshold_backward
topk tril triu trunc unfold_backward uniform unique_dim unsafe_view neg where zero zeros zeros_like
amp_foreach_non_finite_check_and_unscale amp_update_scale foreach_abs foreach_zero foreach_clamp_min foreach_clamp_max
foreach_maximum foreach_minimum local_scalar_dense
"""
CLOSED = frozenset(_CLOSED.split())
#: They turn an infinity into the other one, which is no birth.
_MIRRORS = """
mul div sub rsub add mm bmm addmm baddbmm matmul dot mv addmv linear convolution sum mean prod cumsum lerp addcmul
addcdiv foreach_neg foreach_mul foreach_div foreach_sub foreach_add reciprocal pow
"""
MIRRORS = frozenset(_MIRRORS.split())
#: An argument that asks for what is infinite to be masked right after.
MASKS = "zero_infinity"
#: They hold what is out of bounds at them.
CLIPPING = frozenset({"clamp", "clamp_min", "clamp_max", "hardtanh", "clip"})
#: They can take a nan away silently.
HIDING = frozenset({"nan_to_num", "nansum", "fmax", "fmin", "where", "masked_fill", "nanmedian"})
#: Only their first result is the user's; the others are what the backward pass needs.
FIRST_ONLY = re.compile(r"scaled_dot_product|flash_attention|efficient_attention|fused_attention|^ctc_loss$")
#: They copy elements, perhaps into a smaller range.
CASTS = frozenset({"to_copy", "copy", "convert_element_type"})

#: Their backward formulas ask whether a mode is on, and then compute another way, which rounds differently.
ASKING = frozenset({"prod"})

#: What reads a number; what asks only for the shape of a tensor; what compares elements, which is no use of them; and
#: what asks if they are finite.
READS = frozenset({"local_scalar_dense", "item"})
UNREAD = frozenset({"ones_like", "zeros_like", "empty_like", "full_like", "rand_like", "randn_like", "is_same_size"})
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "equal", "isclose"})
TESTS = frozenset({"isfinite", "isinf", "isnan"})

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def op_name(func: Any) -> str:
    """Of ``aten._log_softmax.default`` and ``aten.log_.default`` that is ``log_softmax`` and ``log``."""
    packet = getattr(func, "overloadpacket", None)
    name: str = packet.__name__ if packet is not None else getattr(func, "__name__", str(func))
    if packet is not None and func.namespace == "prims":
        return name
    return name.strip("_") or name


def node_name(name: str) -> str:
    """Of a node of the graph: ``LogSoftmaxBackward0`` is ``log_softmax``; a user's ``MyFunctionBackward`` his name."""
    bare, backward, number = name.rpartition("Backward")
    if not backward:
        return name
    return _CAMEL.sub("_", bare).lower() if number else bare


def literal_kinds(args: Any) -> Kinds:
    """The kinds among the Python numbers in arguments."""
    found: Kinds = NONE
    for one in args.values() if isinstance(args, dict) else args:
        if isinstance(one, float) and not math.isfinite(one):
            found |= {NAN if one != one else PINF if one > 0 else NINF}
        elif isinstance(one, (list, tuple)):
            found |= literal_kinds(one)
    return found


def narrows(source: torch.dtype, target: torch.dtype) -> bool:
    """Whether a number of one dtype can be too big for another."""
    if source == target or not (source.is_floating_point and target.is_floating_point):
        return False
    return bool(torch.finfo(source).max > torch.finfo(target).max)


def held(variable: str, value: Any) -> Iterable[Named]:
    """The tensors that a variable of a caller's holds, and modules in it, with their names."""
    if isinstance(value, torch.nn.Module) and variable != "self":
        return [(f"{variable}.{name}", parameter) for name, parameter in value.named_parameters()]
    return [(variable, value)] if isinstance(value, torch.Tensor) else ()
