"""What a dump says of a tensor, in each mode: counts, kinds, shape or elements, as far as the mode tells them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nanlint.runtime.health import Health, health_of_numbers

#: dtypes of what is no real number
_OTHER = ("complex", "string", "resource", "variant")

#: elements of a tensor that are shown
_KEPT = 64

#: what is bad where the mode does not tell the kind
BAD = "bad"


@dataclass(frozen=True)
class Look:
    """What a dump says of a tensor: counts as far as they are known, and what is known beside them.

    ``kinds``: which kinds of non-finite value are in it, or BAD; None where the mode does not look at values.
    """

    health: Health = field(default_factory=Health)
    kinds: frozenset[str] | None = None
    form: str = ""
    remark: str = ""
    finite: int = 0
    values: tuple[str, ...] = ()


def name_of(mode: int) -> str:
    """A TensorDebugMode."""
    from tensorflow.core.protobuf.debug_event_pb2 import TensorDebugMode

    return str(TensorDebugMode.Name(mode))


def look_of(mode: int, tensor: Any) -> Look:
    """What a dump in a mode says of a tensor: the summary that it holds in place of the tensor's values."""
    if not tensor.dtype:
        return Look(form="tensor", remark="not recorded")
    numbers = _numbers(tensor)
    named = name_of(mode)
    if named == "CURT_HEALTH" and len(numbers) >= 2:
        bad = numbers[1] != 0
        return Look(kinds=frozenset({BAD} if bad else ()), form="tensor", remark="nan or inf" if bad else "all finite")
    if named == "CONCISE_HEALTH" and len(numbers) >= 5:
        size, ninf, pinf, nan = map(int, numbers[1:5])
        health = Health(ninf=ninf, pinf=pinf, nan=nan)
        finite = size - ninf - pinf - nan
        parts = [str(health)] * bool(health.size) + [f"{finite:,} finite"] * bool(finite)
        return Look(health, health.bad, _form("", None, size), ", ".join(parts), finite)
    if named == "FULL_HEALTH" and len(numbers) >= 11:
        dtype, rank, size, ninf, pinf, nan, neg, zero, pos = map(int, numbers[2:11])
        health = Health(ninf, neg, zero, pos, pinf, nan, dtype=_dtype(dtype))
        return Look(health, health.bad, _form(health.dtype, rank, size))
    if named == "SHAPE" and len(numbers) >= 4:
        dtype, rank, size = map(int, numbers[1:4])
        shape = "×".join(str(int(one)) for one in numbers[4 : 4 + min(rank, 6)]) or "scalar"
        return Look(form=f"{_dtype(dtype)} {shape}{'×…' if rank > 6 else ''}".strip(), remark="not checked")
    if named == "FULL_TENSOR" and numbers:
        health = health_of_numbers(numbers, _dtype(tensor.dtype), tuple(one.size for one in tensor.tensor_shape.dim))
        return Look(health, health.bad, values=tuple(map(repr, numbers[:_KEPT])))
    return Look(form="tensor", remark="not recorded")


def shown_fields(look: Look) -> dict[str, Any]:
    """The fields of ``Seen`` that say it."""
    return {
        "health": look.health,
        "values": look.values,
        "form": look.form,
        "remark": look.remark,
        "finite": look.finite,
        "suspect": BAD in (look.kinds or ()),
    }


def _form(dtype: str, rank: int | None, size: int) -> str:
    shape = "scalar" if rank == 0 else f"{size:,} element{'' if size == 1 else 's'}"
    return " ".join(filter(None, [dtype, f"rank {rank}," if rank is not None and rank > 1 else "", shape]))


def _numbers(tensor: Any) -> list[float]:
    """The elements of a TensorProto of real numbers."""
    from tensorflow.python.framework.tensor_util import MakeNdarray

    real = _dtype(tensor.dtype) and not _dtype(tensor.dtype).startswith(_OTHER)
    return [] if not real else [float(one) for one in MakeNdarray(tensor).ravel()]


def _dtype(code: int) -> str:
    from tensorflow.python.framework import dtypes

    try:
        return str(dtypes.as_dtype(int(code)).name)
    except TypeError:  # DT_INVALID
        return ""
