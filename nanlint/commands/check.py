"""``nanlint check``: findings, fixes, diffs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    CLEAN,
    COULD_NOT_RUN,
    FINDINGS,
    F,
    Unusable,
    cache_directory,
    cache_options,
    config_options,
    configs_for,
    is_painted,
    kept_answers,
    output_option,
    paint_for,
    rules_option,
    say,
    split,
    trust_option,
    warn_of_untrusted,
    writable,
    write_report,
)
from nanlint.commands.baselines import baseline_at, known_from_now_on, see_baselines, without_known
from nanlint.commands.manual import Command
from nanlint.commands.printing import (
    TABULATED,
    exit_code_of,
    print_diff,
    print_mended,
    print_messages,
    print_unresolved,
    rendered,
)
from nanlint.entry_points import installed
from nanlint.output.formats import FORMATS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nanlint.cache.reports import Reports
    from nanlint.config import Config, Configs
    from nanlint.diagnostic import Severity
    from nanlint.lint.report import Action, Judge, Memory, Report
    from nanlint.runtime.with_run import ObservedRun


def _outputs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """``FORMAT:FILE``, each a pair."""
    pairs = tuple(value.partition(":")[::2] for value in values)
    for value, (name, path) in zip(values, pairs, strict=True):
        if name not in FORMATS:
            from nanlint.selection import did_you_mean

            hint = did_you_mean(name, FORMATS) or f"; the formats are {', '.join(FORMATS)}"
            raise click.BadParameter(f'"{value}" does not begin with a format{hint}')
        if not path:
            raise click.BadParameter(f'"{value}" has no file name; write {name}:FILE')
        if path == "-":
            raise click.BadParameter(f'"{value}" has no file name; for standard output use --output-format {name}')
        if [other for _, other in pairs].count(path) > 1:
            raise click.BadParameter(f"{path} is given for two reports")
    return pairs


def _by_pattern(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, list[str]] | None:
    """``PATTERN:RULE``, repeated or with commas between them, as a table."""
    table: dict[str, list[str]] = {}
    for value in split(ctx, param, values):
        pattern, _, rule = value.rpartition(":")
        if not pattern or not rule:
            raise click.BadParameter(f'"{value}" is not of the form PATTERN:RULE, such as "tests/*:NL301"')
        table.setdefault(pattern, []).append(rule)
    return table or None


def _patterns_option(name: str, *, help: str) -> Callable[[F], F]:
    return click.option(name, multiple=True, callback=_by_pattern, metavar="PATTERN:RULE", help=help)


def _at_least(severity: Severity) -> Collection[Severity]:
    """A severity and those above it."""
    from nanlint.diagnostic import Severity

    levels = list(Severity)
    return levels[: levels.index(severity) + 1]


@click.command(
    cls=Command,
    short_help="Find code that will produce NaN or Inf, and fix it.",
    optional_values=("--add-ignore", "--write-baseline"),
    sections={
        "Fixes": (
            "--fix",
            "--unsafe-fixes",
            "--diff",
            "--fix-only",
            "--show-fixes",
            "--fixable",
            "--unfixable",
            "--exit-non-zero-on-fix",
            "--add-ignore",
        ),
        "Rules": (
            "--select",
            "--ignore",
            "--extend-select",
            "--per-file-ignores",
            "--extend-per-file-ignores",
            "--confidence",
            "--preview",
        ),
        "Files": (
            "--exclude",
            "--extend-exclude",
            "--force-exclude",
            "--respect-gitignore",
            "--stdin-filename",
            "--show-files",
            "--changed-since",
            "--affected",
            "--watch",
        ),
        "Output": (
            "--output-format",
            "--output-file",
            "--output",
            "--statistics",
            "--color",
            "--quiet",
            "--verbose",
            "--jobs",
            "--executor",
            "--no-cache",
            "--cache-dir",
        ),
        "Exit code": ("--fail-on", "--exit-zero", "--baseline", "--write-baseline"),
        "Evidence": ("--prove", "--prove-timeout", "--with-run"),
        "Configuration": ("--config", "--isolated", "--trust"),
    },
    examples=(
        ("nanlint check", "Check the working directory and everything below it."),
        ("nanlint --fix src train.ipynb", "Apply safe fixes, and report the remaining findings."),
        ("nanlint --diff src", "Show what --fix would change."),
        ("nanlint --select NL1,where-gradient .", "Run the rules about logarithms, and one rule given by its name."),
        ("nanlint --output sarif:nanlint.sarif .", "Print the findings, and write SARIF to a file."),
        ("cat loss.py | nanlint --stdin-filename loss.py -", "Check standard input as if it were the file loss.py."),
        ("NANLINT_OUTPUT_FORMAT=concise nanlint check", "Set an option by its environment variable."),
    ),
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--fix-only", is_flag=True, help="Apply safe fixes, and do not report the remaining findings.")
@click.option("--show-fixes", is_flag=True, help="List the applied fixes, by file.")
@click.option("--unsafe-fixes", is_flag=True, help="Also apply fixes that change values, or count them as applicable.")
@click.option(
    "--prove",
    is_flag=True,
    help="Run the reported expressions and their fixes in the framework, in a separate process.",
)
@click.option(
    "--prove-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time limit of --prove for each finding.  [default: 5]",
)
@click.option(
    "--with-run",
    type=click.Path(),
    metavar="RUN",
    help="Use the results of this run of `nanlint verify`: confirmed findings become certain.",
)
@click.option("--diff", is_flag=True, help="Show the changes that --fix would make, without writing them.")
@click.option(
    "--add-ignore",
    metavar="[=REASON]",
    help="Add suppression comments, with this reason, for the findings that are not fixed.",
)
@rules_option("--select", help="Rules to enable: codes, prefixes, names or ALL.")
@rules_option("--ignore", "--extend-ignore", help="Rules to disable; no other rule reports their hazards instead.")
@rules_option("--extend-select", help="Rules to enable in addition to the selected ones.")
@_patterns_option("--per-file-ignores", help="Rules to ignore in files that match a pattern.")
@_patterns_option("--extend-per-file-ignores", help="The same, in addition to the configuration's.")
@rules_option("--fixable", help="Rules whose fixes are applied; those of others are only shown.")
@rules_option("--unfixable", help="Rules whose fixes are only shown.")
@click.option("--preview/--no-preview", default=None, help="Run rules that are in preview.")
@click.option("--confidence", type=click.Choice(["possible", "likely", "certain"]), help="Lowest confidence to report.")
@click.option(
    "--output-format",
    type=click.Choice(list(FORMATS)),
    default="full",
    show_default=True,
    help="Format of the findings.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    callback=_outputs,
    metavar="FORMAT:FILE",
    help="Also write a report in this format to FILE. Repeatable.",
)
@output_option
@click.option("--statistics", is_flag=True, help="Show counts by rule instead of the findings.")
@click.option(
    "--fail-on",
    type=click.Choice(["possible", "likely", "certain", "error", "warning", "info"]),
    help="Exit with 1 only for findings of at least this confidence, or this severity.  [default: error]",
)
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Hide the findings that are listed in FILE.")
@click.option(
    "--write-baseline",
    type=click.Path(),
    metavar="[=FILE]",
    help="Record the current findings as the baseline.  [default: that of --baseline or the configuration]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed, even if no findings remain."
)
@click.option("--watch", is_flag=True, help="Check again when files change, until Ctrl-C.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked.")
@click.option(
    "--changed-since",
    metavar="REV",
    help="Check only files that git says changed since REV, and those that they affect.",
)
@click.option(
    "--affected/--no-affected",
    "with_affected",
    default=False,
    help="Also check files of the project that a change in PATHS may affect.",
)
@config_options
@trust_option
@click.option(
    "--exclude",
    multiple=True,
    callback=split,
    metavar="PATTERNS",
    help="Patterns of paths to leave out, instead of the default ones.",
)
@click.option(
    "--extend-exclude", multiple=True, callback=split, metavar="PATTERNS", help="More patterns of paths to leave out."
)
@click.option("--force-exclude", is_flag=True, help="Leave out excluded files even if they are given as PATHS.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out files that git ignores.")
@click.option("--stdin-filename", type=click.Path(), help="File name for the code on standard input (path -).")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Use color."
)
@cache_options
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes.  [default: the number of cores]")
@click.option(
    "--executor", metavar="dask://HOST:PORT", help="Check the files on the workers of this dask.distributed scheduler."
)
@click.option("-q", "--quiet", is_flag=True, help="Print only findings.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Also list the imports of the project that could not be resolved, and why."
)
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    fix: bool,
    fix_only: bool,
    show_fixes: bool,
    unsafe_fixes: bool,
    prove: bool,
    prove_timeout: float | None,
    with_run: str | None,
    diff: bool,
    add_ignore: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    extend_select: tuple[str, ...],
    per_file_ignores: dict[str, list[str]] | None,
    extend_per_file_ignores: dict[str, list[str]] | None,
    fixable: tuple[str, ...],
    unfixable: tuple[str, ...],
    preview: bool | None,
    confidence: str | None,
    output_format: str,
    output_file: str | None,
    outputs: tuple[tuple[str, str], ...],
    statistics: bool,
    fail_on: str | None,
    baseline: str | None,
    write_baseline: str | None,
    exit_zero: bool,
    exit_non_zero_on_fix: bool,
    show_files: bool,
    watch: bool,
    changed_since: str | None,
    with_affected: bool,
    config: tuple[str, ...],
    isolated: bool,
    exclude: tuple[str, ...],
    extend_exclude: tuple[str, ...],
    force_exclude: bool,
    respect_gitignore: bool | None,
    stdin_filename: str | None,
    color: str,
    cache_dir: str | None,
    no_cache: bool,
    jobs: int | None,
    executor: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Find code that will produce NaN or Inf in PATHS: files, directories, or - for standard input.

    Without PATHS the working directory is checked. Python files and notebooks are read, never imported or run. Each
    finding is shown with its cause, an input that makes it fail, and a fix. The nearest pyproject.toml or nanlint.toml
    configures each file.
    """
    if watch:
        _watch(ctx, paths or (".",))
        return
    from dataclasses import replace
    from datetime import datetime, timezone

    from nanlint.config import CONFIDENCES, SEVERITIES, options
    from nanlint.diagnostic import Confidence, Severity
    from nanlint.housekeeping import CUT_SHORT, INTERNAL_ERROR
    from nanlint.lint.report import Action
    from nanlint.output.formats import render
    from nanlint.output.paint import plain
    from nanlint.output.summary import render_fixed
    from nanlint.output.view import View

    overrides = options(
        select=select,
        extend_select=extend_select,
        ignore=ignore,
        per_file_ignores=per_file_ignores,
        extend_per_file_ignores=extend_per_file_ignores,
        fixable=fixable,
        unfixable=unfixable,
        preview=preview,
        confidence=confidence,
        exclude=exclude,
        extend_exclude=extend_exclude,
        respect_gitignore=respect_gitignore,
        prove_timeout=prove_timeout,
        baseline=baseline,
    )
    configs = configs_for(config, isolated, overrides)
    fix = fix or fix_only
    # --diff --add-ignore shows the comments alone, and with --fix the fixes, too
    shows_fixes = diff and (fix or add_ignore is None)
    action = Action.DIFF if shows_fixes else Action.FIX if fix and not diff else Action.CHECK
    paint = paint_for(color)
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose cannot be combined")
    if statistics and output_format not in TABULATED:
        raise click.UsageError(
            f"--statistics does not support --output-format {output_format}; use one of {', '.join(TABULATED)}"
        )
    for path in (*(path for _, path in outputs), *filter(None, [write_baseline, output_file])):
        writable(path)
    if write_baseline is not None and (diff or "-" in paths):
        raise click.UsageError("--write-baseline cannot be combined with --diff or standard input (-)")
    if baseline is not None and write_baseline is None:
        baseline_at(baseline)  # says what is wrong with it before anything is fixed
    if add_ignore and len(add_ignore.splitlines()) > 1:
        raise click.UsageError("the reason of --add-ignore must be on one line")
    if changed_since is not None and "-" in paths:
        raise click.UsageError("--changed-since cannot be combined with standard input (-)")
    if with_affected and "-" in paths:
        raise click.UsageError("--affected cannot be combined with standard input (-)")
    if with_affected and changed_since is not None:
        raise click.UsageError("--changed-since checks affected files anyway; leave out --affected")
    if executor is not None:
        _reject_beside_executor({"standard input (-)": "-" in paths, "--jobs": jobs is not None}, action, prove)
    if show_files:
        ctx.exit(_show_files(paths or (".",), configs, changed_since, with_affected, force_exclude))
    began = datetime.now(timezone.utc)
    from_stdin = "-" in paths
    judge = _observed(with_run) if with_run is not None else None
    if from_stdin and len(paths) > 1:
        raise click.UsageError("standard input (-) cannot be checked together with other paths")
    writes = add_ignore is not None or write_baseline is not None or outputs or output_file is not None
    asks_others = prove or judge is not None or changed_since is not None or from_stdin
    once = writes or asks_others or FORMATS[output_format].dated or action is Action.FIX or _LAST in ctx.meta
    if (answers := kept_answers()) is not None and not once:
        answers.begin()
    content = None
    readback = prove or any(FORMATS[name].has_edits for name in (output_format, *(name for name, _ in outputs)))
    if from_stdin:
        content = _standard_input()
        report = _check_stdin(content, stdin_filename, configs, action, unsafe_fixes, prove, readback, judge)
    else:
        report = _check_paths(
            paths or (".",),
            configs,
            action,
            unsafe_fixes,
            prove,
            readback,
            judge,
            jobs,
            executor,
            quiet,
            changed_since,
            with_affected,
            force_exclude,
            None if verbose or prove or judge is not None else _memory(ctx, cache_dir, no_cache),
            partial(_hear_configs, ctx, write_baseline),
        )

    if answers is not None and any(one.code in (INTERNAL_ERROR.code, CUT_SHORT.code) for one in report.diagnostics):
        answers.drop()  # it may go better the next time
    if write_baseline is not None:
        report = known_from_now_on(report, configs, write_baseline, quiet)
    else:
        report = without_known(report, configs, complete=confidence is None and not prove and judge is None)
    formats = (output_format, *(name for name, _ in outputs))
    if changed_since is not None and any(FORMATS[name].says_new for name in formats):
        report = _marked_new(report, changed_since, configs)
    if add_ignore is not None:
        report = _silenced(report, configs, add_ignore, write=not diff and not from_stdin, content=content)
    least = CONFIDENCES.get(fail_on or "", Confidence.POSSIBLE)
    loud = _at_least(SEVERITIES.get(fail_on or "", Severity.ERROR))
    failing = any(one.confidence >= least and one.severity in loud for one in report.diagnostics) and not fix_only
    failing = failing or bool(exit_non_zero_on_fix and report.fixed)
    if diff:
        failing = any(file.after is not None for file in report.files)
    code = exit_code_of(report, findings=bool(failing), exit_zero=exit_zero)
    view = View(report, unsafe=unsafe_fixes, exit_code=code, began=began)
    for name, path in outputs:
        write_report(path, render(name, view))
    print_messages(report, diff=diff, quiet=quiet, changed_since=changed_since)
    if verbose:
        print_unresolved(report, content)
    if diff:
        print_diff(report, paint if color == "always" or sys.stdout.isatty() else plain, quiet)
        ctx.exit(code)
    to_stderr = from_stdin and (action is Action.FIX or add_ignore is not None)
    if content is not None and to_stderr:
        print_mended(report.files[0], content)
    if show_fixes and report.fixed:
        say(render_fixed(report.fixed), nl=False, err=to_stderr)
    if fix_only:
        ctx.exit(code)
    painted = replace(view, paint=paint if output_file is None else plain)
    text = rendered(painted, output_format, statistics, fixing=action is Action.FIX, quiet=quiet)
    if output_file is None:
        say(text, nl=False, err=to_stderr, color=is_painted(paint))
    else:
        write_report(output_file, text)
    ctx.exit(code)


#: where the context of the command holds what it knows of an earlier check
_LAST = "nanlint.last"

#: options that say what a single check does
_ONCE = ("add_ignore", "diff", "executor", "show_files", "write_baseline")


@dataclass
class _Last:
    """What `--watch` keeps from one check to the next."""

    reports: Reports
    configs: Collection[Config] = ()


def _watch(ctx: click.Context, paths: Sequence[str]) -> None:
    """Check, and check again what changes, until the user has seen enough."""
    from nanlint.cache.reports import Reports
    from nanlint.watching import rounds, settings_of

    option = next((name for name in _ONCE if ctx.params[name] not in (None, False)), None)
    if option is not None:
        raise click.UsageError(f"--watch cannot be combined with --{option.replace('_', '-')}")
    if "-" in paths:
        raise click.UsageError("--watch cannot be combined with standard input (-)")
    if not any(map(os.path.exists, paths)):
        raise Unusable(f"{paths[0]}: no such file or directory")
    terminal = sys.stdout.isatty()
    directory = cache_directory(ctx.params["cache_dir"], ctx.params["no_cache"])
    last = ctx.meta[_LAST] = _Last(Reports(directory))
    parameters = {**ctx.params, "watch": False}
    try:
        for number, _ in enumerate(rounds(paths, lambda: settings_of(last.configs))):
            if terminal:
                click.clear()
            elif number:
                say("Files changed.", err=True)
            try:
                ctx.invoke(check, **parameters)
            except click.exceptions.Exit:
                pass
            except click.ClickException as error:  # a configuration that is being written, a path that has gone
                error.show()
            if terminal:
                say("Watching for changes; press Ctrl-C to stop.", err=True)
            sys.stdout.flush()
    except OSError as error:
        raise Unusable(f"the files cannot be watched: {error}") from None


def _reject_beside_executor(others: Mapping[str, bool], action: Action, prove: bool) -> None:
    """Raise UsageError for what only this machine does."""
    from nanlint.lint.report import Action

    together = {**others, "--prove --fix or --prove --diff": prove and action is not Action.CHECK}
    for option, given in together.items():
        if given:
            raise click.UsageError(f"--executor cannot be combined with {option}")


@contextmanager
def _executing(address: str | None, jobs: int | None) -> Iterator[tuple[Executor | None, int | None]]:
    """The executor at an address, and how many files it checks at a time. Raises Unusable."""
    if address is None:
        yield None, jobs
        return
    from nanlint.lint.executors import ExecutorError, executor_at

    try:
        with executor_at(address) as found:
            yield found
    except ExecutorError as error:
        raise Unusable(f"--executor: {error}") from None


def _memory(ctx: click.Context, cache_dir: str | None, no_cache: bool) -> Memory | None:
    """What of an earlier check may be good still."""
    if _LAST in ctx.meta:
        reports: Reports = ctx.meta[_LAST].reports
        reports.begin()
        return reports
    directory = cache_directory(cache_dir, no_cache)
    if directory is None:
        return None
    from nanlint.cache.reports import Reports

    return Reports(directory)


def _hear_configs(ctx: click.Context, write_baseline: str | None, configs: Collection[Config]) -> None:
    """What the configurations of the files that are checked have to do with."""
    if _LAST in ctx.meta:
        ctx.meta[_LAST].configs = configs
    if ctx.params["executor"] is not None and any(config.rule_files for config in configs):
        raise Unusable("--executor: rule files are not sent to workers; install the rules there, as a package")
    see_baselines(configs, written=write_baseline)
    answers = kept_answers()
    if answers is not None and (installed() or any(config.rule_files or config.untrusted for config in configs)):
        answers.drop()  # what the code of plugins depends on is not known


def _observed(run: str) -> ObservedRun:
    from nanlint.runtime.runfile import RunError
    from nanlint.runtime.with_run import ObservedRun

    try:
        return ObservedRun(run)
    except RunError as error:
        raise Unusable(str(error)) from None


def _check_paths(
    paths: Sequence[str],
    configs: Configs,
    action: Action,
    unsafe_fixes: bool,
    prove: bool,
    readback: bool,
    judge: Judge | None,
    jobs: int | None,
    executor: str | None,
    quiet: bool,
    changed_since: str | None,
    with_affected: bool,
    force_exclude: bool,
    memory: Memory | None,
    on_configs: Callable[[Collection[Config]], None],
) -> Report:
    from nanlint.config import ConfigError
    from nanlint.lint import many_files
    from nanlint.output.progress import ProgressBar
    from nanlint.source.git import GitError

    with _executing(executor, jobs) as (runs, jobs), ProgressBar() as progress:
        try:
            return many_files.check(
                paths,
                configs,
                action=action,
                unsafe_fixes=unsafe_fixes,
                prove=prove,
                readback=readback,
                judge=judge,
                jobs=jobs,
                on_progress=progress if sys.stderr.isatty() and not quiet else None,
                changed_since=changed_since,
                with_affected=with_affected,
                force_exclude=force_exclude,
                memory=memory,
                on_configs=on_configs,
                executor=runs,
            )
        except GitError as error:
            raise Unusable(f"--changed-since: {error}") from None
        except ConfigError as error:
            raise Unusable(str(error)) from None


def _standard_input() -> bytes:
    """All of it; raises Unusable."""
    from nanlint.disk import LARGEST

    if sys.stdin is None:
        raise Unusable("standard input is closed")
    content = sys.stdin.buffer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Unusable(f"standard input: has more than {LARGEST >> 20} MiB")
    return content


def _check_stdin(
    content: bytes,
    name: str | None,
    configs: Configs,
    action: Action,
    unsafe_fixes: bool,
    prove: bool,
    readback: bool,
    judge: Judge | None,
) -> Report:
    from nanlint.config import ConfigError
    from nanlint.lint.many_files import check_bytes
    from nanlint.lint.report import Task

    directory = os.path.dirname(os.path.abspath(name)) if name else os.getcwd()
    try:
        config = configs.for_directory(directory)
        task = Task(name or "-", config, action, unsafe_fixes, explicit=True, judge=judge, readback=readback)
        return check_bytes(content, task, prove=prove)
    except ConfigError as error:
        raise Unusable(str(error)) from None


def _marked_new(report: Report, revision: str, configs: Configs) -> Report:
    from nanlint.since import marked_new
    from nanlint.source.git import GitError

    try:
        return marked_new(report, revision, configs)
    except GitError as error:
        raise Unusable(f"--changed-since: {error}") from None


def _silenced(report: Report, configs: Configs, reason: str, *, write: bool, content: bytes | None) -> Report:
    if not report.diagnostics:
        return report
    from nanlint.silencing import silence

    return silence(report, configs, reason, write=write, content=content)


def _show_files(
    paths: Sequence[str], configs: Configs, changed_since: str | None, with_affected: bool, force_exclude: bool
) -> int:
    from nanlint.source.discovery import affected, and_affected, discover
    from nanlint.source.git import GitError

    found = discover(paths, configs, force_exclude=force_exclude)
    if changed_since is not None:
        try:
            found = affected(found, changed_since, configs)
        except GitError as error:
            raise Unusable(f"--changed-since: {error}") from None
    if with_affected:
        found = and_affected(found, configs)
    warn_of_untrusted(configs)
    for failure in found.failures:
        say(f"error: {failure}", err=True)
    for file in found.files:
        say(os.path.abspath(file.path))
    return COULD_NOT_RUN if found.failures and not found.files else FINDINGS if found.failures else CLEAN
