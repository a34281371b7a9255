"""What a check asks of the disk: what decides what it finds is asked here, and known afterwards.

A path leads to its bytes only if it is a regular file: a pipe would wait for ever, and a device need not end.

What depends on the disk, the output of a run or the report of a file, still holds while all that was asked of it would
be answered the same: see ``asked``. Who checks the files of another machine asks the disk of that one: see ``oracle``.
"""

from __future__ import annotations

import errno
import os
import stat
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is not imported for a look at the disk
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any, Protocol, TypeVar

    Result = TypeVar("Result")

    class Oracle(Protocol):
        """Answers for the disk of another machine."""

        def answer(self, question: Question, unknown: Result) -> Result:
            """What the disk says there; ``unknown`` where that is not known. Raises OSError if it does there."""


#: files of which one marks the top of a project
MARKERS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "nanlint.toml")
#: what changes whenever a file does: times of its contents and of itself in nanoseconds, size, number
Stamp = tuple[int, int, int, int]

#: what may be asked of a path: what kind of thing it is, what changes with its contents, what it lists
KIND, CONTENTS, LISTING = "kind", "contents", "listing"
#: the answers to these: one of ``stat.S_IFMT``, a stamp, names; None where there is nothing
Answer = int | Stamp | tuple[str, ...] | None
#: questions and paths -> the first answers
Asked = dict[tuple[str, str], Answer]
#: the name of a function of the disk, and what it is given
Question = tuple[str, "tuple[Any, ...]"]

#: nanoseconds that a change must be older than what saw it, for clocks of file systems tick: a second change within the
#: same tick would leave the time as it is. Some (FAT, some network file systems) tick only every other second.
TICK, COARSE = 50_000_000, 2_000_000_000

_asked: Asked = {}
_unsteady = False  # whether a question was answered in two ways

#: bytes; a larger file is no source, and its tree would not fit into memory
LARGEST = 1 << 28

_KINDS = (
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


#: what answers on this thread, if the files are on another machine
oracle: ContextVar[Oracle | None] = ContextVar("oracle", default=None)


def ask(function: Callable[..., Result], *given: Hashable, unknown: Result) -> Result:
    """What a function of the disk returns, on whichever machine has the files; ``unknown`` where that is not known."""
    other = oracle.get()
    return function(*given) if other is None else other.answer((function.__name__, given), unknown)


def working_directory() -> str:
    """Where relative paths start. Raises OSError where it is gone."""
    return ask(os.getcwd, unknown=os.sep)


def absolute(path: str) -> str:
    """A path from the root, without parts that lead nowhere."""
    return os.path.abspath(path if os.path.isabs(path) else os.path.join(working_directory(), path))


def real(path: str) -> str:
    """The same, links followed."""
    return ask(os.path.realpath, path, unknown=None) or absolute(path)


def reason(error: OSError) -> str:
    """Why something could not be read or written, as a phrase."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def asked() -> Asked | None:
    """Every question since ``forget`` and its answer; None if one of them was answered in two ways."""
    return None if _unsteady else _asked


def note(others: Asked | None) -> None:
    """What other processes have asked counts as asked here."""
    global _unsteady
    _unsteady = _unsteady or others is None
    for (question, path), answer in (others or {}).items():
        _note(question, path, answer)


def forget() -> Asked | None:
    """Begin anew to write down what is asked; what was until now."""
    global _asked, _unsteady
    before = asked()
    _asked, _unsteady = {}, False
    return before


def _note(question: str, path: str, answer: Answer) -> None:
    global _unsteady
    if _asked.setdefault((question, path), answer) != answer:
        _unsteady = True


def answer_now(question: str, path: str) -> Answer:
    """What the disk of this machine says to a question; this is not written down."""
    functions: dict[str, Callable[[str], Answer]] = {KIND: kind_now, CONTENTS: stamp_now, LISTING: names_now}
    return functions[question](path)


def kind_now(path: str) -> int:
    """As ``kind_of``."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return 0


def stamp_now(path: str) -> Stamp | None:
    """As ``stamp_of``."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def names_now(path: str) -> tuple[str, ...] | None:
    """What a directory lists, sorted; None where there is none, or none that can be read."""
    try:
        return tuple(sorted(os.listdir(path)))
    except (OSError, ValueError):
        return None


def is_young(stamp: tuple[int | str, ...], moment: int) -> bool:
    """Whether a file changed so shortly before a moment, or after it, that another change may have left no trace."""
    changed = max(map(int, stamp[:2]))
    return changed > moment - (COARSE if TICK and changed % 1_000_000_000 == 0 else TICK)


def kind_of(path: str) -> int:
    """What stands at a path, links followed, as ``stat.S_IFMT`` has it; 0 where nothing does."""
    kind = ask(kind_now, path, unknown=0)
    _note(KIND, path, kind)
    return kind


def is_file(path: str) -> bool:
    return kind_of(path) == stat.S_IFREG


def is_directory(path: str) -> bool:
    return kind_of(path) == stat.S_IFDIR


def exists(path: str) -> bool:
    """Whether anything stands at a path; a link that leads nowhere is nothing."""
    return kind_of(path) != 0


def stamp_of(path: str) -> Stamp | None:
    """What changes whenever a file does; None where there is no regular one."""
    stamp = ask(stamp_now, path, unknown=None)
    _note(CONTENTS, path, stamp)
    return stamp


def entries(directory: str) -> list[os.DirEntry[str]]:
    """What a directory lists, sorted by name. Raises OSError."""
    try:
        with os.scandir(directory) as found:
            listed = sorted(found, key=lambda entry: entry.name)
    except OSError:
        _note(LISTING, directory, None)
        raise
    _note(LISTING, directory, tuple(entry.name for entry in listed))
    return listed


def parents(directory: str) -> Iterator[str]:
    """A directory and those above it, innermost first."""
    while True:
        yield directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def top_of(directory: str) -> str | None:
    """The nearest of a directory and those above it that holds what marks the top of a project."""
    return next((one for one in parents(directory) if has_marker(one)), None)


def has_marker(directory: str) -> bool:
    """Whether a directory holds what marks the top of a project."""
    return any(exists(os.path.join(directory, name)) for name in MARKERS)


def read_regular(path: str, *, most: int | None = None) -> bytes:
    """What a regular file holds, or the first ``most`` bytes of it.

    Raises OSError: also for what is no regular file, and for one with more than ``LARGEST`` bytes.
    """
    stamp_of(path)
    content = ask(contents_of, path, most, unknown=None)
    if content is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return content


def contents_of(path: str, most: int | None) -> bytes:
    """What a regular file of this machine holds now; this is not written down. Raises OSError."""
    _reject_irregular(os.stat(path))  # before it is opened: that alone can wait, or have an effect
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        status = os.fstat(file.fileno())
        _reject_irregular(status)
        if most is not None:
            return file.read(most)
        if status.st_size > LARGEST:
            raise _too_large()
        content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise _too_large()
        return content


def _too_large() -> OSError:
    return OSError(errno.EFBIG, f"has more than {LARGEST >> 20} MiB; exclude it")


def _reject_irregular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((words for fits, words in _KINDS if fits(status.st_mode)), "is a special file")
        raise OSError(errno.EINVAL, f"{kind}, not a regular file")
