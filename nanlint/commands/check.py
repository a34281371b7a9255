"""``nanlint check``: findings, fixes, diffs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    CLEAN,
    COULD_NOT_RUN,
    FINDINGS,
    Unusable,
    configs_for,
    is_painted,
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
from nanlint.output.formats import FORMATS

if TYPE_CHECKING:
    from nanlint.config import Configs
    from nanlint.linter import Action, Judge, Report
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
            raise click.BadParameter(f'"{value}" names no file; write {name}:FILE')
        if path == "-":
            raise click.BadParameter(f'"{value}" names no file; for standard output there is --output-format {name}')
        if [other for _, other in pairs].count(path) > 1:
            raise click.BadParameter(f"{path} can hold one report only")
    return pairs


@click.command(
    cls=Command,
    short_help="Check files and directories for what will become NaN or Inf, and mend it.",
    optional_values=("--add-ignore", "--write-baseline"),
    sections={
        "Fixes": ("--fix", "--unsafe-fixes", "--diff", "--exit-non-zero-on-fix", "--add-ignore"),
        "Rules": ("--select", "--ignore", "--extend-select", "--confidence"),
        "Files": (
            "--exclude",
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
            "--output",
            "--statistics",
            "--color",
            "--quiet",
            "--verbose",
            "--jobs",
        ),
        "Exit code": ("--fail-on", "--exit-zero", "--baseline", "--write-baseline"),
        "Evidence": ("--prove", "--prove-timeout", "--with-run"),
        "Configuration": ("--config", "--isolated", "--trust"),
    },
    examples=(
        ("nanlint check", "Check the working directory and all below it."),
        ("nanlint --fix src train.ipynb", "Mend what can be mended safely, and show the rest."),
        ("nanlint --diff src", "Show what --fix would change."),
        ("nanlint --select NL1,where-gradient .", "Only logarithms and one rule by its name."),
        ("nanlint --output sarif:nanlint.sarif .", "For people here, for machines in a file."),
        ("cat loss.py | nanlint --stdin-filename loss.py -", "Check what is not saved yet."),
        ("NANLINT_OUTPUT_FORMAT=concise nanlint check", "Set an option by its variable."),
    ),
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Count fixes that change values as applicable, too.")
@click.option("--prove", is_flag=True, help="Execute what is found, and fixes before they are written (see the guide).")
@click.option(
    "--prove-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="For one finding.  [default: 5]",
)
@click.option(
    "--with-run", type=click.Path(), metavar="RUN", help="Judge findings by a run that `nanlint verify` kept."
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option(
    "--add-ignore", metavar="[=REASON]", help="Silence what is found, and not fixed, by a comment with this reason."
)
@rules_option("--select", help="Rules to enable: codes, prefixes, names or ALL.")
@rules_option("--ignore", help="Rules to disable.")
@rules_option("--extend-select", help="Rules to enable beside those selected.")
@click.option("--confidence", type=click.Choice(["possible", "likely", "certain"]), help="The least to be shown.")
@click.option(
    "--output-format",
    type=click.Choice(list(FORMATS)),
    default="full",
    show_default=True,
    help="How findings are printed.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    callback=_outputs,
    metavar="FORMAT:FILE",
    help="Write a report in this format into FILE, too. Repeatable.",
)
@click.option("--statistics", is_flag=True, help="Show counts by rule instead of the findings.")
@click.option(
    "--fail-on",
    type=click.Choice(["possible", "likely", "certain"]),
    help="Exit with 1 only for findings that are at least so sure.",
)
@click.option(
    "--baseline", type=click.Path(), metavar="FILE", help="Hide as many findings of each file and rule as FILE knows."
)
@click.option(
    "--write-baseline",
    type=click.Path(),
    metavar="[=FILE]",
    help="Make what is found now the baseline.  [default: that of --baseline or the configuration]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed, even if nothing is left."
)
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
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
@click.option("--config", "config_file", type=click.Path(), help="Use this configuration file for all files.")
@click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
@trust_option
@click.option("--exclude", multiple=True, callback=split, metavar="PATTERNS", help="Paths to leave out.")
@click.option("--force-exclude", is_flag=True, help="Leave out what is excluded even if it is named.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores.")
@click.option("--stdin-filename", type=click.Path(), help="The name of what comes on standard input (path -).")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Use colour."
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes.  [default: the number of cores]")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Also list the imports of the project that could not be resolved, and why."
)
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    fix: bool,
    unsafe_fixes: bool,
    prove: bool,
    prove_timeout: float | None,
    with_run: str | None,
    diff: bool,
    add_ignore: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    extend_select: tuple[str, ...],
    confidence: str | None,
    output_format: str,
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
    config_file: str | None,
    isolated: bool,
    exclude: tuple[str, ...],
    force_exclude: bool,
    respect_gitignore: bool | None,
    stdin_filename: str | None,
    color: str,
    jobs: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Check PATHS: files, directories, or - for standard input; the working directory if there are none.

    Python files and notebooks are read, never imported or run. What is found is shown with its cause, an input that
    makes it fail, and a fix. The nearest pyproject.toml or nanlint.toml configures each file.
    """
    if watch:
        _watch(ctx, paths or (".",))
        return
    from dataclasses import replace
    from datetime import datetime, timezone

    from nanlint.config import CONFIDENCES, Overrides
    from nanlint.diagnostic import Confidence
    from nanlint.linter import Action
    from nanlint.output.formats import render
    from nanlint.output.view import View

    overrides = Overrides(
        select=select or None,
        extend_select=extend_select,
        ignore=ignore,
        confidence=CONFIDENCES[confidence] if confidence else None,
        exclude=exclude or None,
        respect_gitignore=respect_gitignore,
        prove_timeout=prove_timeout,
        baseline=baseline,
    )
    configs = configs_for(config_file, isolated, overrides)
    # --diff --add-ignore shows the comments alone, and with --fix the fixes, too
    shows_fixes = diff and (fix or add_ignore is None)
    action = Action.DIFF if shows_fixes else Action.FIX if fix and not diff else Action.CHECK
    paint = paint_for(color)
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    if statistics and output_format not in TABULATED:
        raise click.UsageError(f"--statistics has no {output_format} form; it goes with {', '.join(TABULATED)}")
    for path in (*(path for _, path in outputs), *filter(None, [write_baseline])):
        writable(path)
    if write_baseline is not None and (diff or "-" in paths):
        raise click.UsageError("--write-baseline goes with neither --diff nor standard input")
    if baseline is not None and write_baseline is None:
        baseline_at(baseline)  # says what is wrong with it before anything is fixed
    if add_ignore and len(add_ignore.splitlines()) > 1:
        raise click.UsageError("the reason of --add-ignore goes over lines, and a comment cannot")
    if changed_since is not None and "-" in paths:
        raise click.UsageError("--changed-since is about files, and standard input (-) is none")
    if with_affected and "-" in paths:
        raise click.UsageError("--affected is about files, and standard input (-) is none")
    if with_affected and changed_since is not None:
        raise click.UsageError("--changed-since checks what is affected by itself; leave out --affected")
    if show_files:
        ctx.exit(_show_files(paths or (".",), configs, changed_since, with_affected, force_exclude))
    began = datetime.now(timezone.utc)
    from_stdin = "-" in paths
    judge = _observed(with_run) if with_run is not None else None
    if from_stdin and len(paths) > 1:
        raise click.UsageError("standard input (-) cannot be checked together with other paths")
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
            quiet,
            changed_since,
            with_affected,
            force_exclude,
            write_baseline,
        )

    if write_baseline is not None:
        report = known_from_now_on(report, configs, write_baseline, quiet)
    else:
        report = without_known(report, configs, complete=confidence is None and not prove and judge is None)
    formats = (output_format, *(name for name, _ in outputs))
    if changed_since is not None and any(FORMATS[name].says_new for name in formats):
        report = _marked_new(report, changed_since, configs)
    if add_ignore is not None:
        report = _silenced(report, configs, add_ignore, write=not diff and not from_stdin, content=content)
    least = CONFIDENCES[fail_on] if fail_on else Confidence.POSSIBLE
    failing = any(one.confidence >= least for one in report.diagnostics) or (exit_non_zero_on_fix and report.fixed)
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
        print_diff(report, paint, quiet)
        ctx.exit(code)
    to_stderr = from_stdin and (action is Action.FIX or add_ignore is not None)
    if content is not None and to_stderr:
        print_mended(report.files[0], content)
    text = rendered(replace(view, paint=paint), output_format, statistics, fixing=action is Action.FIX, quiet=quiet)
    say(text, nl=False, err=to_stderr, color=is_painted(paint))
    ctx.exit(code)


#: where the context of the command holds what it knows of an earlier check
_MEMORY = "nanlint.memory"

#: options that say what a single check does
_ONCE = ("add_ignore", "diff", "show_files", "write_baseline")


def _watch(ctx: click.Context, paths: Sequence[str]) -> None:
    """Check, and check again what changes, until the user has seen enough."""
    from nanlint.watching import Memory, rounds

    option = next((name for name in _ONCE if ctx.params[name] not in (None, False)), None)
    if option is not None:
        raise click.UsageError(f"--watch does not go with --{option.replace('_', '-')}")
    if "-" in paths:
        raise click.UsageError("--watch is about files, and standard input (-) is none")
    if not any(map(os.path.exists, paths)):
        raise Unusable(f"{paths[0]}: no such file or directory")
    terminal = sys.stdout.isatty()
    memory = ctx.meta[_MEMORY] = Memory()
    parameters = {**ctx.params, "watch": False}
    try:
        for number, _ in enumerate(rounds(paths, memory.files)):
            if terminal:
                click.clear()
            elif number:
                say("Something has changed.", err=True)
            try:
                ctx.invoke(check, **parameters)
            except click.exceptions.Exit:
                pass
            except click.ClickException as error:  # a configuration that is being written, a path that has gone
                error.show()
            if terminal:
                say("Watching for changes; Ctrl-C ends it.", err=True)
            sys.stdout.flush()
    except OSError as error:
        raise Unusable(f"what is to be checked cannot be watched: {error}") from None


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
    quiet: bool,
    changed_since: str | None,
    with_affected: bool,
    force_exclude: bool,
    write_baseline: str | None,
) -> Report:
    from nanlint import linter
    from nanlint.config import ConfigError
    from nanlint.output.progress import ProgressBar
    from nanlint.source.git import GitError

    with ProgressBar() as progress:
        heard = progress if sys.stderr.isatty() and not quiet else None
        try:
            return linter.check(
                paths,
                configs,
                action=action,
                unsafe_fixes=unsafe_fixes,
                prove=prove,
                readback=readback,
                judge=judge,
                jobs=jobs,
                on_progress=heard,
                changed_since=changed_since,
                with_affected=with_affected,
                force_exclude=force_exclude,
                memory=click.get_current_context().meta.get(_MEMORY),
                on_configs=partial(see_baselines, written=write_baseline),
            )
        except GitError as error:
            raise Unusable(f"--changed-since: {error}") from None
        except ConfigError as error:
            raise Unusable(str(error)) from None


def _standard_input() -> bytes:
    """All of it; raises Unusable."""
    from nanlint.opening import LARGEST

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
    from nanlint.linter import Task, check_bytes

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
