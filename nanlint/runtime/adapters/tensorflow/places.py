"""The user's places: of the moment, and those that the ops of a graph remember."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

from nanlint.runtime.adapter import Watch
from nanlint.runtime.events import Frame
from nanlint.runtime.frames import MAX_FRAMES, place

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
            known = self._known[path] = self._watch.owns_file(path)
        return known

    def here(self, frame: FrameType | None) -> Place | None:
        """The innermost of the user's places, from a frame outwards."""
        known = self._known
        while frame is not None:
            path = frame.f_code.co_filename
            if known[path] if path in known else self.owns(path):
                return path, frame.f_lineno, frame.f_code.co_name
            frame = frame.f_back
        return None

    def all_of(self, op: Any) -> tuple[Place, ...]:
        """The user's places where an op of a graph was made, innermost first. AutoGraph has mapped them back."""
        found: list[Place] = []
        for filename, line, function, *_ in reversed(_frames_of(op)):
            if self.owns(filename):
                found.append((filename, line, function))
                if len(found) == MAX_FRAMES:
                    break
        return tuple(found)


def _frames_of(op: Any) -> Sequence[Any]:
    traceback = op.traceback
    return () if traceback is None else [(f.filename, f.lineno, f.name) for f in traceback]


def framed(places: Sequence[Place]) -> tuple[Frame, ...]:
    """Places as they are reported."""
    return tuple(place(*one) for one in places)
