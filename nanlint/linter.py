"""The pipeline: from paths to a Report, for one file and for many.

    discover ── read ── prescan ── Source ── diagnose ── suppress ── select by confidence ── severity ── sort
                                      └─────────────── fix, until nothing changes ──────────────┘

What each step does lives elsewhere; this module is the order they come in.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from nanlint.config import Config, ConfigError, Configs
from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Excerpt, Fix, Span, Suppressed
from nanlint.disk import absolute, read_regular, reason
from nanlint.entry_points import installed
from nanlint.housekeeping import (
    CUT_SHORT,
    HOUSEKEEPING,
    INTERNAL_ERROR,
    RuleFailed,
    RulePage,
    cut_short,
    internal_error,
    plugin_error,
    syntax_error,
)
from nanlint.interrupt import OutOfBudget, limited
from nanlint.source.decoding import SourceError, reject_binary
from nanlint.source.discovery import affected, and_affected, discover, shown_path
from nanlint.source.fingerprint import fingerprinted
from nanlint.source.prescan import prescan
from nanlint.source.project import Seen, forget, in_project
from nanlint.source.reading import read_source
from nanlint.source.roots import ROOTS
from nanlint.source.suppression import may_silence, may_suppress, silenced_at_causes, suppress
from nanlint.source.syntax import Unparsable
from nanlint.source.text import Source

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nanlint.fixes.outline import Outline
    from nanlint.fixing import Fixed
    from nanlint.frontend.imports import Import
    from nanlint.proof.pool import Pool


_DEPTH = 5000  # frames; some 3 MB of stack where a Python call takes C stack, of the usual 8


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
    ``readback``: whether fixes are read back that are not made; those that are made are in any case.
    """

    path: str
    config: Config
    action: Action = Action.CHECK
    unsafe_fixes: bool = False
    explicit: bool = False
    judge: Judge | None = None
    others: tuple[str, ...] = ()
    unsaved: Mapping[str, str] = field(default_factory=dict)
    readback: bool = True


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
    def known(self) -> int:
        """How many the baseline hides."""
        return sum(one.external for file in self.files for one in file.suppressed)

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


def all_rules() -> Mapping[str, RulePage]:
    """Every rule by its code, those about the check itself first."""
    from nanlint.plugins import load_installed
    from nanlint.rules import RULES

    load_installed()
    return {**HOUSEKEEPING, **RULES}


def rules_in(patterns: Sequence[str], root: str, file: str | None) -> tuple[tuple[str, ...], Mapping[str, str]] | None:
    """The rule files that a configuration in ``root`` names, and the rules that they hold; None if it is not trusted.

    ``file``: where the configuration stands, if it is not the caller's own. Raises ConfigError.
    """
    from nanlint.plugins import load_files, rule_files
    from nanlint.trust import is_trusted

    if file is not None and not is_trusted(file):
        return None
    files = rule_files(patterns, root)
    return files, load_files(files)


def without_rules(config: Config) -> str:
    """That the rule files of a configuration were not loaded, and what to do about it."""
    directory = os.path.dirname(config.file or "")
    named = ", ".join(f'"{pattern}"' for pattern in config.untrusted)
    return (
        f"{shown_path(config.file or '')}: the rules {named} were not loaded: rule files are code that nanlint "
        "would run, and "
        f"{directory} is not trusted; if you trust it, run `nanlint trust {shlex.quote(directory)}` once, "
        "or use --trust"
    )


def reject_untrusted(configs: Iterable[Config]) -> None:
    """Raise ConfigError for the first configuration that is not followed, so that nothing passes without its rules."""
    for config in configs:
        if config.untrusted:
            raise ConfigError(without_rules(config))


def rule_names(files: Sequence[str] = ()) -> Mapping[str, str]:
    """Code -> name: our own rules, those of installed packages and those in rule files. Raises ConfigError."""
    from nanlint.plugins import is_file, load_files

    shared = {code: rule.name for code, rule in all_rules().items() if not is_file(code)}
    return {**shared, **load_files(files)} if files else shared


def ops_problem(ops: Mapping[str, object]) -> str | None:
    """What is wrong with the user's part of the catalogue, if anything."""
    from nanlint.ops.catalogue import catalogue
    from nanlint.ops.spelling import SpellingError

    try:
        catalogue(ops)
    except SpellingError as error:
        return str(error)
    return None


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

    ``readback``: as in Task. ``witnesses``: whether an input that fails is looked for.
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


def runs(config: Config) -> Callable[[str], bool]:
    """Which rules run, by code: those that are selected, and our own that are ignored.

    An ignored rule claims its hazards, so that no other rule reports them; ``_shown`` leaves out its findings.
    """
    from nanlint.rules import RULES

    names = rule_names(config.rule_files)

    def is_run(code: str) -> bool:
        known = RULES.get(code)
        if code not in names or (known is not None and known.preview and not config.preview):
            return False
        return config.selects(code) or (code in config.ignored and known is not None and not known.origin)

    return is_run


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
        examined = _judged(source, config, task.judge, readback=task.readback)
        return FileReport(
            task.path,
            _in_cells(source, examined.shown),
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
    return source.view.seen if source.view is not None else None


def _silenced(source: Source, config: Config, judge: Judge | None) -> tuple[Suppressed, ...]:
    """What comments silence in a mended text."""
    if not may_silence(source):
        return ()
    return _suppressed_in_cells(source, _judged(source, config, judge, readback=False, witnesses=False).suppressed)


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


def _judged(
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
        around = source.view.packages_around(source.tree) if source.view is not None else ()
        return any(not packages.isdisjoint(roots) for packages in around)
    except Unparsable:
        return False


def roots_of(config: Config) -> tuple[str, ...]:
    """The packages that make a file worth parsing: the frameworks, and those of the user's own ops."""
    return (*ROOTS, *_roots_of_plugins(config), *(name.partition(".")[0] for name in config.ops))


def _roots_of_plugins(config: Config) -> Collection[str]:
    """The packages whose functions plugins spell; where there are no plugins, the catalogue is not loaded."""
    if not installed() and not config.rule_files:
        return ()
    from nanlint.ops.catalogue import plugin_roots
    from nanlint.plugins import load_installed

    load_installed()
    return plugin_roots()


def fix_source(
    source: Source,
    config: Config,
    *,
    unsafe: bool,
    pool: Pool | None = None,
    judge: Judge | None = None,
    others: Collection[str] = (),
) -> Fixed:
    """Mend what may be mended, until nothing changes; nothing is written. ``others``: as in Task."""
    from nanlint.fixing import fix_until_stable

    examined = Examined(())

    def diagnose(text: Source) -> list[Diagnostic]:
        nonlocal examined
        # of findings that will be mended no input is asked for
        examined = _judged(text, config, judge, witnesses=False)
        return list(examined.shown)

    tidy = tidying(config)
    if pool is None:
        fixed = fix_until_stable(source, diagnose, unsafe=unsafe, others=others, tidy=tidy)
    else:
        from nanlint.proving import FixProof

        proof = FixProof(pool, config.ops, config.prove_timeout)
        fixed = fix_until_stable(source, diagnose, unsafe=unsafe, refusal=proof.refusal, others=others, tidy=tidy)
    return replace(
        fixed, remaining=tuple(_with_witnesses(list(fixed.remaining))), below_threshold=examined.below_threshold
    )


def tidying(config: Config) -> Callable[[Source, Source], Source]:
    """What tidies a text after its fixes; what it needs is imported where there were any."""

    def outlined(text: Source) -> Outline:
        from nanlint.fixes.file import File
        from nanlint.rules.diagnose import analysed

        return File(analysed(text, config.ops)).outline

    def tidy(before: Source, after: Source) -> Source:
        from nanlint.fixes.tidying import tidied

        return tidied(before, after, outlined)

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
    if source.view is None or mended.view is None:
        return
    for path, text in sorted(mended.view.unsaved.items()):
        before = source.view.text(path)
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


def _written_here(report: FileReport, task: Task) -> FileReport:
    """The report of a file that was mended elsewhere, once it is on this disk."""
    if task.action is not Action.FIX or report.before is None:
        return report
    return _written(report, report.before.to_bytes(), task)


# Many files


def unresolved(report: Report, content: bytes | None = None) -> tuple[Import, ...]:
    """What was not resolved in the projects of the files of a report, and in the files that were read for their sake.

    Sorted by place. ``content``: what the one file of the report holds, if it is not on disk.
    """
    from nanlint.frontend.imports import limits, resolved_imports, source_at

    found: set[Import] = set()
    at_hand = {} if content is None else {os.path.realpath(file.path): content for file in report.files}
    seen = {os.path.realpath(file.path): file.seen or Seen() for file in report.files}
    others = {os.path.realpath(path) for one in seen.values() for path, stamp in one.files if stamp is not None}
    for path in sorted(others.union(seen)):
        try:
            source = in_project(read_source(at_hand[path], path)) if path in at_hand else source_at(path)
            imports = resolved_imports(source)
        except (SourceError, Unparsable):  # what imports it, or the check of it, says so
            continue
        found.update(one for one in imports if one.problem)
    return tuple(sorted(found.union(limits(seen))))


def check(
    paths: Sequence[str],
    configs: Configs,
    *,
    action: Action = Action.CHECK,
    unsafe_fixes: bool = False,
    prove: bool = False,
    readback: bool = True,
    judge: Judge | None = None,
    jobs: int | None = 1,
    on_progress: Callable[[int, int], None] | None = None,
    changed_since: str | None = None,
    with_affected: bool = False,
    force_exclude: bool = False,
    memory: Memory | None = None,
    on_configs: Callable[[Collection[Config]], None] | None = None,
    executor: Executor | None = None,
) -> Report:
    """Check all that ``paths`` lead to; the Report is the same for every ``jobs`` (None: as many as there are cores).

    ``on_progress`` hears how many files are done, of how many. ``prove``: findings and fixes are executed.
    ``readback``: as in Task.
    ``judge``: what a run has to say of them. ``changed_since``: a git revision, to leave out what cannot be judged
    otherwise than then. ``with_affected``: files that are judged by what the others hold are checked, too.
    ``force_exclude``: what is excluded is left out even if it is named. ``memory``: what of an earlier check may be
    good still. ``on_configs`` hears the configurations of the files before any is read or written, and may raise.
    ``executor``: what runs the checks, ``jobs`` at a time, if not processes of this machine; files are written here.
    Raises GitError, and ConfigError where rule files were not loaded, since nobody has said that they may run.
    """
    forget()
    found = discover(paths, configs, force_exclude=force_exclude)
    reject_untrusted(file.config for file in found.files)
    if changed_since is not None:
        found = affected(found, changed_since, configs)
    if with_affected:
        found = and_affected(found, configs)
    if on_configs is not None:
        on_configs([file.config for file in found.files])
    tasks = [
        Task(file.path, file.config, action, unsafe_fixes, file.explicit, judge, readback=readback)
        for file in found.files
    ]
    if not prove:
        reports = _mended_together(run_missing(tasks, jobs, on_progress, memory, executor), tasks)
        return Report(tuple(reports), found.failures)
    from nanlint.proof.pool import Pool

    with Pool() as pool:
        # fixes ask for proofs on the way, so one process makes them; findings are proved together at the end
        fixing = pool if action is not Action.CHECK else None
        run = _run_all(tasks, 1 if fixing else jobs, on_progress, fixing, None if fixing else executor)
        reports = _mended_together(run, tasks, fixing)
        return Report(_proved(reports, tasks, pool), found.failures)


def check_bytes(content: bytes, task: Task, *, prove: bool = False) -> Report:
    """Check one text that is at hand; nothing is written. Raises ConfigError as ``check``."""
    reject_untrusted([task.config])
    if not prove:
        return Report((run_bytes(content, task),))
    from nanlint.proof.pool import Pool

    with Pool() as pool:
        return Report(_proved([run_bytes(content, task, pool)], [task], pool))


def _proved(reports: Sequence[FileReport], tasks: Sequence[Task], pool: Pool) -> tuple[FileReport, ...]:
    """The reports with what executing the findings showed; those that are no longer sure enough are gone."""
    from nanlint.proving import proved

    answers: dict[float, Iterator[Diagnostic]] = {}
    for seconds in {task.config.prove_timeout for task in tasks}:
        asked = [
            d for r, t in zip(reports, tasks, strict=True) if t.config.prove_timeout == seconds for d in r.diagnostics
        ]
        answers[seconds] = iter(proved(pool, asked, seconds))
    found = []
    for report, task in zip(reports, tasks, strict=True):
        judged = [next(answers[task.config.prove_timeout]) for _ in report.diagnostics]
        kept = tuple(one for one in judged if one.confidence >= task.config.confidence)
        found.append(replace(report, diagnostics=kept))
    return tuple(found)


def _mended_together(
    reports: Sequence[FileReport], tasks: Sequence[Task], pool: Pool | None = None
) -> Sequence[FileReport]:
    """The reports once fixes that change several of the files are made, too: one file after the other."""
    if all(task.action is Action.CHECK for task in tasks):
        return reports
    found = list(reports)
    numbers = {os.path.realpath(task.path): number for number, task in enumerate(tasks)}
    for number, task in enumerate(tasks):
        if not _has_fix_of_several(found[number], task, numbers):
            continue
        shown = {path: after.text for path, i in numbers.items() if i != number and (after := found[i].after)}
        found[number] = _run_again(found[number], replace(task, others=tuple(numbers), unsaved=shown), pool)
        for before, after in found[number].others:
            other = numbers[os.path.realpath(before.path)]
            if task.action is Action.FIX:
                found[other] = _run_again(found[other], tasks[other], pool)
            else:
                first = found[other].before or replace(before, path=tasks[other].path)
                found[other] = replace(found[other], before=first, after=replace(after, path=tasks[other].path))
    return found


def _has_fix_of_several(report: FileReport, task: Task, files: Collection[str]) -> bool:
    from nanlint.fixing import applicable, within

    return any(
        one.fix is not None and one.fix.elsewhere and applicable(one, unsafe=task.unsafe_fixes) and within(one, files)
        for one in report.diagnostics
    )


def _run_again(report: FileReport, task: Task, pool: Pool | None) -> FileReport:
    """The report of a file that was mended, or is to be shown so, once it is mended further."""
    if task.action is Action.FIX or report.after is None:
        again = run_task(task, pool)
    else:
        again = run_bytes(report.after.to_bytes(), task, pool)
    after = again.after or report.after
    return replace(again, fixed=(*report.fixed, *again.fixed), before=report.before or again.before, after=after)


def run_missing(
    tasks: Sequence[Task],
    jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
    memory: Memory | None,
    executor: Executor | None = None,
) -> Sequence[FileReport]:
    """The reports of ``tasks``, of which only those that are not in memory are run.

    A file in which, as is known, no fix is applied is not checked again to fix it.
    """
    if memory is None:
        return _run_all(tasks, jobs, on_progress, executor=executor)
    known = [memory.recall(task) for task in tasks]
    missing = [task for task, report in zip(tasks, known, strict=True) if report is None]
    found = _run_all(missing, jobs, on_progress, executor=executor)
    for task, report in zip(missing, found, strict=True):
        memory.keep(task, report)
    memory.save()
    fresh = iter(found)
    return [report or next(fresh) for report in known]


def _run_all(
    tasks: Sequence[Task],
    jobs: int | None,
    on_progress: Callable[[int, int], None] | None,
    pool: Pool | None = None,
    executor: Executor | None = None,
) -> Sequence[FileReport]:
    from nanlint.parallel import cores, run_parallel, worth_workers

    wanted = cores() if jobs is None else jobs
    if executor is not None:
        sent = [replace(task, action=Action.DIFF) if task.action is Action.FIX else task for task in tasks]
        found = run_parallel(run_task, sent, wanted, _lost, on_progress, executor)
        return [_written_here(report, task) for report, task in zip(found, tasks, strict=True)]
    if wanted > 1 and worth_workers(len(tasks), asked_for=jobs is not None):
        rule_names()  # loaded here, they are loaded in every worker that is a fork
        return run_parallel(run_task, tasks, wanted, _lost, on_progress)
    reports = []
    for number, task in enumerate(tasks, 1):
        reports.append(run_task(task, pool))
        if on_progress is not None:
            on_progress(number, len(tasks))
    return reports


def _lost(task: Task) -> FileReport:
    """The report of a file that kills the process that checks it."""
    return FileReport(task.path, (internal_error(task.path, "the process that checked it was terminated"),))
