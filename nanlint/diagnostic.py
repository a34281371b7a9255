"""What nanlint says: the frozen model of a finding and of its fix.

Every output format, the fixer and the editor are pure functions of these values. Nothing here reads source or analyses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Any

# Lines of one file by their place: the cell (None where there are no cells) and the row.
Excerpt = Mapping[tuple[int | None, int], str]

_SHORT = 4  # lines of a span that a frame shows before it leaves out the middle


class Confidence(IntEnum):
    """How sure a finding is, weakest first, so that levels compare."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    def __str__(self) -> str:
        return self.name.lower()


class Applicability(Enum):
    """Who may apply a fix.

    SAFE keeps values, shapes and dtypes wherever the original is finite (to a few ulp), and gradients where finite.
    UNSAFE changes values (an epsilon, a clip). DISPLAY is a suggestion, which a person has to apply.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"

    def __str__(self) -> str:
        return self.value


class Severity(Enum):
    """How loudly a finding is shown; set per rule in the configuration."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, order=True)
class Span:
    """A stretch of source text: 1-based rows, 1-based columns in characters (not bytes), end exclusive.

    ``cell`` is the number of a notebook's cell, counted from 1 over all its cells; then rows are those of the cell, and
    ``lines`` are the first and the last line of the notebook's file in which they are written.
    """

    row: int
    column: int
    end_row: int
    end_column: int
    cell: int | None = None
    lines: tuple[int, int] = field(default=(1, 1), compare=False, repr=False)

    @property
    def start(self) -> str:
        """``row:column``, with the cell in a notebook: ``cell 3:row:column``."""
        return f"{self.row}:{self.column}" if self.cell is None else f"cell {self.cell}:{self.row}:{self.column}"

    @property
    def in_file(self) -> Span:
        """Where that is in the file: in a notebook the lines that hold the rows of the cell, at their beginning."""
        return self if self.cell is None else Span(self.lines[0], 1, self.lines[1], 1)

    @property
    def shown_rows(self) -> Sequence[int]:
        """The rows that a frame shows: all of a short span, the first and last few of a long one."""
        rows = range(self.row, self.end_row + 1)
        return rows if len(rows) <= _SHORT else (*rows[: _SHORT // 2], *rows[-(_SHORT // 2) :])

    @property
    def empty(self) -> bool:
        """Whether it is a place between two characters."""
        return (self.row, self.column) == (self.end_row, self.end_column)

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share a character (an insertion point shares one only strictly inside)."""
        if self.cell != other.cell:
            return False
        start, end = (self.row, self.column), (self.end_row, self.end_column)
        return start < (other.end_row, other.end_column) and (other.row, other.column) < end


@dataclass(frozen=True)
class Edit:
    """Replace the text under ``span`` by ``content``; an empty span inserts.

    ``path``: the other file that it is in, as it is shown; empty in the file of the finding. ``lines``: those of the
    other file that it changes, each with its row.
    """

    span: Span
    content: str
    path: str = ""
    lines: tuple[tuple[int, str], ...] = field(default=(), compare=False, repr=False)


#: the forms that a project may choose among, where a fix has several: "short" is a safe one if that is short, else the
#: usual one
STYLES = ("short", "exact", "epsilon", "helper")


@dataclass(frozen=True)
class Fix:
    """A rewrite: edits that belong together, sorted and without overlap.

    ``message`` is the imperative label of the fix, in one line. ``display`` is the replacement as a reader should
    see it in the frame (for a DISPLAY fix it may be all there is: then ``edits`` is empty). ``changes``: ordinary
    numbers become others, too, as the message says. ``style``: what kind of form it is, of those that a project chooses
    among, if there are several.
    """

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...] = ()
    display: str = ""
    changes: bool = False
    style: str = ""

    @property
    def title(self) -> str:
        """How reports call it: ``fix (safe)``, ``fix (unsafe)``, or ``suggestion``."""
        return "suggestion" if self.applicability is Applicability.DISPLAY else f"fix ({self.applicability})"

    @property
    def edits_here(self) -> tuple[Edit, ...]:
        return tuple(edit for edit in self.edits if not edit.path)

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The other files that it changes, sorted."""
        return tuple(sorted({edit.path for edit in self.edits if edit.path}))

    def edits_in(self, path: str) -> tuple[Edit, ...]:
        return tuple(replace(edit, path="") for edit in self.edits if edit.path == path)


@dataclass(frozen=True)
class Annotation:
    """A labelled span: the cause underlined with ─, what it does in one phrase.

    ``path``: the other file that it stands in, as it is shown; empty in the file of the finding. ``lines``: those of
    the other file that a report may show, each with its row, for who shows them may not have read it. ``note``: it is
    shown with the causes and is none, so a comment there silences nothing.
    """

    span: Span
    message: str
    path: str = ""
    lines: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    note: bool = False

    @property
    def place(self) -> str:
        """``row:column`` or, in another file, ``path:row:column``."""
        return f"{self.path}:{self.span.start}" if self.path else self.span.start

    def excerpt(self, own: Excerpt) -> Excerpt:
        """The lines of its file; ``own`` are those of the file of the finding."""
        return {(None, row): line for row, line in self.lines} if self.path else own


@dataclass(frozen=True)
class Witness:
    """A concrete input and what it gives: rows of numbers by what the source calls them.

    ``gradient``: of the sum of the output with respect to each input, in the order of ``inputs``; None where none was
    taken. ``framework`` is the one that executed it; None where only the ranges of the operations say so.
    """

    inputs: tuple[tuple[str, tuple[float, ...]], ...]
    output: tuple[str, tuple[float, ...]]
    text: str
    gradient: tuple[tuple[str, tuple[float, ...]], ...] | None = None
    framework: str | None = None

    @property
    def executed(self) -> bool:
        """Whether a framework has really been run on the inputs."""
        return self.framework is not None


@dataclass(frozen=True)
class Part:
    """An expression that a finding is made of beside its own op: its place, its operands and poles as in ``Probe``."""

    span: Span
    operands: tuple[tuple[str, Span], ...] = ()
    op: str = ""
    poles: tuple[tuple[str, float, str], ...] = ()


@dataclass(frozen=True)
class Probe:
    """The op that a finding speaks of, as `nanlint verify` watches it at run time.

    ``span`` is the op's own expression, which the finding may underline a call of. ``operands``: neutral name and span
    of those that stand in it. The operand ``operand`` ("result": what comes out), shifted by ``shift``, must not be in
    the class ``cls``; with ``gradient`` it is the derivative that breaks there. Where no pole is known these are
    empty, and the finding is about a form: any of its ``parts`` may break. ``poles``: how near what comes by is to
    breaking is measured by these, each the name of an operand, what it is shifted by, and the class it must not be in
    ("empty": it must have elements).
    """

    span: Span
    op: str
    framework: str = ""
    operands: tuple[tuple[str, Span], ...] = ()
    operand: str = ""
    shift: float = 0.0
    cls: str = ""
    gradient: bool = False
    parts: tuple[Part, ...] = ()
    poles: tuple[tuple[str, float, str], ...] = ()


@dataclass(frozen=True)
class Diagnostic:
    """One finding in one file.

    ``message`` is one lower-case phrase without a full stop. ``effect`` is the phrase under the ^^^^ of ``span``;
    ``causes`` are the spans that make it so, in whatever file, nearest cause first, with notes behind them.
    ``witness`` is a concrete input and what it gives. ``refused``: why the fix that its rule has is not made.
    ``row``: what decided its level. ``sink``: what takes the gradient, or the value, where that is seen. ``slices``
    are what a proof executes to find one, ``probe`` is what a run watches, ``observed`` what one saw, ``saw`` the same
    in numbers, under the keys of the JSON. ``hazard``: the neutral name of the op that fails, where the rule is one of
    those about that op; ``others`` are rules that would report it, too. ``fingerprint`` tells it from others of its
    file even after lines have moved; ``reaches`` are places in the file that the result goes on to; ``new`` says
    whether a baseline lacks it (None: there is none).
    """

    path: str
    span: Span
    code: str
    name: str
    message: str
    confidence: Confidence
    severity: Severity = Severity.ERROR
    effect: str = ""
    causes: tuple[Annotation, ...] = ()
    witness: Witness | None = None
    fix: Fix | None = None
    refused: str = field(default="", compare=False, repr=False)
    row: str = field(default="", compare=False, repr=False)
    sink: str = field(default="", compare=False, repr=False)
    slices: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    probe: Probe | None = field(default=None, compare=False, repr=False)
    observed: str = ""
    saw: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    reaches: tuple[Annotation, ...] = field(default=(), compare=False, repr=False)
    hazard: str = field(default="", compare=False, repr=False)
    others: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    fingerprint: str = field(default="", compare=False, repr=False)
    new: bool | None = field(default=None, compare=False, repr=False)

    @property
    def cell(self) -> int | None:
        return self.span.cell

    @property
    def place(self) -> str:
        """``path:row:column``, with the cell in a notebook: ``path:cell 3:row:column``."""
        return f"{self.path}:{self.span.start}"

    @property
    def sentence(self) -> str:
        """The message, with what takes the gradient where that is seen: "...; reaches `loss.backward()` in line 8"."""
        return f"{self.message}; {self.sink}" if self.sink.startswith("reaches ") else self.message

    @property
    def causes_here(self) -> tuple[Annotation, ...]:
        return tuple(cause for cause in self.causes if not cause.path)

    def sort_key(self) -> tuple[str, int, Span, str]:
        """Findings are shown by file, then place, then code."""
        return (self.path, self.cell or 0, self.span, self.code)


@dataclass(frozen=True)
class Suppressed:
    """A finding that is not shown: by a comment with the reason it gives, or (``external``) known, with how."""

    diagnostic: Diagnostic
    justification: str = ""
    external: bool = False
