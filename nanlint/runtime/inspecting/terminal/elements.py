"""Parts of a tensor whose first elements were kept as text: slices, searches, ranges of numbers, rows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, product

from nanlint.runtime.health import Shape
from nanlint.runtime.inspecting.terminal.reading import Mistake

_RANGE = re.compile(r"\[([^\[\],]+),([^\[\],]+)\]")


def asked(line: str) -> tuple[str, str | None]:
    """The line of ``pt`` without its search (`/REGEX/` at the end), and that."""
    before, slash, search = line.rstrip().partition(" /")
    return before, search.removesuffix("/") if slash else None


def sliced(name: str) -> tuple[str, str]:
    """A name without its slice (`x[0:3,-1]`), and that."""
    before, bracket, part = name.partition("[")
    return before, part.removesuffix("]") if bracket else ""


def in_ranges(text: str) -> Callable[[str], bool]:
    """Whether an element is in one of the ranges of ``[-inf,0]`` or ``[[-inf,0],[5,inf]]``. Raises Mistake."""
    try:
        bounds = [(float(low), float(high)) for low, high in _RANGE.findall(text)]
    except ValueError:
        bounds = []
    if not bounds:
        raise Mistake(f'"{text}" is not a range such as [0,1] or [[-inf,-5],[5,inf]]')

    def holds(value: str) -> bool:
        try:
            return any(low <= float(value) <= high for low, high in bounds)
        except ValueError:  # a complex number
            return False

    return holds


def indices(part: str, shape: Shape) -> list[range]:
    """For each axis of ``shape`` the indices that a slice such as ``0:3, -1`` asks for."""
    wanted = [word.strip() for word in part.split(",")] if part.strip() else []
    if len(wanted) > len(shape):
        raise Mistake(f"[{part}] has {len(wanted)} indices, but the tensor has {len(shape)} axes")
    axes = []
    for axis, size in enumerate(shape):
        word = wanted[axis] if axis < len(wanted) else ":"
        try:
            numbers = [int(one) if one.strip() else None for one in word.split(":")]
            if len(numbers) > 1:
                axes.append(range(size)[slice(*numbers)])
            else:
                at = range(size)[int(word)]
                axes.append(range(at, at + 1))
        except (ValueError, TypeError):
            raise Mistake(f'"{word}" is not an index or a slice') from None
        except IndexError:
            raise Mistake(f"index {word} is out of range: axis {axis} has {size:,} elements") from None
    return axes


def elements(wanted: Sequence[range], shape: Shape, values: Sequence[str]) -> Iterator[tuple[tuple[int, ...], str]]:
    """The wanted elements that were kept, with their indices, in row-major order."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    near = [_below(axis, -(-len(values) // max(stride, 1))) for axis, stride in zip(wanted, strides, strict=True)]
    for at in product(*near):
        offset = sum(index * stride for index, stride in zip(at, strides, strict=True))
        if offset < len(values):
            yield at, values[offset]


def _below(axis: range, bound: int) -> range:
    """Those of ``axis`` that are less than ``bound``."""
    if axis.step > 0:
        return range(axis.start, min(axis.stop, bound), axis.step)
    beyond = max(0, -(-(axis.start - bound + 1) // -axis.step))
    return axis[beyond:]


def rows(wanted: Sequence[range], shape: Shape, values: Sequence[str]) -> Iterator[str]:
    """One line a row of the last axis."""
    nothing = True
    for before, row in groupby(elements(wanted, shape, values), key=lambda pair: pair[0][:-1]):
        nothing = False
        at = f"[{', '.join([*map(str, before), ':'])}]  " if before else ""
        yield f"{at}{'  '.join(value for _, value in row)}"
    if nothing:
        yield "none of these elements was recorded"
