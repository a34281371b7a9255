"""Texts are checked here, on a thread of their own, so that typing never waits; what is out of date is dropped.

For each open document there is at most one check under way, of its newest text; whoever asks for it shares it. A check
that nobody waits for any more, or that a newer text has overtaken, stops at the next checkpoint. In a long text a first
answer looks only at what was edited since the last answer, which may have been a first one, too; everything is checked
again once typing pauses.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from nanlint.diagnostic import Diagnostic
from nanlint.housekeeping import SYNTAX_ERROR
from nanlint.interrupt import interruptible
from nanlint.lint.one_file import diagnose_source, is_numeric
from nanlint.server.documents import Document
from nanlint.server.hurrying import hurried
from nanlint.server.known import marked
from nanlint.server.projects import Held, Projects
from nanlint.source import Source
from nanlint.source.project import View, view_of

T = TypeVar("T")

#: bytes; deep expressions are read recursively, and threads have an eighth of this on some systems
_STACK = 1 << 26
#: seconds without a key after which everything is checked again
PAUSE = 0.3


class Stopped(BaseException):
    """A check was cancelled. Not an Exception, so that no handler reports it as a failure of the analysis."""


class Overtaken(Exception):
    """The text that was asked about is not the newest any more."""


class Stop:
    """Asks a piece of work on another thread to end, at its next checkpoint."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def ask(self) -> None:
        """Let the next checkpoint be the last."""
        self._asked.set()

    def __call__(self) -> None:
        """A checkpoint: raises Stopped once that was asked for."""
        if self._asked.is_set():
            raise Stopped


@dataclass(frozen=True)
class Checked:
    """What was found in one text; if it is not ``settled``, without what an edit does to other definitions."""

    document: Document
    held: Held
    source: Source
    diagnostics: tuple[Diagnostic, ...] = ()
    settled: bool = True


def check(
    document: Document, held: Held, before: Checked | None = None, unsaved: Mapping[str, str] | None = None
) -> Checked:
    """What the command line would find in the text on a walk of the folder; ``unsaved``: in what else is open, as View.

    With what was checked ``before``, settled or not, and where that will do: what is found in what has been edited
    since, and else what was found before.
    """
    source = document.source(held.path)
    if document.path is not None:
        source = replace(source, view=View.of(document.path, unsaved))
    if held.config is None or not document.is_python:
        return Checked(document, held, source)
    if before is not None and held == before.held and document.cells is None and not document.is_joined:
        first = hurried(before.source, before.diagnostics, source, held.config)
        if first is not None:
            return Checked(document, held, source, _marked(first, document, held), settled=False)
    shown = diagnose_source(source, held.config) if is_numeric(source, held.config) else []
    if not held.settings.syntax_errors:
        shown = [one for one in shown if one.code != SYNTAX_ERROR.code]
    return Checked(document, held, source, _marked(shown, document, held))


def _marked(diagnostics: Iterable[Diagnostic], document: Document, held: Held) -> tuple[Diagnostic, ...]:
    return marked(diagnostics, document.path or held.path, held.baseline)


class Worker:
    """One thread, with room to recurse, that works off what it is given, in order."""

    def __init__(self) -> None:
        before = threading.stack_size(_STACK)
        try:
            self._executor = ThreadPoolExecutor(1, "analysis")
            self._executor.submit(int).result()  # threads start with the first task, and take the size of that moment
        finally:
            threading.stack_size(before)

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` returns; cancelling the wait stops it. Raises asyncio.CancelledError, and what it raises."""
        stop = Stop()

        def stoppable() -> T:
            stop()
            with interruptible(stop):
                return work()

        future = self._executor.submit(stoppable)
        try:
            return await asyncio.wrap_future(future)
        except Stopped:
            raise asyncio.CancelledError from None
        finally:
            stop.ask()

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


@dataclass
class _Run:
    document: Document
    task: asyncio.Task[Checked]
    waiting: int = 0


class Checking:
    """The newest findings of each open document, found when they are asked for and kept until it changes.

    First answers start from the last answer to a text that parses, until a check of everything takes its place.
    ``on_settled`` hears of such a check if it found something else than the first answer. None: it could not be told,
    so there are no first answers. ``unsaved``: what is open, and as it stands there, by real path.
    """

    def __init__(
        self, projects: Projects, worker: Worker, unsaved: Callable[[], Mapping[str, str]] = dict[str, str]
    ) -> None:
        self.on_settled: Callable[[Checked], None] | None = None
        self._projects = projects
        self._worker = worker
        self._unsaved = unsaved
        self._runs: dict[str, _Run] = {}
        self._answered: dict[str, Checked] = {}
        self._settling: dict[str, asyncio.Task[None]] = {}

    async def checked(self, document: Document) -> Checked:
        """The findings of this version of a document. Raises Overtaken when a newer one comes meanwhile."""
        run = self._runs.get(document.uri)
        if run is None or run.document is not document or run.task.cancelled():
            self.overtake(document.uri)
            run = _Run(document, asyncio.create_task(self._check(document)))
            self._runs[document.uri] = run
        run.waiting += 1
        try:
            return await asyncio.shield(run.task)
        except asyncio.CancelledError:
            if run.task.cancelled():
                raise Overtaken from None
            raise
        finally:
            run.waiting -= 1
            if not run.waiting and not run.task.done():
                run.task.cancel()

    async def _check(self, document: Document) -> Checked:
        checked = await self._checked_since(document, self._answered.get(document.uri) if self.on_settled else None)
        if not checked.settled:
            self._settling[document.uri] = asyncio.create_task(self._settle(document, checked))
        return checked

    async def _checked_since(self, document: Document, before: Checked | None) -> Checked:
        unsaved = self._unsaved()
        checked = await self._worker.run(lambda: check(document, self._projects.holds(document.path), before, unsaved))
        if not checked.source.failures:
            self._answered[document.uri] = checked
        return checked

    async def _settle(self, document: Document, first: Checked) -> None:
        await asyncio.sleep(PAUSE)
        checked = await self._checked_since(document, None)
        run = self._runs.get(document.uri)
        if run is None or run.document is not document:
            return
        self._runs[document.uri] = _Run(document, asyncio.create_task(_value(checked)))
        if self.on_settled is not None and checked.diagnostics != first.diagnostics:
            self.on_settled(checked)

    def overtake(self, uri: str) -> None:
        """There is a newer text; who still waits for the last one is told."""
        settling = self._settling.pop(uri, None)
        if settling is not None:
            settling.cancel()
        run = self._runs.pop(uri, None)
        if run is not None:
            run.task.cancel()

    def forget(self, uri: str) -> None:
        """Drop all that is known of a document."""
        self.overtake(uri)
        self._answered.pop(uri, None)

    def seen_by(self, path: str, uri: str) -> bool:
        """Whether what is found in an open document depends on the file at ``path``, or will now."""
        view = view_of(self._answered[uri].source) if uri in self._answered else None
        return view is not None and view.uses(path, self._unsaved())

    def forget_all(self) -> None:
        """Drop everything: the configuration has changed."""
        for uri in {*self._runs, *self._answered}:
            self.forget(uri)


async def _value(checked: Checked) -> Checked:
    return checked
