"""One file: from its bytes to its report.

    read ── prescan ── Source ── diagnose ── suppress ── select by confidence ── severity ── sort
                          └─────────────── fix, until nothing changes ──────────────┘

What each step does lives elsewhere; this module is the order they come in.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nanlint.config import Config
from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Excerpt, Fix, Span, Suppressed
from nanlint.disk import absolute, read_regular, reason
from nanlint.housekeeping import (
    CUT_SHORT,
    HOUSEKEEPING,
    INTERNAL_ERROR,
    RuleFailed,
    cut_short,
    internal_error,
    plugin_error,
    syntax_error,
)
from nanlint.interrupt import OutOfBudget, limited
from nanlint.lint.known_rules import roots_of, rule_names, runs
from nanlint.lint.report import Action, FileReport, Judge, Task
from nanlint.source.decoding import SourceError, reject_binary
from nanlint.source.discovery import shown_path
from nanlint.source.fingerprint import fingerprinted
from nanlint.source.prescan import prescan
from nanlint.source.project import Seen, in_project, view_of
from nanlint.source.reading import read_source
from nanlint.source.suppression import may_silence, may_suppress, silenced_at_causes, suppress
from nanlint.source.syntax import Unparsable
from nanlint.source.text import Source

if TYPE_CHECKING:
    from nanlint.fixes.outline import Outline
    from nanlint.lint.fixing import Fixed
    from nanlint.proof.pool import Pool

_DEPTH = 5000  # frames; some 3 MB of stack where a Python call takes C stack, of the usual 8


@dataclass(frozen=True)
class Examined:
    """The findings of one text, sorted: those that are shown, and those that its comments silence.

    ``below_threshold``: how many there are below the confidence that is shown, by confidence.
    """

    shown: tuple[Diagnostic, ...]
    suppressed: tuple[Suppressed, ...] = ()
    below_threshold: Counter[Confidence] = field(default_factory=Counter)


def diagnose_source(source: Source, config: Config) -> list[Diagnostic]:
    """The findings of one text under ``config``, sorted; never raises for what the text holds."""
    return list(examine_source(source, config).shown)


def examine_source(source: Source, config: Config, *, readback: bool = True, witnesses: bool = True) -> Examined:
    """The findings of one text under ``config`` and what is suppressed; never raises for what the text holds.

    ``readback``: whether it matters what fixes there are. ``witnesses``: whether an input that fails is looked for.
    """
    broken = [_syntax_error(source, failure) for failure in source.failures]
    try:
        source.tree  # noqa: B018  in a notebook a cell that does not parse leaves a tree of the others
    except Unparsable:
        return _examined(source, _shown(broken, config))
    if config.rule_files:
        rule_names(config.rule_files)  # a worker that is no fork of the program has not loaded them
    found = _numeric_findings(source, config, readback)
    if any(diagnostic.code in (INTERNAL_ERROR.code, CUT_SHORT.code) for diagnostic in found):
        # nothing is known of what the file's suppressions would have met
        return _examined(source, _shown([*broken, *found], config))
    if not found and not may_suppress(source.text, any_findings=False):
        return _examined(source, _shown(broken, config))
    rules = rule_names(config.rule_files)
    judged = suppress(source, found, rules, config.among(rules))
    shown = _shown([*broken, *map(source.fixable, judged.kept), *judged.remarks], config)
    examined = _examined(
        source,
        _with_witnesses(shown) if witnesses else shown,
        [replace(one, diagnostic=shown) for one in judged.silenced for shown in _shown([one.diagnostic], config)],
    )
    below = (one.confidence for one in judged.kept if config.selects(one.code) and one.confidence < config.confidence)
    return replace(examined, below_threshold=Counter(below))


def _syntax_error(source: Source, failure: Unparsable) -> Diagnostic:
    part = "file" if source.cell_at(failure.span.row) is None else "cell"
    return syntax_error(source.path, failure.span, failure.message, part)


def _examined(source: Source, shown: Sequence[Diagnostic], silenced: Sequence[Suppressed] = ()) -> Examined:
    marked = fingerprinted(source, [*shown, *(one.diagnostic for one in silenced)])
    return Examined(
        tuple(marked[: len(shown)]),
        tuple(replace(one, diagnostic=mark) for one, mark in zip(silenced, marked[len(shown) :], strict=True)),
    )


def _with_witnesses(shown: list[Diagnostic]) -> list[Diagnostic]:
    """Findings with the input that the ranges alone say fails, and with where the result of the first one goes."""
    if not any(diagnostic.slices for diagnostic in shown):
        return shown
    from nanlint.proof.ranges import witness_of_ranges

    return [
        replace(
            diagnostic,
            witness=next(filter(None, map(witness_of_ranges, diagnostic.slices)), None),
            reaches=tuple(
                Annotation(Span(*place), f"the result reaches {program.steps[number].name}")
                for program in diagnostic.slices[:1]
                for number, place in program.places.items()
            ),
        )
        for diagnostic in shown
    ]


def _numeric_findings(source: Source, config: Config, readback: bool) -> list[Diagnostic]:
    if config.selected is not None and config.selected <= HOUSEKEEPING.keys():
        return []
    from nanlint.rules import diagnose

    try:
        with room_to_recurse(), limited(config.file_timeout) as budget:
            found = diagnose(
                source,
                select=runs(config),
                ops=config.ops,
                in_full=config.confidence,
                silenced=lambda found: silenced_at_causes(source, found, rule_names(config.rule_files)),
                readback=readback,
                style=config.fix_style,
            )
        return [*found, *(cut_short(source.path, spent) for spent in (*budget.spent, *budget.notes)[:1])]
    except OutOfBudget as error:
        return [cut_short(source.path, str(error))]
    except RecursionError:
        return [internal_error(source.path, "too deeply nested to analyse")]
    except RuleFailed as error:
        return [plugin_error(source.path, str(error))]
    except Exception as error:
        if os.environ.get("NANLINT_DEBUG"):
            raise
        return [internal_error(source.path, f"{type(error).__name__}: {error}")]


class _Room:
    """The limit of the recursion: one for all threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = 0


_room = _Room()


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """The stack that reading deeply nested code takes."""
    # Generated code nests deeper than the default limit lets a recursive reading go. Not raised for ast.parse: its
    # recursion is in C, where the limit is what keeps the stack from overflowing.
    with _room.lock:
        if _room.users == 0:
            _room.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_room.before, _DEPTH))
        _room.users += 1
    try:
        yield
    finally:
        with _room.lock:
            _room.users -= 1
            if _room.users == 0:
                sys.setrecursionlimit(_room.before)


def _shown(found: Sequence[Diagnostic], config: Config) -> list[Diagnostic]:
    return sorted(
        (
            replace(
                diagnostic,
                severity=config.severity.get(diagnostic.code, diagnostic.severity),
                fix=_for_display(diagnostic.fix) if diagnostic.code in config.unfixable else diagnostic.fix,
            )
            for diagnostic in found
            if config.selects(diagnostic.code) and diagnostic.confidence >= config.confidence
        ),
        key=Diagnostic.sort_key,
    )


def _for_display(fix: Fix | None) -> Fix | None:
    return None if fix is None else replace(fix, applicability=Applicability.DISPLAY)


def run_task(task: Task, pool: Pool | None = None) -> FileReport:
    """Read, check and, if asked to, fix one file; with a pool no fix is made that its proof speaks against."""
    try:
        content = read_regular(task.path)
    except OSError as error:
        return FileReport(task.path, failure=f"{task.path}: could not be read: {reason(error)}", checked=False)
    report = run_bytes(content, task, pool)
    return _written(report, content, task) if task.action is Action.FIX else report


def run_bytes(content: bytes, task: Task, pool: Pool | None = None) -> FileReport:
    """Check and, if asked to, fix one file whose bytes are at hand; nothing is written."""
    config = task.config.for_file(absolute(task.path))
    try:
        reject_binary(content, task.path)
        # A file that was named is parsed in any case: that it cannot be is what its author wants to hear.
        numeric = prescan(content, roots_of(config))
        may_matter = task.explicit or numeric
        if not may_matter and b"import" not in content and b"def" not in content:
            return FileReport(task.path)  # nothing of other files comes into this one
        source = in_project(read_source(content, task.path), task.unsaved)
        numeric = not source.foreign and is_numeric(source, config)
        if not numeric:
            config = replace(config, selected=config.among(HOUSEKEEPING))  # the other rules need not be loaded
        if not may_matter and not numeric:
            return FileReport(task.path, seen=_seen(source))
    except SourceError as error:
        return FileReport(task.path, failure=str(error), checked=False)
    notes = tuple(_notes(source, task))
    if task.action is Action.CHECK:
        more = not task.finds_only
        examined = judged(source, config, task.judge, readback=more, witnesses=more)
        shown = examined.shown if more else tuple(replace(one, fix=None) for one in examined.shown)
        return FileReport(
            task.path,
            _in_cells(source, shown),
            notes=notes,
            excerpt=excerpt_of(source, examined.shown),
            suppressed=_suppressed_in_cells(source, examined.suppressed),
            below_threshold=examined.below_threshold,
            seen=_seen(source),
            numeric=numeric,
        )
    outcome = fix_source(source, config, unsafe=task.unsafe_fixes, pool=pool, judge=task.judge, others=task.others)
    report = _fixed_report(outcome, source)
    silenced = _silenced(outcome.source, config, task.judge)
    return replace(report, notes=(*notes, *report.notes), suppressed=silenced, seen=_seen(source), numeric=numeric)


def _seen(source: Source) -> Seen | None:
    """What was looked at in other files."""
    return view.seen if (view := view_of(source)) is not None else None


def _silenced(source: Source, config: Config, judge: Judge | None) -> tuple[Suppressed, ...]:
    """What comments silence in a mended text."""
    if not may_silence(source):
        return ()
    return _suppressed_in_cells(source, judged(source, config, judge, readback=False, witnesses=False).suppressed)


def _notes(source: Source, task: Task) -> Iterator[str]:
    if task.explicit and source.foreign:
        yield f"{task.path}: is a notebook in {source.foreign}, so nothing in it was checked"
    note = task.judge.note(source) if task.judge is not None else None
    if note is not None:
        yield note


def _in_cells(source: Source, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(map(source.in_cells, diagnostics))


def _suppressed_in_cells(source: Source, suppressed: Iterable[Suppressed]) -> tuple[Suppressed, ...]:
    return tuple(replace(one, diagnostic=source.in_cells(one.diagnostic)) for one in suppressed)


def judged(
    source: Source, config: Config, judge: Judge | None, *, readback: bool = True, witnesses: bool = True
) -> Examined:
    """The findings of one text, after what a run saw if there was one."""
    if judge is None:
        return examine_source(source, config, readback=readback, witnesses=witnesses)
    examined = examine_source(
        source, replace(config, confidence=Confidence.POSSIBLE), readback=readback, witnesses=witnesses
    )
    shown = judge.judged(source, examined.shown, config.confidence)
    sure = tuple(one for one in examined.suppressed if one.diagnostic.confidence >= config.confidence)
    below_threshold = Counter(one.confidence for one in examined.shown if one.confidence < config.confidence)
    return Examined(tuple(shown), sure, below_threshold)


def is_numeric(source: Source, config: Config) -> bool:
    """Whether a text uses a numeric package, by itself or through modules of its project, or is used with one."""
    roots = roots_of(config)
    if prescan(source.text.encode("utf-8", "replace"), roots):
        return True
    try:
        around = view.packages_around(source.tree) if (view := view_of(source)) is not None else ()
        return any(not packages.isdisjoint(roots) for packages in around)
    except Unparsable:
        return False


def fix_source(
    source: Source,
    config: Config,
    *,
    unsafe: bool,
    pool: Pool | None = None,
    judge: Judge | None = None,
    others: Collection[str] = (),
    formats: bool = True,
) -> Fixed:
    """Mend what may be mended, until nothing changes; nothing is written. ``others``: as in Task.

    ``formats``: whether the formatter of the project may be run.
    """
    from nanlint.lint.fixing import fix_until_stable

    examined = Examined(())

    def diagnose(text: Source) -> list[Diagnostic]:
        nonlocal examined
        # of findings that will be mended no input is asked for
        examined = judged(text, config, judge, witnesses=False)
        return list(examined.shown)

    tidy = tidying(config, formats)
    if pool is None:
        fixed = fix_until_stable(source, diagnose, unsafe=unsafe, others=others, tidy=tidy)
    else:
        from nanlint.lint.proving import FixProof

        proof = FixProof(pool, config.ops, config.prove_timeout)
        fixed = fix_until_stable(source, diagnose, unsafe=unsafe, refusal=proof.refusal, others=others, tidy=tidy)
    return replace(
        fixed, remaining=tuple(_with_witnesses(list(fixed.remaining))), below_threshold=examined.below_threshold
    )


def tidying(config: Config, formats: bool) -> Callable[[Source, Source], Source]:
    """What tidies a text after its fixes; what it needs is imported where there were any."""

    def outlined(text: Source) -> Outline:
        from nanlint.fixes.file import File
        from nanlint.rules.diagnose import analysed

        return File(analysed(text, config.ops)).outline

    def tidy(before: Source, after: Source) -> Source:
        from nanlint.fixes.formatting import formatted
        from nanlint.fixes.tidying import tidied

        tidy = tidied(before, after, outlined)
        return formatted(before, tidy) if formats and not (before.failures or tidy.failures) else tidy

    return tidy


def _fixed_report(outcome: Fixed, source: Source) -> FileReport:
    return FileReport(
        path=source.path,
        diagnostics=_in_cells(outcome.source, outcome.remaining),
        fixed=_in_cells(source, outcome.fixed),
        before=source if outcome.fixed else None,
        after=outcome.source if outcome.fixed else None,
        notes=outcome.notes,
        excerpt=excerpt_of(outcome.source, outcome.remaining),
        below_threshold=outcome.below_threshold,
        others=tuple(_changed_elsewhere(source, outcome.source)),
    )


def _changed_elsewhere(source: Source, mended: Source) -> Iterator[tuple[Source, Source]]:
    """Other files before and after, where the fixes of a text have changed them."""
    if (view := view_of(source)) is None or (now := view_of(mended)) is None:
        return
    for path, text in sorted(now.unsaved.items()):
        before = view.text(path)
        if text != before.text:
            yield before, before.replaced([(0, len(before.text), text)])


def excerpt_of(source: Source, diagnostics: Sequence[Diagnostic]) -> Excerpt:
    """The lines a report may show: those of short spans, first and last few of long ones, and all that edits touch."""
    rows: set[int] = set()
    for diagnostic in diagnostics:
        for edit in diagnostic.fix.edits_here if diagnostic.fix is not None else ():
            rows.update(range(edit.span.row, edit.span.end_row + 1))
        for span in (diagnostic.span, *(cause.span for cause in diagnostic.causes_here)):
            rows.update(span.shown_rows)
    return {source.row_in_cell(row): source.shown[row - 1] for row in sorted(rows) if row <= len(source.lines)}


def _written(report: FileReport, content: bytes, task: Task) -> FileReport:
    """The report once mended files are on disk; if they cannot be, the findings are all still there."""
    from nanlint.source.writing import write_together

    if report.before is None or report.after is None:
        return report
    try:
        if report.before.to_bytes() != content:
            raise SourceError(
                f"{report.path}: cannot be written back in its encoding {report.before.encoding}, so it was not fixed"
            )
        others = ((shown_path(old.path), old.to_bytes(), new.to_bytes()) for old, new in report.others)
        write_together([(report.path, content, report.after.to_bytes()), *others])
    except SourceError as error:
        unfixed = run_bytes(content, replace(task, action=Action.CHECK))
        return replace(unfixed, failure=str(error), notes=report.notes)
    return replace(report, before=None, after=None)


def written_here(report: FileReport, task: Task) -> FileReport:
    """The report of a file that was mended elsewhere, once it is on this disk."""
    if task.action is not Action.FIX or report.before is None:
        return report
    return _written(report, report.before.to_bytes(), task)
