"""What happened, in words: one report format for every framework."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from nanlint.runtime.events import Alert, Birth, Death, Frame, Numbers
from nanlint.runtime.sites import code_of

#: what data say of a frame
FRAME = ("path", "line", "function", "text")
KINDS = {"ninf": "-inf", "pinf": "+inf", "nan": "nan"}


def told(birth: Birth) -> str:
    """A birth in a few lines: what, where, of what."""
    what = " and ".join(KINDS[kind] for kind in birth.kinds)
    direction = "in the gradient of " if birth.backward else "in "
    code = f": {code_of(birth.site)}" if birth.site else ""
    lines = [f"{what} first appeared {direction}{birth.op} ({birth.framework}, {moment(birth)}){code}"]
    where = birth.forward if birth.backward and birth.forward else birth.frames
    lines += [f"  {placed(frame)}" for frame in where[:1]]
    lines += [
        f"  {kind} {described(one)}" for kind, many in (("in ", birth.inputs), ("out", birth.outputs)) for one in many
    ]
    if birth.note:
        lines.append(f"  note: {birth.note}")
    return "\n".join(lines)


def fields_of(one: object, names: Sequence[str]) -> dict[str, Any]:
    """Some attributes of an object by their names, as JSON data has them."""
    return {name: getattr(one, name) for name in names}


def many(count: int, noun: str) -> str:
    """A count of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: Sequence[str], most: int | None = None) -> str:
    """Words as one part of a sentence: "a, b and c"; of more than ``most`` the first, and how many are left."""
    if most is not None and len(words) > most:
        words = [*words[:most], f"{len(words) - most:,} more"]
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def moment(event: Birth | Alert) -> str:
    """When it happened, and in which process: "step 12, epoch 1, batch 3, rank 2"."""
    return f"step {event.step:,}{event.where}"


def spot(frame: Frame, shown: Callable[[str], str] = str) -> str:
    """The place of a frame: ``train.py:12``, or ``cell 3, line 2``; ``shown``: how its path is."""
    cell = frame.path.removeprefix("<cell ")
    return f"cell {cell[:-1]}, line {frame.line}" if cell != frame.path else f"{shown(frame.path)}:{frame.line}"


def shortened(path: str) -> str:
    """A path from the working directory on, if it is in it."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith("..") else relative


def placed(frame: Frame) -> str:
    """A frame on one line, as Python's tracebacks do."""
    text = f": {frame.text}" if frame.text else ""
    return f"{spot(frame)}{text}"


def ended(death: Death | None) -> str:
    """How an origin died, and where: "it died in where, train.py:7"; empty if it did not."""
    if death is None:
        return ""
    where = "".join(f", {spot(frame, shortened)}" for frame in death.frames[:1])
    return f"it died {death.how}{where}"


def described(numbers: Numbers) -> str:
    """A tensor on one line."""
    health = numbers.health
    shape = "×".join(map(str, health.shape)) or "scalar"
    return f"{numbers.name}: {health.dtype} {shape}: {health}"
