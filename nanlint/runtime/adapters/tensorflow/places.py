"""The user's places: of the moment, and those that the ops of a graph remember."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

from tensorflow.python.autograph.impl import api as _autograph

from nanlint.runtime.adapter import Watch
from nanlint.runtime.events import Frames
from nanlint.runtime.frames import MAX_FRAMES, place

#: in the names of files that AutoGraph writes
_GENERATED = "__autograph_generated_file"

#: path, line and function
Place = tuple[str, int, str]


class Places:
    """Tells the user's files from those of frameworks, fast: most ops are asked for their place."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._known: dict[str, bool] = {}

    def owns(self, path: str) -> bool:
        """Whether a file is the user's."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = _GENERATED not in path and self._watch.owns_file(path)
        return known

    def here(self, frame: FrameType | None) -> Place | None:
        """The innermost of the user's places, from a frame outwards."""
        known = self._known
        while frame is not None:
            path = frame.f_code.co_filename
            if known[path] if path in known else self.owns(path):
                return path, frame.f_lineno, frame.f_code.co_name
            if _GENERATED in path and (original := _original(path, frame.f_lineno)) is not None:
                return original
            frame = frame.f_back
        return None

    def frames(self) -> Frames:
        """The user's frames of the moment, with the lines that the user wrote."""
        return tuple(
            found if original is None else place(*original)
            for found in self._watch.frames(1)
            if (original := _original(found.path, found.line)) is not None or _GENERATED not in found.path
        )

    def all_of(self, op: Any) -> tuple[Place, ...]:
        """The user's places where an op of a graph was made, innermost first. AutoGraph has mapped them back."""
        found: list[Place] = []
        for frame in reversed(op.traceback or ()):
            one = _original(frame.filename, frame.lineno) or (frame.filename, frame.lineno, frame.name)
            if self.owns(one[0]) and found[-1:] != [one]:
                found.append(one)
        return tuple(found[:MAX_FRAMES])


def _original(path: str, line: int) -> Place | None:
    """The line that a line of AutoGraph's was made from: it maps what ops remember, but in the first thread only."""
    if _GENERATED not in path:
        return None
    for factories in list(_autograph._TRANSPILER._cache._cache.values()):
        for factory in factories.values():
            origin = factory.source_map.get((path, line))
            if origin is not None:
                return origin.loc.filename, origin.loc.lineno, origin.function_name or ""
    return None


def framed(places: Sequence[Place]) -> Frames:
    """Places as they are reported."""
    return tuple(place(*one) for one in places)
