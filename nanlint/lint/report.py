"""What a check is asked for, and what it gives: for one file, and for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from nanlint.config import Config
from nanlint.diagnostic import Confidence, Diagnostic, Excerpt, Suppressed
from nanlint.selection import ALWAYS_ON
from nanlint.source.project import Seen
from nanlint.source.text import Source


class Action(Enum):
    """What to do about fixes: nothing, write them, or show what writing them would change."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"


class Memory(Protocol):
    """Knows the reports of tasks whose files have not changed since."""

    def recall(self, task: Task) -> FileReport | None:
        """The report of a task, if it still holds."""

    def keep(self, task: Task, report: FileReport) -> None:
        """Remember the report of a task that was not known."""

    def save(self) -> None:
        """Make what was remembered last."""


class Judge(Protocol):
    """Knows more of the findings of a text than the text says: what a run saw."""

    def judged(self, source: Source, found: Sequence[Diagnostic], least: Confidence) -> list[Diagnostic]:
        """Of all that is possible in a text what is at least as sure as ``least``, once it is judged."""

    def note(self, source: Source) -> str | None:
        """What the user should hear of how a text was judged."""


@dataclass(frozen=True)
class Task:
    """One file to check, with all a worker needs to know.

    ``others``: real paths of files that a fix may change, too. ``unsaved``: texts of other files, as in View.
    ``finds_only``: the findings matter, and neither their fixes nor inputs that fail, which are left out.
    """

    path: str
    config: Config
    action: Action = Action.CHECK
    unsafe_fixes: bool = False
    explicit: bool = False
    judge: Judge | None = None
    others: tuple[str, ...] = ()
    unsaved: Mapping[str, str] = field(default_factory=dict)
    finds_only: bool = False


@dataclass(frozen=True)
class FileReport:
    """What came of one file.

    ``diagnostics`` are those that remain, ``fixed`` those that were (or with Action.DIFF would be) mended, ``failure``
    says why the file could not be checked or written, ``notes`` what else the user should hear, ``excerpt`` holds the
    lines that the diagnostics and their fixes speak of, by cell (None where there are none) and row. ``suppressed`` are
    findings that are not shown, ``ignored`` those of them that this run has silenced by a comment. ``seen``: what of
    other files they depend on. ``others``: other files before and after the fixes.

    ``below_threshold``: how many findings there are below the confidence that is shown, by confidence. ``numeric``:
    whether it uses a numeric framework, by itself or through its project.
    """

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()
    before: Source | None = None
    after: Source | None = None
    failure: str | None = None
    checked: bool = True
    notes: tuple[str, ...] = ()
    excerpt: Excerpt = field(default_factory=dict)
    suppressed: tuple[Suppressed, ...] = ()
    ignored: tuple[Diagnostic, ...] = ()
    below_threshold: Counter[Confidence] = field(default_factory=Counter)
    seen: Seen | None = None
    others: tuple[tuple[Source, Source], ...] = ()
    numeric: bool = False

    def without(self, known: Collection[str], reason: str) -> FileReport:
        """The report without what is known by its fingerprint: that is among what is suppressed, and all else new.

        What was called new stays so.
        """
        found = [
            replace(one, new=one.new is True or one.code in ALWAYS_ON or one.fingerprint not in known)
            for one in self.diagnostics
        ]
        hidden = (Suppressed(one, reason, external=True) for one in found if not one.new)
        shown = tuple(one for one in found if one.new)
        return replace(self, diagnostics=shown, suppressed=(*self.suppressed, *hidden))


@dataclass(frozen=True)
class Report:
    """What came of all files, in order of their paths, and of the paths that led to none; ``notes`` on the whole."""

    files: tuple[FileReport, ...] = ()
    failures: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that remain, by file, place, code."""
        return tuple(diagnostic for file in self.files for diagnostic in file.diagnostics)

    @property
    def fixed(self) -> tuple[Diagnostic, ...]:
        """All that were mended."""
        return tuple(diagnostic for file in self.files for diagnostic in file.fixed)

    @property
    def ignored(self) -> tuple[Diagnostic, ...]:
        """All that this run has silenced by a comment."""
        return tuple(diagnostic for file in self.files for diagnostic in file.ignored)

    @property
    def known(self) -> Counter[str]:
        """How many are known already, by how: they are in a baseline, or were there before a revision."""
        return Counter(one.justification for file in self.files for one in file.suppressed if one.external)

    @property
    def below_threshold(self) -> Counter[Confidence]:
        """How many are below the confidence that is shown, by confidence."""
        return sum((file.below_threshold for file in self.files), Counter[Confidence]())

    @property
    def messages(self) -> tuple[str, ...]:
        """Why some paths or files could not be checked or written."""
        return (*self.failures, *(file.failure for file in self.files if file.failure is not None))

    @property
    def numeric(self) -> int:
        """How many files use a numeric framework, by themselves or through their project."""
        return sum(file.numeric for file in self.files)

    @property
    def checked(self) -> int:
        """How many files were read, whether or not they could matter."""
        return sum(file.checked for file in self.files)
