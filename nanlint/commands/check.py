"""``nanlint check``: findings, fixes, diffs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from nanlint.commands.base import (
    LEVELS,
    F,
    cache_options,
    color_option,
    config_options,
    output_option,
    rules_option,
    split,
    together,
    trust_option,
)
from nanlint.commands.manual import Command
from nanlint.output.formats import FORMATS


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


_SECTIONS = {
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
}
_EXAMPLES = (
    ("nanlint check", "Check the working directory and everything below it."),
    ("nanlint --fix src train.ipynb", "Apply safe fixes, and report the remaining findings."),
    ("nanlint --diff src", "Show what --fix would change."),
    ("nanlint --select NL1,where-gradient .", "Run the rules about logarithms, and one rule given by its name."),
    ("nanlint --output sarif:nanlint.sarif .", "Print the findings, and write SARIF to a file."),
    ("cat loss.py | nanlint --stdin-filename loss.py -", "Check standard input as if it were the file loss.py."),
    ("NANLINT_OUTPUT_FORMAT=concise nanlint check", "Set an option by its environment variable."),
)
#: in the order in which help lists them
_OPTIONS = (
    click.argument("paths", nargs=-1, type=click.Path()),
    click.option("--fix", is_flag=True, help="Apply safe fixes."),
    click.option("--fix-only", is_flag=True, help="Apply safe fixes, and do not report the remaining findings."),
    click.option("--show-fixes", is_flag=True, help="List the applied fixes, by file."),
    click.option(
        "--unsafe-fixes", is_flag=True, help="Also apply fixes that change values, or count them as applicable."
    ),
    click.option(
        "--prove",
        is_flag=True,
        help="Run the reported expressions and their fixes in the framework, in a separate process.",
    ),
    click.option(
        "--prove-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Time limit of --prove for each finding.  [default: 5]",
    ),
    click.option(
        "--with-run",
        multiple=True,
        type=click.Path(),
        metavar="RUN",
        help="Show what this run of `nanlint verify` or pytest observed; what happened or came near is at least "
        "likely. Repeatable.",
    ),
    click.option("--diff", is_flag=True, help="Show the changes that --fix would make, without writing them."),
    click.option(
        "--add-ignore",
        metavar="[=REASON]",
        help="Add suppression comments, with this reason, for the findings that are not fixed.",
    ),
    rules_option("--select", help="Rules to enable: codes, prefixes, names or ALL."),
    rules_option("--ignore", "--extend-ignore", help="Rules to disable; no other rule reports their hazards instead."),
    rules_option("--extend-select", help="Rules to enable in addition to the selected ones."),
    _patterns_option("--per-file-ignores", help="Rules to ignore in files that match a pattern."),
    _patterns_option("--extend-per-file-ignores", help="The same, in addition to the configuration's."),
    rules_option("--fixable", help="Rules whose fixes are applied; those of others are only shown."),
    rules_option("--unfixable", help="Rules whose fixes are only shown."),
    click.option("--preview/--no-preview", default=None, help="Run rules that are in preview."),
    click.option("--confidence", type=LEVELS, help="Lowest confidence to report."),
    click.option(
        "--output-format",
        type=click.Choice(list(FORMATS)),
        default="full",
        show_default=True,
        help="Format of the findings.",
    ),
    click.option(
        "--output",
        "outputs",
        multiple=True,
        callback=_outputs,
        metavar="FORMAT:FILE",
        help="Also write a report in this format to FILE. Repeatable.",
    ),
    output_option,
    click.option("--statistics", is_flag=True, help="Show counts by rule instead of the findings."),
    click.option(
        "--fail-on",
        type=click.Choice(["possible", "likely", "certain", "error", "warning", "info"]),
        help="Exit with 1 only for findings of at least this confidence, or this severity.  [default: error]",
    ),
    click.option("--baseline", type=click.Path(), metavar="FILE", help="Hide the findings that are listed in FILE."),
    click.option(
        "--write-baseline",
        type=click.Path(),
        metavar="[=FILE]",
        help="Record the current findings as the baseline.  [default: that of --baseline or the configuration]",
    ),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
    click.option(
        "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed, even if no findings remain."
    ),
    click.option("--watch", is_flag=True, help="Check again when files change, until Ctrl-C."),
    click.option("--show-files", is_flag=True, help="List the files that would be checked."),
    click.option(
        "--changed-since",
        metavar="REV",
        help="Check files that changed since REV and those that they affect; report what is new.",
    ),
    click.option(
        "--affected/--no-affected",
        "with_affected",
        default=False,
        help="Also check files that a change in PATHS may affect; report what is new since HEAD.",
    ),
    config_options,
    trust_option,
    click.option(
        "--exclude",
        multiple=True,
        callback=split,
        metavar="PATTERNS",
        help="Patterns of paths to leave out, instead of the default ones.",
    ),
    click.option(
        "--extend-exclude",
        multiple=True,
        callback=split,
        metavar="PATTERNS",
        help="More patterns of paths to leave out.",
    ),
    click.option("--force-exclude", is_flag=True, help="Leave out excluded files even if they are given as PATHS."),
    click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out files that git ignores."),
    click.option("--stdin-filename", type=click.Path(), help="File name for the code on standard input (path -)."),
    color_option,
    cache_options,
    click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes.  [default: the number of cores]"),
    click.option(
        "--executor",
        metavar="dask://HOST:PORT",
        help="Check the files on the workers of this dask.distributed scheduler.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print only findings."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Also list the imports of the project that could not be resolved, and why.",
    ),
)


@click.command(
    cls=Command,
    short_help="Find code that can produce NaN or Inf, and fix it.",
    optional_values=("--add-ignore", "--write-baseline"),
    sections=_SECTIONS,
    examples=_EXAMPLES,
)
@together(*_OPTIONS)
@click.pass_context
def check(ctx: click.Context, /, **given: Any) -> None:
    """Find code that can produce NaN or Inf in PATHS: files, directories, or - for standard input.

    Without PATHS the working directory is checked. Python files and notebooks are read, never imported or run. Each
    finding is shown with its cause, an input that makes it fail, and a fix. The nearest pyproject.toml or nanlint.toml
    configures each file.
    """
    from nanlint.commands.checking import CheckOptions, checked, watch

    options = CheckOptions.of(**{**given, "paths": given["paths"] or (".",)})
    if options.watch:
        watch(options)
    else:
        ctx.exit(checked(options))
