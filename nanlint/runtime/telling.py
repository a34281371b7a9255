"""What happened, in words: one report format for every framework."""

from __future__ import annotations

import os

from nanlint.runtime.events import Alert, Birth, Death, Frame, Numbers
from nanlint.runtime.sites import code_of

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


def moment(event: Birth | Alert) -> str:
    """When it happened, and in which process: "step 12, epoch 1, batch 3, rank 2"."""
    return f"step {event.step:,}{event.where}"


def placed(frame: Frame) -> str:
    """A frame on one line, as Python's tracebacks do."""
    text = f": {frame.text}" if frame.text else ""
    return f"{frame.path}:{frame.line}{text}"


def ended(death: Death | None) -> str:
    """How an origin died, and where: "it died in where, train.py:7"; empty if it did not."""
    if death is None:
        return ""
    paths = ((frame, os.path.relpath(frame.path)) for frame in death.frames[:1])
    where = "".join(f", {frame.path if path.startswith('..') else path}:{frame.line}" for frame, path in paths)
    return f"it died {death.how}{where}"


def described(numbers: Numbers) -> str:
    """A tensor on one line."""
    health = numbers.health
    shape = "×".join(map(str, health.shape)) or "scalar"
    return f"{numbers.name}: {health.dtype} {shape}: {health}"
