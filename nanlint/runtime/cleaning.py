"""What nanlint keeps in a project, and its removal: the runs of ``nanlint verify``, and nothing that is not its own."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.disk import reason
from nanlint.refused import Refused
from nanlint.runtime.launch import RUNS
from nanlint.runtime.runfile import PREFIX, SUFFIX

_HOME = os.path.dirname(RUNS)
_IGNORE = ".gitignore"
_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")  # of a run that did not get as far as its first event


class CleaningError(Refused):
    """What was to be removed could not be; the message names the path."""


@dataclass(frozen=True)
class Kept:
    """A run, or what belongs to all of them: its path, and how many bytes it takes."""

    path: str
    size: int


@dataclass(frozen=True)
class Inventory:
    """What nanlint keeps below a directory, the oldest run first; ``foreign`` is what lies there and is not its own."""

    runs: tuple[Kept, ...]
    foreign: tuple[str, ...] = ()


def inventory(directory: str) -> Inventory:
    """Look at what is kept in ``directory``; links are followed nowhere."""
    home, runs = os.path.join(directory, _HOME), os.path.join(directory, RUNS)
    if not os.path.lexists(home):
        return Inventory(())
    if not _is_directory(home):
        return Inventory((), (home,))
    foreign = [path for path in _entries(home) if path not in (runs, os.path.join(home, _IGNORE))]
    if not _is_directory(runs):
        return Inventory((), (*foreign, *([runs] if os.path.lexists(runs) else [])))
    entries = list(_entries(runs))
    found = [Kept(path, _size(path)) for path in entries if _is_run(path)]
    return Inventory(tuple(found), (*foreign, *(path for path in entries if not _is_run(path))))


def remove(found: Inventory, directory: str, *, keep: int = 0) -> tuple[Kept, ...]:
    """Remove the runs but for the last ``keep``, and the directory that held them if nothing is left in it.

    What was removed. Raises CleaningError.
    """
    going = going_of(found, keep)
    try:
        for run in going:
            shutil.rmtree(run.path)
        home, runs = os.path.join(directory, _HOME), os.path.join(directory, RUNS)
        if len(going) == len(found.runs) and not found.foreign and _is_directory(home):
            if _is_directory(runs):
                os.rmdir(runs)
            ignore = os.path.join(home, _IGNORE)
            if os.path.lexists(ignore):
                os.remove(ignore)
            os.rmdir(home)
    except OSError as error:
        raise CleaningError(f"{error.filename}: could not be removed: {reason(error)}") from None
    return going


def going_of(found: Inventory, keep: int) -> tuple[Kept, ...]:
    """The runs that go if the last ``keep`` stay."""
    return found.runs[: len(found.runs) - keep] if keep < len(found.runs) else ()


def _is_run(path: str) -> bool:
    if not _is_directory(path):
        return False
    names = os.listdir(path)
    return any(name.startswith(PREFIX) and name.endswith(SUFFIX) for name in names) or (
        not names and _NAME.fullmatch(os.path.basename(path)) is not None
    )


def _is_directory(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _entries(directory: str) -> Iterator[str]:
    for name in sorted(os.listdir(directory)):
        yield os.path.join(directory, name)


def _size(directory: str) -> int:
    size = 0
    for parent, _, names in os.walk(directory):
        size += sum(os.lstat(os.path.join(parent, name)).st_size for name in names)
    return size
