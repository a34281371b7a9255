"""All files of a folder, checked by processes of their own, so that the editor goes on; told with progress."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from lsprotocol import types
from pygls.uris import from_fs_path

from nanlint.baseline import Baseline, BaselineError
from nanlint.config import Config
from nanlint.diagnostic import Annotation, Diagnostic
from nanlint.disk import read_regular
from nanlint.lint.many_files import run_missing
from nanlint.lint.parallel import cores, spawning, start_worker
from nanlint.lint.report import Memory, Task
from nanlint.server.client import Client
from nanlint.server.diagnostics import lsp_diagnostic
from nanlint.server.documents import Document
from nanlint.server.known import baseline_at, marked
from nanlint.server.projects import Project
from nanlint.server.sheet import Sheet
from nanlint.source import Source, SourceError
from nanlint.source.discovery import discover
from nanlint.source.notebook import Notebook
from nanlint.source.reading import read_source

#: files that go to a process at a time
_CHUNK = 4


@dataclass(frozen=True)
class FileFindings:
    """What was found in a file that is not open; ``failure`` says why it could not be checked."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    failure: str | None = None


def tasks_of(project: Project) -> list[Task]:
    """The files of a folder, as a walk of it finds them, with paths below it."""
    if project.problem is not None or not project.settings.enable:
        return []
    found = discover([project.root], project.configs)
    return [Task(os.path.relpath(os.path.abspath(file.path), project.root), file.config) for file in found.files]


def run_chunk(root: str, tasks: Sequence[Task]) -> list[FileFindings]:
    """What a process does: check some files of a folder, of which not all may have changed since an earlier check."""
    os.chdir(root)
    found = []
    for task, report in zip(tasks, run_missing(tasks, 1, None, _memory()), strict=True):
        path = os.path.join(root, task.path)
        # what a proof would execute holds trees, which are no use to an editor
        diagnostics = tuple(
            replace(one, slices=(), probe=None, causes=_from(root, one.causes)) for one in report.diagnostics
        )
        found.append(FileFindings(path, marked(diagnostics, path, _baseline(task.config)), report.failure))
    return found


def _memory() -> Memory | None:
    """The cache of the folder that the process is in."""
    try:
        from nanlint.cache import store
        from nanlint.cache.reports import Reports
    except ImportError:  # there is no sqlite3, or no msgspec
        return None
    directory = store.directory_for()
    return None if directory is None else Reports(directory)


def _from(root: str, causes: Sequence[Annotation]) -> tuple[Annotation, ...]:
    """Causes whose paths do not depend on the directory that the process is in."""
    return tuple(replace(one, path=os.path.join(root, one.path)) if one.path else one for one in causes)


def _baseline(config: Config) -> Baseline | None:
    try:
        return None if config.baseline is None else baseline_at(config.baseline)
    except BaselineError:
        return None  # told of the first text that is open


async def check_folder(root: str, tasks: Sequence[Task]) -> AsyncIterator[list[FileFindings]]:
    """The findings of the files of one folder, some at a time, as they are found."""
    chunks = [tasks[start : start + _CHUNK] for start in range(0, len(tasks), _CHUNK)]
    loop = asyncio.get_running_loop()
    # a fork would copy the threads' locks as they are at that moment
    pool = ProcessPoolExecutor(max(1, min(cores(), len(chunks))), spawning(), initializer=start_worker)
    try:
        for next_done in asyncio.as_completed([loop.run_in_executor(pool, run_chunk, root, chunk) for chunk in chunks]):
            yield await next_done
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def shown_file(found: FileFindings, encoding: types.PositionEncodingKind, client: Client) -> list[types.Diagnostic]:
    """The findings of a file as the client sees them; those of a notebook stand in its JSON, and name the cell."""
    try:
        source = read_source(content := read_regular(found.path), found.path)
    except (OSError, SourceError):
        return []
    text = content.decode("utf-8-sig", "replace") if isinstance(source, Notebook) else source.text
    document = Document(from_fs_path(found.path) or found.path, 0, "", "")
    sheet = Sheet(Source(found.path, text), document, encoding)
    return [lsp_diagnostic(one, sheet, client) for one in map(_in_file, found.diagnostics)]


def _in_file(one: Diagnostic) -> Diagnostic:
    if one.cell is None:
        return one
    message = f"{one.span.start}: {one.message}"
    causes = tuple(cause for cause in one.causes if cause.path)
    return replace(one, span=one.span.in_file, message=message, causes=causes)


class Progress:
    """Work-done progress for a client that shows it: how many files are done, and whether the user has had enough."""

    def __init__(
        self, notify: Callable[[types.ProgressToken, object], None], token: types.ProgressToken | None
    ) -> None:
        self._notify = notify
        self._token = token

    def begin(self, total: int) -> None:
        """So many files will be checked."""
        self._tell(types.WorkDoneProgressBegin("nanlint", cancellable=True, message=f"0/{total} files", percentage=0))

    def report(self, done: int, total: int) -> None:
        percentage = 100 * done // max(total, 1)
        self._tell(types.WorkDoneProgressReport(message=f"{done}/{total} files", percentage=percentage))

    def end(self, message: str) -> None:
        self._tell(types.WorkDoneProgressEnd(message=message))

    def _tell(self, value: object) -> None:
        if self._token is not None:
            self._notify(self._token, value)
