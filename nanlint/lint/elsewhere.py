"""Calls on workers that do not have the files: what they ask of the disk is answered by this machine.

A call cannot go on without an answer that it does not have. So it comes back with its questions and is sent off again
with the answers, until it asks for nothing more: then it has seen what it would have seen here. What a worker was told
it knows in later calls of the same run.
"""

from __future__ import annotations

import os
import pickle
import stat
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, TypeVar
from uuid import uuid4

from nanlint import disk
from nanlint.disk import Question
from nanlint.entry_points import installed
from nanlint.interrupt import OutOfBudget, interruptible
from nanlint.lint.parallel import run_chunk
from nanlint.source import project_files
from nanlint.version import RUNNING, __version__

#: what may be asked: functions of the disk alone, by their names
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        disk.kind_now,
        disk.stamp_now,
        disk.names_now,
        disk.contents_of,
        os.path.realpath,
        os.getcwd,
        project_files.files_below,
        project_files.users_below,
        project_files.files_below_with,
    )
}
_KIND, _STAMP, _NAMES, _CONTENTS, _REAL, *_ = _FUNCTIONS
Answers = dict[Question, Any]
Task = TypeVar("Task")
Result = TypeVar("Result")

#: bytes of answers, packed, that a worker keeps, and that it is told of a project at once
KEPT, MOST = 1 << 26, 1 << 24
#: modules of a package that are told with one of them
NEIGHBOURS = 100
_UNKNOWN = object()
#: what must be the same on all machines, since it decides what is found
IDENTITY = (
    f"nanlint {__version__}",
    RUNNING,
    f"{os.name} paths",
    *sorted({f"{one.dist.name} {one.dist.version}" for one in installed() if one.dist is not None}),
)


class Differs(Exception):
    """A worker would find something else; the message says what it has, and what there is here."""

    @classmethod
    def between(cls, there: tuple[str, ...], here: tuple[str, ...]) -> Differs:
        """What is the same on both sides is left out."""
        has, needed = (", ".join(sorted(set(a) - set(b))) or "nothing more" for a, b in ((there, here), (here, there)))
        return cls(f"has {has}, but this machine {needed}; install the same there")


@dataclass
class _Call:
    """A call of ``run_chunk`` that is on its way: what has come of its tasks, and what was told for them."""

    work: Callable[[Any], Any]
    tasks: Sequence[Any]
    outcome: Future[Any] = field(default_factory=Future)
    results: dict[int, Any] = field(default_factory=dict)
    asked: disk.Asked | None = field(default_factory=dict)
    told: tuple[bytes, ...] = ()

    @property
    def open(self) -> list[int]:
        """The numbers of the tasks that are still to be done."""
        return [number for number in range(len(self.tasks)) if number not in self.results]

    def take(self, results: Sequence[Any], asked: disk.Asked | None) -> None:
        """What has come of the open tasks, None of those that were not told enough."""
        self.results |= {n: one for n, one in zip(self.open, results, strict=True) if one is not None}
        self.asked = None if self.asked is None or asked is None else {**asked, **self.asked}


class Elsewhere(Executor):
    """Does ``run_chunk`` with another executor, whose workers need not have the files that are here.

    The work may ask the disk only through ``disk``, and may be begun more than once for a task. ``translated``: errors
    of the other executor as others know them; a lost worker is a BrokenExecutor.
    """

    def __init__(self, inner: Executor, translated: Callable[[BaseException], BaseException] = lambda one: one) -> None:
        self.run = uuid4().hex
        self._inner = inner
        self._translated = translated
        self._answering = ThreadPoolExecutor(1, "nanlint-answers")
        self._project = lru_cache(maxsize=4)(_project)
        self._directory = lru_cache(maxsize=256)(_directory)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Only for ``run_chunk`` with its work and tasks."""
        if fn is not run_chunk:
            raise TypeError(f"{fn.__qualname__} cannot be done elsewhere")
        call = _Call(*args, **kwargs)
        self._send(call)
        return call.outcome

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Answer no more; the other executor is as it was."""
        self._answering.shutdown(wait, cancel_futures=cancel_futures)

    def _send(self, call: _Call) -> None:
        tasks = [call.tasks[number] for number in call.open]
        sent = self._inner.submit(run_chunk_away, IDENTITY, self.run, call.told, _packed((call.work, tasks)))
        sent.add_done_callback(partial(self._hear, call))

    def _hear(self, call: _Call, sent: Future[Any]) -> None:
        with suppress(RuntimeError):  # nobody waits any more
            self._answering.submit(self._receive, call, sent)

    def _receive(self, call: _Call, sent: Future[Any]) -> None:
        if call.outcome.cancelled():
            return
        try:
            results, asked, missing = sent.result()
            call.take(results, asked)
            if call.open:
                call.told += tuple(self._answers(missing))
                self._send(call)
            else:
                call.outcome.set_result(([call.results[number] for number in range(len(call.tasks))], call.asked))
        except BaseException as error:
            call.outcome.set_exception(self._translated(error))

    def _answers(self, questions: Iterable[Question]) -> Iterator[bytes]:
        """What the disk of this machine says. Who looks for the users of a file has a look at the project around it."""
        found: Answers = {}
        for name, given in questions:
            found[name, given] = _answer(name, given)
            if name == project_files.users_below.__name__:
                yield self._project(*given)
            elif name == _CONTENTS:
                found[_REAL, given[:1]] = path = os.path.realpath(given[0])
                _tell_file(path, found)
            elif name == _NAMES:
                yield self._directory(*given)
        yield _packed(found)


def _answer(name: str, given: tuple[Any, ...]) -> Any:
    try:
        return _FUNCTIONS[name](*given)
    except OSError as error:
        return error


def _project(top: str) -> bytes:
    """All that may be asked of the files of a project, packed; nothing of one that is too large."""
    files = project_files.files_below(top, ".py")
    found: Answers = {}
    if len(files) <= project_files.MAX_FILES:
        inside = top.rstrip(os.sep) + os.sep
        around = {above for path in files if path.startswith(inside) for above in disk.parents(os.path.dirname(path))}
        for directory in sorted(one for one in around if one == top or one.startswith(inside)):
            _tell_listing(directory, found)
        for path in files:
            _tell_file(path, found)
    packed = _packed(found)
    return packed if len(packed) <= MOST else _packed({})


def _directory(directory: str) -> bytes:
    """What may be asked of the modules of a package, packed."""
    found: Answers = {(_KIND, (directory,)): disk.kind_now(directory)}
    names = _tell_listing(directory, found)
    for path in [os.path.join(directory, name) for name in names if name.endswith(".py")][:NEIGHBOURS]:
        _tell_file(path, found)
    return _packed(found)


def _tell_listing(directory: str, found: Answers) -> tuple[str, ...]:
    found[_NAMES, (directory,)] = names = disk.names_now(directory)
    return names or ()


def _tell_file(path: str, found: Answers) -> None:
    found[_REAL, (path,)] = os.path.realpath(path)
    found[_STAMP, (path,)] = stamp = disk.stamp_now(path)
    if stamp is not None and stamp[2] <= project_files.MAX_BYTES:
        found[_CONTENTS, (path, None)] = _answer(_CONTENTS, (path, None))


def _packed(things: object) -> bytes:
    return zlib.compress(pickle.dumps(things), 1)


def _unpacked(packed: bytes) -> Any:
    return pickle.loads(zlib.decompress(packed))


# On a worker


class Away:
    """The disk of another machine, as far as it is known here. What is asked beyond that is ``missing``."""

    def __init__(self, known: Answers) -> None:
        self.known = known
        self.missing: dict[Question, None] = {}

    def answer(self, question: Question, unknown: Any) -> Any:
        """As in disk.Oracle. What comes of an unknown answer is of no use."""
        answer = self.known.get(question, _UNKNOWN)
        if answer is _UNKNOWN and question[0] in (_KIND, _STAMP):
            answer = self._followed(*question)
        if answer is _UNKNOWN:
            self._miss(*question)
            return unknown
        if isinstance(answer, OSError):
            raise answer
        return answer

    def _miss(self, asked: str, given: tuple[Any, ...]) -> None:
        self.missing[asked, given] = None
        if asked == _STAMP and os.path.isabs(given[0]):  # whoever reads a module reads others of its package
            listing = (_NAMES, (os.path.dirname(given[0]),))
            if listing not in self.known:
                self.missing[listing] = None

    def give_up(self) -> None:
        """End what can be of no use."""
        if self.missing:
            raise OutOfBudget("answers")

    def _followed(self, asked: str, given: tuple[str]) -> Any:
        """What follows from other answers: what a directory does not list is not there."""
        kind = self._kind(*given)
        if asked == _KIND:
            return kind
        return None if kind in (0, stat.S_IFDIR) else _UNKNOWN

    def _kind(self, path: str) -> Any:
        known = self.known.get((_KIND, (path,)), _UNKNOWN)
        if known is not _UNKNOWN:
            return known
        if self.known.get((_NAMES, (path,))) is not None:
            return stat.S_IFDIR
        if self.known.get((_STAMP, (path,))) is not None:
            return stat.S_IFREG
        above, name = os.path.split(path)
        listed = self.known.get((_NAMES, (above,)))
        if listed is not None:
            return _UNKNOWN if name in listed else 0
        return 0 if name and self._kind(above) in (0, stat.S_IFREG) else _UNKNOWN


# Analysis is Python, so threads of a process would only take turns; and what is known is of one run.
_turn = threading.Lock()
_known: Answers = {}
_run = ""
_size = 0


def run_chunk_away(
    identity: tuple[str, ...], run: str, told: Iterable[bytes], packed: bytes
) -> tuple[list[Any], disk.Asked | None, tuple[Question, ...]]:
    """As ``run_chunk``, asking the disk of another machine: None for tasks for which it must be told more, and what.

    ``packed``: the work and the tasks. Raises Differs.
    """
    if identity != IDENTITY:
        raise Differs.between(IDENTITY, identity)
    with _turn:
        _learn(run, told)
        work, tasks = _unpacked(packed)
        missing: dict[Question, None] = {}
        results, asked = run_chunk(partial(_attempt, work, missing), tasks)
    return results, asked, tuple(missing)


def _attempt(work: Callable[[Task], Result], missing: dict[Question, None], task: Task) -> Result | None:
    """What comes of a task; None if it asks what is not known, of which there is no trace then."""
    away = Away(_known)
    until_now = disk.forget()
    before = disk.oracle.set(away)
    result = None
    try:
        with interruptible(away.give_up):
            result = work(task)
    except Exception:
        if not away.missing:
            raise
    finally:
        disk.oracle.reset(before)
    if away.missing:
        missing |= away.missing
        _forget()
    disk.note(until_now)
    return None if away.missing else result


def _learn(run: str, told: Iterable[bytes]) -> None:
    global _run, _size
    if run != _run or _size > KEPT:
        _known.clear()
        _forget()
        _run, _size = run, 0
    for part in told:
        _known.update(_unpacked(part))
        _size += len(part)


def _forget() -> None:
    project_files.forget()
    disk.forget()


def leave(run: str) -> None:
    """Forget what was told for a run, unless it still goes on."""
    if _turn.acquire(blocking=False):
        try:
            if run == _run:
                _learn("", ())
        finally:
            _turn.release()
