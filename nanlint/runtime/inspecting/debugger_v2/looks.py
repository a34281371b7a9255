"""What a dump says of a tensor, in each mode: counts, kinds, shape or elements, as far as the mode tells them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from nanlint.runtime.health import Health, health_of_numbers
from nanlint.runtime.inspecting.debugger_v2.wire import Message, floats, integer, message, part

#: of TensorDebugMode
MODES = {
    1: "NO_TENSOR",
    2: "CURT_HEALTH",
    3: "CONCISE_HEALTH",
    4: "FULL_HEALTH",
    5: "SHAPE",
    6: "FULL_NUMERICS",
    7: "FULL_TENSOR",
    8: "REDUCE_INF_NAN_THREE_SLOTS",
}

#: of DataType
_DTYPES = {1: "float32", 2: "float64", 14: "bfloat16", 19: "float16", 8: "complex64", 18: "complex128", 3: "int32"}
_DTYPES |= {4: "uint8", 5: "int16", 6: "int8", 7: "string", 9: "int64", 10: "bool", 20: "resource", 21: "variant"}
_CODES = {1: "f", 2: "d"}

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


def look_of(mode: int, tensor: Message) -> Look:
    """What a dump in a mode says of a tensor: the summary that it holds in place of the tensor's values."""
    if not tensor:
        return Look(form="tensor", remark="not recorded")
    numbers = _numbers(tensor)
    named = MODES.get(mode, "")
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
        health = Health(ninf, neg, zero, pos, pinf, nan, dtype=_DTYPES.get(dtype, ""))
        return Look(health, health.bad, _form(health.dtype, rank, size))
    if named == "SHAPE" and len(numbers) >= 4:
        dtype, rank, size = map(int, numbers[1:4])
        shape = "×".join(str(int(one)) for one in numbers[4 : 4 + min(rank, 6)]) or "scalar"
        return Look(form=f"{_DTYPES.get(dtype, '')} {shape}{'×…' if rank > 6 else ''}".strip(), remark="not checked")
    if named == "FULL_TENSOR" and numbers:
        health = health_of_numbers(numbers, _DTYPES.get(integer(tensor, 1), ""), _shape(tensor))
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


def _numbers(tensor: Message) -> list[float]:
    """The elements of a TensorProto of float32 or float64, which may be packed, or cut short where they repeat."""
    code = _CODES.get(integer(tensor, 1))
    if code is None:
        return []
    found = floats(tensor, 4, code) or floats(tensor, 5 if code == "f" else 6, code)
    size = math.prod(_shape(tensor))
    return found + found[-1:] * (size - len(found)) if 0 < len(found) < size <= 1_000_000 else found


def _shape(tensor: Message) -> tuple[int, ...]:
    return tuple(integer(message(one), 1) for one in part(tensor, 2).get(2, ()) if isinstance(one, bytes))
