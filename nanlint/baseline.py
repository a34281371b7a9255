"""The baseline: a file with the fingerprints of the known findings, by file and rule. Those are hidden, and no others.

Fingerprints stay the same when lines move, code is formatted or another rule reports the operation (see
``source.fingerprint``). So a new finding is shown even where a known one of the same rule has been repaired.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from nanlint.config import Config
from nanlint.disk import exists, read_regular, reason
from nanlint.housekeeping import SYNTAX_ERROR
from nanlint.lint.report import FileReport, Report
from nanlint.refused import Refused
from nanlint.selection import ALWAYS_ON
from nanlint.source.discovery import shown_path

DEFAULT_PATH = "nanlint-baseline.json"
VERSION = 2

Entries = Mapping[tuple[str, str], tuple[str, ...]]
ConfigOf = Callable[[str], Config]


class BaselineError(Refused):
    """A file that cannot be used as a baseline. The message names it and says what to do."""


@dataclass(frozen=True)
class Baseline:
    """What is known: the fingerprints by (file, rule). Files are relative to the directory of ``path``."""

    path: str
    entries: Entries = field(default_factory=dict)

    @classmethod
    def read(cls, path: str, *, may_lack: bool = False) -> Baseline:
        """The baseline in a file, an empty one if it ``may_lack`` and does. Raises BaselineError."""
        absolute, shown = os.path.abspath(path), shown_path(path)
        try:
            content = json.loads(read_regular(absolute))
        except FileNotFoundError:
            if may_lack:
                return cls(absolute)
            raise BaselineError(f"{shown}: no such baseline; create it with --write-baseline") from None
        except OSError as error:
            raise BaselineError(f"{shown}: could not be read: {reason(error)}") from None
        except (ValueError, RecursionError) as error:
            raise BaselineError(f"{shown}: is not a baseline of nanlint: {error}") from None
        version = content.get("version") if isinstance(content, dict) else None
        if isinstance(version, int) and version != VERSION:
            remedy = "remove the file and write it again with --write-baseline"
            remedy = f"use a newer nanlint, or {remedy}" if version > VERSION else remedy
            raise BaselineError(
                f"{shown}: is a baseline of version {version}, but this nanlint reads {VERSION}; {remedy}"
            )
        if version != VERSION or not _is_files(content.get("files")):
            raise BaselineError(f"{shown}: is not a baseline of nanlint; name another file, or remove this one")
        files: dict[str, dict[str, list[str]]] = content["files"]
        return cls(
            absolute, {(name, code): tuple(known) for name, rules in files.items() for code, known in rules.items()}
        )

    @cached_property
    def known(self) -> Mapping[str, frozenset[str]]:
        """The fingerprints by file, whichever rules they are of."""
        files: dict[str, frozenset[str]] = {}
        for (name, _), known in self.entries.items():
            files[name] = files.get(name, frozenset()).union(known)
        return files

    def name_of(self, path: str) -> str:
        """What a file is called in it."""
        return os.path.relpath(os.path.abspath(path), os.path.dirname(self.path)).replace(os.sep, "/")

    def exists(self, name: str) -> bool:
        """Whether the file of that name is still there."""
        return exists(os.path.join(os.path.dirname(self.path), name))

    def render(self) -> str:
        """The file's content: the same for the same findings, with one fingerprint a line, as git merges it best."""
        files: dict[str, dict[str, list[str]]] = {}
        for (name, code), known in self.entries.items():
            if known:
                files.setdefault(name, {})[code] = sorted(known)
        return json.dumps({"version": VERSION, "files": files}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _is_files(files: Any) -> bool:
    return isinstance(files, dict) and all(
        isinstance(rules, dict)
        and all(isinstance(known, list) and all(isinstance(one, str) for one in known) for known in rules.values())
        for rules in files.values()
    )


def hide_known(
    report: Report, baseline_of: Callable[[str], Baseline | None], config_of: ConfigOf, *, complete: bool = True
) -> Report:
    """``report`` without what the baselines of its files hold.

    If it is ``complete``, all that a check finds, there are notes on what is no longer there.
    """
    pairs = [(file, baseline_of(file.path)) for file in report.files]
    files = tuple(file if baseline is None else file_without_known(file, baseline) for file, baseline in pairs)
    gone: Counter[str] = Counter()
    for baseline in {one.path: one for _, one in pairs if one is not None and complete}.values():
        own = Report(tuple(file for file, of in pairs if of is not None and of.path == baseline.path))
        now = updated(baseline, own, config_of).known
        gone[baseline.path] = sum(len(known - now.get(name, frozenset())) for name, known in baseline.known.items())
    notes = [
        f"{shown_path(path)}: {count} of its findings no longer {'occurs' if count == 1 else 'occur'}; "
        "--write-baseline removes them"
        for path, count in gone.items()
        if count
    ]
    return replace(report, files=files, notes=(*report.notes, *notes))


def file_without_known(file: FileReport, baseline: Baseline) -> FileReport:
    """One file's report without what the baseline holds; that is among what is suppressed."""
    known = baseline.known.get(baseline.name_of(file.path), frozenset())
    return file.without(known, f"in the baseline {shown_path(baseline.path)}")


def renewed(report: Report, path_of: Callable[[str], str], config_of: ConfigOf) -> list[Baseline]:
    """The baselines in which ``report`` is known, with what there is now; the absolute ``path_of`` a file is its own's.

    Raises BaselineError for a file that is there and is none: it will not be overwritten.
    """
    paths = {file.path: path_of(file.path) for file in report.files}
    return [
        updated(
            Baseline.read(path, may_lack=True),
            Report(tuple(file for file in report.files if paths[file.path] == path)),
            config_of,
        )
        for path in sorted(set(paths.values()))
    ]


def updated(baseline: Baseline, report: Report, config_of: ConfigOf) -> Baseline:
    """The baseline with what ``report`` found, and all of what it held that the check did not look at.

    That are files that were not checked or do not parse and are still there, and rules that were not selected.
    """
    entries: dict[tuple[str, str], tuple[str, ...]] = {}
    looked_at: dict[str, Config] = {}
    for file in report.files:
        name = baseline.name_of(file.path)
        found = [*file.diagnostics, *(one.diagnostic for one in file.suppressed if one.external)]
        broken = [one for one in found if one.code == SYNTAX_ERROR.code]
        if file.checked and not broken:
            looked_at[name] = config_of(file.path)
        if file.checked and all(one.cell for one in broken):  # of a notebook some cells were looked at
            for one in found:
                if one.code not in ALWAYS_ON:
                    entries[name, one.code] = (*entries.get((name, one.code), ()), one.fingerprint)
    for (name, code), known in baseline.entries.items():
        config = looked_at.get(name)
        unknown = baseline.exists(name) if config is None else not config.selects(code)
        if unknown:
            entries[name, code] = (*known, *(one for one in entries.get((name, code), ()) if one not in known))
    return replace(baseline, entries=entries)
