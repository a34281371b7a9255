"""The user's frames of the moment: those of frameworks, of the standard library and of nanlint are left out."""

from __future__ import annotations

import functools
import linecache
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import Any

from nanlint.runtime.events import Frame, Frames

#: of one stack
MAX_FRAMES = 32

#: path, line and function
Line = tuple[str, int, str]

OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Users:
    """Which files are the user's: those that are not installed; and what is ``include``d.

    ``include`` names packages (``botorch``) or paths. Files from nowhere (a notebook's cell, ``-c``) are the user's.
    """

    def __init__(self, include: tuple[str, ...] = ()) -> None:
        self._include = tuple(
            os.path.join(os.path.realpath(one), "") if os.path.exists(one) else f"{os.sep}{one}{os.sep}"
            for one in include
        )
        paths = sysconfig.get_paths()
        installed = {os.path.realpath(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
        self._installed = tuple(os.path.join(path, "") for path in sorted(installed))
        self._left_out: tuple[str, ...] = (OWN,)
        self._known: dict[str, bool] = {}

    def owns(self, filename: str) -> bool:
        """Whether code of this file is the user's."""
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._judge(filename)
        return known

    def leave_out(self, module: ModuleType) -> None:
        """The files of a framework or an adapter are not the user's, wherever they lie."""
        places = [os.path.join(path, "") for path in getattr(module, "__path__", ())] or [module.__file__ or ""]
        self._left_out = (*self._left_out, *(_real(place) for place in places if place))
        self._known.clear()

    def _judge(self, filename: str) -> bool:
        if filename.startswith("<"):
            if filename == "<string>" and "--multiprocessing-fork" in sys.orig_argv:
                return False  # the code that ``multiprocessing`` spawns processes with
            return filename in ("<string>", "<stdin>") or filename.startswith("<ipython")
        path = _real(filename)
        if any(one in path for one in self._include):
            return True
        if path.startswith(self._left_out):
            return False
        inside = f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}"
        return not path.startswith(self._installed) and not any(part in path for part in inside)

    def line(self, start: FrameType | None) -> Line | None:
        """Path, line and function of the innermost frame that is the user's."""
        owns = self._known
        frame = start
        while frame is not None:
            filename = frame.f_code.co_filename
            users = owns.get(filename)
            if users is None:
                users = self.owns(filename)
            if users:
                return filename, frame.f_lineno, frame.f_code.co_name
            frame = frame.f_back
        return None

    def frame(self, start: FrameType | None) -> FrameType | None:
        """The innermost frame that is the user's."""
        return next((frame for frame in upward(start) if self.owns(frame.f_code.co_filename)), None)

    def called_by_library(self, start: FrameType | None) -> bool:
        """Whether the innermost frame that is not nanlint's is of code that is not the user's."""
        others = (frame.f_code.co_filename for frame in upward(start))
        first = next((path for path in others if not path.startswith(OWN)), None)
        return first is not None and not self.owns(first)

    def frames(self, start: FrameType | None) -> Frames:
        """All frames that are the user's, innermost first."""
        users = (frame for frame in upward(start) if self.owns(frame.f_code.co_filename))
        return tuple(
            frame_at(frame.f_code, frame.f_lineno, _column(frame.f_code, frame.f_lasti))
            for frame in islice(users, MAX_FRAMES)
        )


def upward(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, and those that it was called from."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def names_in_callers(
    wanted: set[int],
    held: Callable[[str, Any], Iterable[tuple[str, Any]]],
    asks: Callable[[str], bool] = lambda _: True,
) -> dict[int, str]:
    """What the callers' variables call some objects, by the identity of these.

    ``held``: what a variable holds that may be one of them, with its name. Callers in files that ``asks`` says no to
    are passed over.
    """
    names: dict[int, str] = {}
    for frame in upward(sys._getframe(1)):
        for variables in (frame.f_locals, frame.f_globals) if asks(frame.f_code.co_filename) else ():
            for variable, value in list(variables.items()):
                for name, one in held(variable, value):
                    if id(one) in wanted:
                        names.setdefault(id(one), name)
        if names.keys() >= wanted:
            break
    return names


def stack_of(start: FrameType | None) -> list[tuple[CodeType, int]]:
    """Where each frame is, outermost first."""
    return [(frame.f_code, frame.f_lineno) for frame in upward(start)][::-1]


def is_behind(now: Sequence[tuple[CodeType, int]], then: Sequence[tuple[CodeType, int]]) -> bool:
    """Whether the program has gone on from one stack to the other without beginning a loop anew, as its lines tell."""
    for (code, line), (before, passed) in zip(now, then, strict=False):
        if code is not before or line != passed:
            return code is not before or line > passed
    return True


def _real(path: str) -> str:
    """A real path; one of a directory ends as it did. That of each directory is asked for once."""
    if path.endswith(os.sep):
        return os.path.join(os.path.realpath(path), "")
    directory, name = os.path.split(path)
    return os.path.realpath(path) if os.path.islink(path) else os.path.join(_real_directory(directory), name)


_real_directory = functools.cache(os.path.realpath)


def frame_at(code: CodeType, line: int, column: int = 0) -> Frame:
    """The frame of a line of some code, with its source."""
    return place(code.co_filename, line, code.co_name, column)


def place(path: str, line: int, function: str = "", column: int = 0) -> Frame:
    """A frame for a line of a file, or of a cell that IPython ran (``<cell 3>``), with its source."""
    absolute = _cell(path) or (path if path.startswith("<") else os.path.abspath(path))
    return Frame(absolute, line, function, linecache.getline(path, line).strip(), column)


def shell() -> Any:
    """IPython's shell, if the program runs in one; else None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _cell(path: str) -> str:
    """What the cell of a notebook is called whose code has this path; empty if it is none."""
    number = getattr(getattr(shell(), "compile", None), "_filename_map", {}).get(path)
    return f"<cell {number}>" if number is not None else ""


def _column(code: CodeType, instruction: int) -> int:
    """1-based column of an instruction; 0 where Python keeps none (before 3.11)."""
    if sys.version_info < (3, 11) or instruction < 0:
        return 0
    _, _, column, _ = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return 0 if column is None else column + 1
