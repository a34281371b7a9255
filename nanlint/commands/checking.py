"""What ``nanlint check`` does with its options, once or until the user has seen enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING

import click

from nanlint.baseline import Baseline
from nanlint.commands.base import (
    CLEAN,
    COULD_NOT_RUN,
    FINDINGS,
    Unusable,
    cache_directory,
    configs_for,
    is_painted,
    kept_answers,
    paint_for,
    say,
    warn_of_untrusted,
    writable,
    write_report,
)
from nanlint.commands.baselines import known_from_now_on, see_baselines, without_known
from nanlint.commands.printing import (
    TABULATED,
    exit_code_of,
    print_diff,
    print_mended,
    print_messages,
    print_unresolved,
    rendered,
)
from nanlint.config import CONFIDENCES, SEVERITIES, Config, Configs, Options
from nanlint.diagnostic import Confidence, Diagnostic, Severity
from nanlint.disk import LARGEST
from nanlint.entry_points import installed
from nanlint.housekeeping import CUT_SHORT, INTERNAL_ERROR
from nanlint.lint import many_files
from nanlint.lint.report import Action, Judge, Report, Task
from nanlint.output.formats import FORMATS, render
from nanlint.output.paint import plain
from nanlint.output.progress import ProgressBar
from nanlint.output.summary import counted, render_fixed
from nanlint.output.view import View
from nanlint.refused import Refused
from nanlint.source.discovery import affected, and_affected, discover

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nanlint.cache.reports import Reports


@dataclass(frozen=True)
class CheckOptions(Options):
    """What is to be checked, and what becomes of it: the options by their names."""

    paths: tuple[str, ...] = (".",)
    fix: bool = False
    fix_only: bool = False
    show_fixes: bool = False
    diff: bool = False
    add_ignore: str | None = None
    prove: bool = False
    with_run: tuple[str, ...] = ()
    output_format: str = "full"
    output_file: str | None = None
    outputs: tuple[tuple[str, str], ...] = ()
    statistics: bool = False
    fail_on: str | None = None
    write_baseline: str | None = None
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    show_files: bool = False
    watch: bool = False
    changed_since: str | None = None
    with_affected: bool = False
    force_exclude: bool = False
    stdin_filename: str | None = None
    color: str = "auto"
    cache_dir: str | None = None
    no_cache: bool = False
    jobs: int | None = None
    executor: str | None = None
    quiet: bool = False
    verbose: bool = False

    @property
    def from_stdin(self) -> bool:
        return "-" in self.paths

    @property
    def action(self) -> Action:
        """What to do with fixes: --diff --add-ignore shows the comments alone, and with --fix the fixes, too."""
        fix = self.fix or self.fix_only
        shows = self.diff and (fix or self.add_ignore is None)
        return Action.DIFF if shows else Action.FIX if fix and not self.diff else Action.CHECK

    def fails(self, finding: Diagnostic) -> bool:
        """Whether a finding makes the check fail."""
        severities = list(Severity)
        loud = severities[: severities.index(SEVERITIES.get(self.fail_on or "", Severity.ERROR)) + 1]
        return (
            finding.confidence >= CONFIDENCES.get(self.fail_on or "", Confidence.POSSIBLE) and finding.severity in loud
        )

    def reject_contradictions(self) -> None:
        """Raise UsageError for options that cannot be combined, or cannot be used."""
        beside_executor = {
            "standard input (-)": self.from_stdin,
            "--jobs": self.jobs is not None,
            "--prove --fix or --prove --diff": self.prove and (self.fix or self.fix_only or self.diff),
        }
        tables = ", ".join(TABULATED)
        contradictions = {
            "--quiet and --verbose cannot be combined": self.quiet and self.verbose,
            f"--statistics does not support --output-format {self.output_format}; use one of {tables}": self.statistics
            and self.output_format not in TABULATED,
            "--write-baseline cannot be combined with --diff or standard input (-)": self.write_baseline is not None
            and (self.diff or self.from_stdin),
            "the reason of --add-ignore must be on one line": len((self.add_ignore or "").splitlines()) > 1,
            "--changed-since cannot be combined with standard input (-)": self.changed_since and self.from_stdin,
            "--affected cannot be combined with standard input (-)": self.with_affected and self.from_stdin,
            "--changed-since checks affected files anyway; leave out --affected": self.changed_since
            and self.with_affected,
            **{
                f"--executor cannot be combined with {name}": self.executor is not None and given
                for name, given in beside_executor.items()
            },
            "standard input (-) cannot be checked together with other paths": self.from_stdin and len(self.paths) > 1,
        }
        for message, given in contradictions.items():
            if given:
                raise click.UsageError(message)


def checked(options: CheckOptions, last: _Last | None = None) -> int:
    """Check once, and print what is found; the exit code. ``last``: what `--watch` keeps."""
    configs = configs_for(options)
    options.reject_contradictions()
    for path in (*(path for _, path in options.outputs), *filter(None, [options.write_baseline, options.output_file])):
        writable(path)
    if "baseline" in options.keys and options.write_baseline is None:
        Baseline.read(options.keys["baseline"])  # says what is wrong with it before anything is fixed
    if options.show_files:
        return _show_files(options, configs)
    began = datetime.now(timezone.utc)
    judge = observed(options.with_run) if options.with_run else None
    answers = None if last is not None or _does_more(options) else kept_answers()
    if answers is not None:
        answers.begin()
    content = _standard_input() if options.from_stdin else None
    if content is not None:
        report = _check_stdin(content, options, configs, judge)
    else:
        report = _check_paths(options, configs, judge, last)
    if answers is not None and any(one.code in (INTERNAL_ERROR.code, CUT_SHORT.code) for one in report.diagnostics):
        answers.drop()  # it may go better the next time
    report = _as_asked(report, options, configs, content)
    code = exit_code_of(report, findings=_fails(report, options), exit_zero=options.exit_zero)
    view = View(report, unsafe=options.unsafe_fixes, exit_code=code, began=began, fails=options.fails)
    _print(view, options, content)
    return code


def observed(runs: tuple[str, ...]) -> Judge:
    """What kept runs say of findings. Raises RunError if one cannot be read."""
    from nanlint.runtime.with_run import ObservedRun

    return ObservedRun(runs)


def _does_more(options: CheckOptions) -> bool:
    """Whether it does more than to print what follows from the files and the arguments."""
    writes = options.add_ignore is not None or options.write_baseline is not None or options.outputs
    git = options.changed_since is not None or options.with_affected
    others = options.prove or options.with_run or git or options.from_stdin
    dated = FORMATS[options.output_format].dated or options.output_file is not None
    return bool(writes or others or dated or options.action is Action.FIX)


def _as_asked(report: Report, options: CheckOptions, configs: Configs, content: bytes | None) -> Report:
    """What is reported of what was found: without what is known, or is silenced by now."""
    if options.write_baseline is not None:
        report = known_from_now_on(report, configs, options.write_baseline, options.quiet)
    else:
        complete = "confidence" not in options.keys and not options.prove and not options.with_run
        report = without_known(report, configs, complete=complete)
    if options.changed_since is not None or options.with_affected:
        report = _without_earlier(report, options, configs)
    if options.add_ignore is not None and report.diagnostics:
        from nanlint.silencing import silence

        write = not options.diff and not options.from_stdin
        report = silence(report, configs, options.add_ignore, write=write, content=content)
    return report


def _without_earlier(report: Report, options: CheckOptions, configs: Configs) -> Report:
    """What is new since a revision; without one since the commit that pre-commit compares with, or the last one."""
    from nanlint.since import without_earlier
    from nanlint.source.git import GitError

    if options.changed_since is not None:
        return without_earlier(report, options.changed_since, configs)
    last = os.environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    try:
        return without_earlier(report, last, configs, whole={os.path.realpath(path) for path in options.paths})
    except GitError:
        return report  # no repository, or no commit yet: all is new


def _fails(report: Report, options: CheckOptions) -> bool:
    if options.diff:
        return any(file.after is not None for file in report.files)
    failing = any(map(options.fails, report.diagnostics))
    return (failing and not options.fix_only) or bool(options.exit_non_zero_on_fix and report.fixed)


def _print(view: View, options: CheckOptions, content: bytes | None) -> None:
    """The reports, to where they were asked for. ``content``: of standard input, if that was checked."""
    report, paint = view.report, paint_for(options.color)
    for name, path in options.outputs:
        write_report(path, render(name, view))
    print_messages(report, diff=options.diff, quiet=options.quiet, changed_since=options.changed_since)
    if options.verbose:
        print_unresolved(report, content)
    if options.diff:
        colored = options.color == "always" or sys.stdout.isatty()  # a patch, which programs read
        print_diff(report, paint if colored else plain, options.quiet)
        return
    fixing = options.action is Action.FIX
    to_stderr = content is not None and (fixing or options.add_ignore is not None)
    if content is not None and to_stderr:
        print_mended(report.files[0], content)
    if options.show_fixes and report.fixed:
        say(render_fixed(report.fixed), nl=False, err=to_stderr)
    if options.fix_only:
        if report.fixed and not options.quiet:
            say(f"Fixed {counted(report.fixed)}.", err=to_stderr)
        return
    painted = replace(view, paint=paint if options.output_file is None else plain)
    text = rendered(painted, options.output_format, options.statistics, fixing=fixing, quiet=options.quiet)
    if options.output_file is None:
        say(text, nl=False, err=to_stderr, color=is_painted(paint))
    else:
        write_report(options.output_file, text)


def _check_stdin(content: bytes, options: CheckOptions, configs: Configs, judge: Judge | None) -> Report:
    name = options.stdin_filename
    config = configs.for_directory(os.path.dirname(os.path.abspath(name)) if name else os.getcwd())
    task = Task(
        name or "-",
        config,
        options.action,
        options.unsafe_fixes,
        explicit=True,
        judge=judge,
    )
    return many_files.check_bytes(content, task, prove=options.prove)


def _standard_input() -> bytes:
    """All of it; raises Unusable."""
    if sys.stdin is None:
        raise Unusable("standard input is closed")
    content = sys.stdin.buffer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Unusable(f"standard input: has more than {LARGEST >> 20} MiB")
    return content


def _check_paths(options: CheckOptions, configs: Configs, judge: Judge | None, last: _Last | None) -> Report:
    memory = last.reports if last is not None else None
    if options.verbose or options.prove or judge is not None:
        memory = None
    elif memory is not None:
        memory.begin()
    elif (directory := cache_directory(options.cache_dir, options.no_cache)) is not None:
        from nanlint.cache.reports import Reports

        memory = Reports(directory)
    with _executing(options) as (runs, jobs), ProgressBar() as progress:
        return many_files.check(
            options.paths,
            configs,
            action=options.action,
            unsafe_fixes=options.unsafe_fixes,
            prove=options.prove,
            judge=judge,
            jobs=jobs,
            on_progress=progress if sys.stderr.isatty() and not options.quiet else None,
            changed_since=options.changed_since,
            with_affected=options.with_affected,
            force_exclude=options.force_exclude,
            memory=memory,
            on_configs=partial(_hear_configs, options, last),
            executor=runs,
        )


def _executing(options: CheckOptions) -> AbstractContextManager[tuple[Executor | None, int | None]]:
    """The executor, and how many files it checks at a time."""
    if options.executor is None:
        return nullcontext((None, options.jobs))
    from nanlint.lint.executors import executor_at

    return executor_at(options.executor)


def _hear_configs(options: CheckOptions, last: _Last | None, configs: Collection[Config]) -> None:
    """What the configurations of the files that are checked have to do with."""
    if last is not None:
        last.configs = configs
    if options.executor is not None and any(config.rule_files for config in configs):
        raise Unusable("--executor: rule files are not sent to workers; install the rules there, as a package")
    see_baselines(configs, written=options.write_baseline)
    answers = kept_answers()
    if answers is not None and (installed() or any(config.rule_files or config.untrusted for config in configs)):
        answers.drop()  # what the code of plugins depends on is not known


def _show_files(options: CheckOptions, configs: Configs) -> int:
    found = discover(options.paths, configs, force_exclude=options.force_exclude)
    if options.changed_since is not None:
        found = affected(found, options.changed_since, configs)
    if options.with_affected:
        found = and_affected(found, configs)
    warn_of_untrusted(configs)
    for failure in found.failures:
        say(f"error: {failure}", err=True)
    for file in found.files:
        say(os.path.abspath(file.path))
    return COULD_NOT_RUN if found.failures and not found.files else FINDINGS if found.failures else CLEAN


#: options that say what a single check does
_ONCE = ("add_ignore", "diff", "executor", "show_files", "write_baseline")


@dataclass
class _Last:
    """What `--watch` keeps from one check to the next."""

    reports: Reports
    configs: Collection[Config] = ()


def watch(options: CheckOptions) -> None:
    """Check, and check again what changes, until the user has seen enough."""
    from nanlint.cache.reports import Reports
    from nanlint.watching import rounds, settings_of

    option = next((name for name in _ONCE if getattr(options, name) not in (None, False)), None)
    if option is not None:
        raise click.UsageError(f"--watch cannot be combined with --{option.replace('_', '-')}")
    if options.from_stdin:
        raise click.UsageError("--watch cannot be combined with standard input (-)")
    if not any(map(os.path.exists, options.paths)):
        raise Unusable(f"{options.paths[0]}: no such file or directory")
    terminal = sys.stdout.isatty()
    last = _Last(Reports(cache_directory(options.cache_dir, options.no_cache)))
    try:
        for number, _ in enumerate(rounds(options.paths, lambda: settings_of(last.configs))):
            if terminal:
                click.clear()
            elif number:
                say("Files changed.", err=True)
            try:
                checked(options, last)
            except click.ClickException as error:  # a path that has gone
                error.show()
            except Refused as error:  # a configuration that is being written
                Unusable(str(error)).show()
            if terminal:
                say("Watching for changes; press Ctrl-C to stop.", err=True)
            sys.stdout.flush()
    except OSError as error:
        raise Unusable(f"the files cannot be watched: {error}") from None
