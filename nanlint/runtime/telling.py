"""What happened, in words: one report format for every framework."""

from __future__ import annotations

from nanlint.runtime.events import Birth, Frame, Numbers

KINDS = {"ninf": "-inf", "pinf": "+inf", "nan": "nan"}


def told(birth: Birth) -> str:
    """A birth in a few lines: what, where, of what."""
    what = " and ".join(KINDS[kind] for kind in birth.kinds)
    direction = "in the gradient of " if birth.backward else "in "
    lines = [f"{what} first appeared {direction}{birth.op} ({birth.framework}, step {birth.step})"]
    where = birth.forward if birth.backward and birth.forward else birth.frames
    lines += [f"  {placed(frame)}" for frame in where[:1]]
    lines += [
        f"  {kind} {described(one)}" for kind, many in (("in ", birth.inputs), ("out", birth.outputs)) for one in many
    ]
    if birth.note:
        lines.append(f"  note: {birth.note}")
    return "\n".join(lines)


def placed(frame: Frame) -> str:
    """A frame on one line, as Python's tracebacks do."""
    text = f": {frame.text}" if frame.text else ""
    return f"{frame.path}:{frame.line}{text}"


def described(numbers: Numbers) -> str:
    """A tensor on one line."""
    health = numbers.health
    shape = "×".join(map(str, health.shape)) or "scalar"
    return f"{numbers.name}: {health.dtype} {shape}: {health}"
