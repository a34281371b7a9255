"""What came of each file that was checked, recalled while the file and all that its findings depend on are the same.

A report depends on the text of the file, on how it is checked, on the program, and on what was seen of other files of
the project. Files are compared by their contents, so that a cache may be brought to another machine.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from importlib.util import find_spec

import msgspec

from nanlint.cache import store
from nanlint.cache.answers import program, today
from nanlint.config import Config
from nanlint.diagnostic import Confidence, Diagnostic, Suppressed
from nanlint.disk import Stamp, is_young, read_regular, stamp_of
from nanlint.entry_points import installed
from nanlint.housekeeping import CUT_SHORT, INTERNAL_ERROR
from nanlint.lint.report import Action, FileReport, Task
from nanlint.source.decoding import SourceError
from nanlint.source.project import Seen, View, digest_of_imports, source_of
from nanlint.source.project_files import MAX_BYTES, files_with
from nanlint.source.syntax import Unparsable

_ROWS = 500  # that are written at a time
_SIZE = 16  # bytes of a digest


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A FileReport as it is stored: without what only a proof needs, and what only a fix leaves."""

    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...]
    excerpt: tuple[tuple[int | None, int, str], ...]
    suppressed: tuple[Suppressed, ...]
    below_threshold: dict[int, int]
    numeric: bool


class Needs(msgspec.Struct, frozen=True, array_like=True):
    """What of other files a report depends on, as in Seen; ``files``: each with the digest of what it holds.

    ``around``: the project that the file is in, as it sees it.
    """

    around: tuple[tuple[str, ...], tuple[str, ...], str]
    files: tuple[tuple[str, bytes | None], ...]
    skimmed: tuple[tuple[str, bytes | None, bytes], ...]
    users: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    mentions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    left_out: tuple[str, ...]
    whole: bool | None


class Reports:
    """The reports in the cache of a directory; with none, those of this process."""

    def __init__(self, directory: str | None) -> None:
        self._began = time.time_ns()
        self._database = store.in_memory() if directory is None else store.prepared(directory)
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Row)
        self._needs = msgspec.msgpack.Decoder(Needs)
        self._digests: dict[str, bytes | None] = {}
        self._stamps: dict[str, Stamp | None] = {}
        self._imported: dict[str, bytes | None] = {}
        self._variants: dict[tuple[int, bool, bool, bool, bool], bytes] = {}
        self._configs: list[Config] = []
        self._rows: list[tuple[str, bytes, bytes, int, bytes, bytes]] = []

    def begin(self) -> None:
        """Look at files again: some may have changed since."""
        self._began = time.time_ns()
        self._digests.clear()
        self._stamps.clear()
        self._imported.clear()
        self._variants.clear()
        self._configs.clear()

    def recall(self, task: Task) -> FileReport | None:
        """The report of a task, if it still holds."""
        digest = self._own(task)
        if self._database is None or digest is None:
            return None
        try:
            row = self._database.execute(
                "SELECT needs, report, day FROM reports WHERE path = ? AND variant = ? AND digest = ?",
                (os.path.abspath(task.path), self._variant(task), digest),
            ).fetchone()
            if row is None or not self._holds(row[0], task.path):
                return None
            report = self._decoder.decode(row[1])
        except (sqlite3.Error, msgspec.MsgspecError):
            return None
        if row[2] != today():
            self._write(task, digest, row[0], row[1])
        return _restored(task.path, report)

    def keep(self, task: Task, report: FileReport) -> None:
        """Remember the report of a task that was not known."""
        digest = self._own(task)
        if self._database is None or digest is None or not _is_storable(task, report):
            return
        needs = self._needed(report.seen, task.path)
        if needs is not None and self._is_steady(task.path, self._stamps[task.path]):
            self._write(task, digest, self._encoder.encode(needs), self._encoder.encode(_stored(report)))

    def save(self) -> None:
        """Write what was remembered."""
        if self._database is None or not self._rows:
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO reports VALUES (?, ?, ?, ?, ?, ?)", self._rows)
                store.tidy(self._database, today())
        except sqlite3.Error:  # in use for too long, or the disk is full: the next run will do it
            pass
        self._rows.clear()

    def _write(self, task: Task, digest: bytes, needs: bytes, report: bytes) -> None:
        self._rows.append((os.path.abspath(task.path), self._variant(task), digest, today(), needs, report))
        if len(self._rows) >= _ROWS:
            self.save()

    def _own(self, task: Task) -> bytes | None:
        if task.judge is not None or task.unsaved or task.others:
            return None  # it depends on more than files
        return self._digest(task.path)

    def _digest(self, path: str, most: int | None = None) -> bytes | None:
        if path not in self._digests:
            self._stamps[path] = stamp_of(path)
            try:
                self._digests[path] = blake2b(read_regular(path, most=most), digest_size=_SIZE).digest()
            except OSError:
                self._digests[path] = None
        return self._digests[path]

    def _is_steady(self, path: str, stamp: Stamp | None) -> bool:
        """Whether a file is what it was, and was so before the run."""
        return stamp_of(path) == stamp and (stamp is None or not is_young(stamp, self._began))

    def _variant(self, task: Task) -> bytes:
        config = task.config.for_file(os.path.abspath(task.path))
        checked = (task.action is Action.CHECK, task.unsafe_fixes, task.explicit, task.finds_only)
        known = (id(config), *checked)
        if known not in self._variants:
            self._configs.append(config)  # as long as it is there, its number is its own
            parts = (program(), os.getcwd(), *map(repr, checked), *map(repr, _settings(config)))
            text = "\0".join((*parts, *_code_of(config)))
            self._variants[known] = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=_SIZE).digest()
        return self._variants[known]

    def _needed(self, seen: Seen | None, path: str) -> Needs | None:
        seen = seen or Seen()
        stamps = (*seen.files, *((file, stamp) for file, stamp, _ in seen.skimmed))
        if not all(self._is_steady(file, stamp) for file, stamp in stamps):
            return None
        return Needs(
            _around(path),
            tuple((file, self._digest(file, MAX_BYTES)) for file, _ in seen.files),
            tuple((file, self._digest(file, MAX_BYTES), imports) for file, _, imports in seen.skimmed),
            tuple((used, tuple(sorted(names)), files) for (used, names), files in seen.users),
            tuple((tuple(sorted(words)), files) for words, files in seen.mentions),
            seen.left_out,
            seen.whole,
        )

    def _holds(self, encoded: bytes, path: str) -> bool:
        needs = self._needs.decode(encoded)
        if _around(path) != needs.around:
            return False
        if any(self._digest(file, MAX_BYTES) != digest for file, digest in needs.files):
            return False
        if any(
            self._digest(file, MAX_BYTES) != digest and self._imports(file) != imports
            for file, digest, imports in needs.skimmed
        ):
            return False
        view = View.of(path)
        if needs.whole is not None and view.is_whole != needs.whole:
            return False
        if any(files_with(view.searched, frozenset(words)) != files for words, files in needs.mentions):
            return False
        return all(view.paths_with(names, used) == files for used, names, files in needs.users)

    def _imports(self, path: str) -> bytes | None:
        if path not in self._imported:
            try:
                self._imported[path] = digest_of_imports(source_of(path, stamp_of(path)))
            except (SourceError, Unparsable):
                self._imported[path] = None
        return self._imported[path]


def _around(path: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    view = View.of(path)
    return view.package, view.directories, view.top


def _settings(config: Config) -> tuple[object, ...]:
    """What of a configuration decides what is found."""
    sets = (config.selected, config.ignored, config.unfixable)
    severity = sorted((code, str(severity)) for code, severity in config.severity.items())
    return (
        *(None if one is None else sorted(one) for one in sets),
        str(config.confidence),
        config.fix_style,
        severity,
        config.ops,
        config.preview,
    )


def _code_of(config: Config) -> list[str]:
    """The code of plugins: that of their packages, and of the directories of rule files."""
    found = []
    for point in installed():
        spec = find_spec(point.module.partition(".")[0])
        places = spec.submodule_search_locations if spec is not None else None
        found += list(places or [spec.origin if spec is not None and spec.origin else point.module])
    found += sorted({os.path.dirname(path) for path in config.rule_files})
    return [f"{path} {blake2b(content).hexdigest()}" for place in found for path, content in _programs(place)]


def _programs(place: str) -> list[tuple[str, bytes]]:
    paths = [place] if place.endswith(".py") else []
    for directory, _, names in os.walk(place):
        paths += [os.path.join(directory, name) for name in names if name.endswith(".py")]
    return [(path, read_regular(path)) for path in sorted(paths) if os.path.isfile(path)]


def _is_storable(task: Task, report: FileReport) -> bool:
    unsteady = {one.code for one in report.diagnostics} & {INTERNAL_ERROR.code, CUT_SHORT.code}
    changed = unsteady or report.before is not None or report.after is not None or report.fixed or report.others
    return report.failure is None and report.checked and not changed


def _stored(report: FileReport) -> Row:
    return Row(
        tuple(replace(one, slices=()) for one in report.diagnostics),
        report.notes,
        tuple((cell, row, line) for (cell, row), line in report.excerpt.items()),
        tuple(replace(one, diagnostic=replace(one.diagnostic, slices=())) for one in report.suppressed),
        {int(confidence): count for confidence, count in report.below_threshold.items()},
        report.numeric,
    )


def _restored(path: str, row: Row) -> FileReport:
    below: Mapping[Confidence, int] = {Confidence(level): count for level, count in row.below_threshold.items()}
    return FileReport(
        path,
        row.diagnostics,
        notes=row.notes,
        excerpt={(cell, number): line for cell, number, line in row.excerpt},
        suppressed=row.suppressed,
        below_threshold=Counter(below),
        numeric=row.numeric,
    )
