"""``nanlint report``: what `nanlint check` finds, as a page."""

from __future__ import annotations

import copy

import click

from nanlint.commands.base import COULD_NOT_RUN, say
from nanlint.commands.check import check
from nanlint.commands.manual import Command

_DEFAULT = "nanlint-report.html"

#: options of ``check`` that choose what is checked, and how closely; the report has the same
_SHARED = (
    "--select",
    "--ignore",
    "--extend-select",
    "--per-file-ignores",
    "--extend-per-file-ignores",
    "--preview",
    "--confidence",
    "--unsafe-fixes",
    "--exclude",
    "--extend-exclude",
    "--force-exclude",
    "--respect-gitignore",
    "--changed-since",
    "--affected",
    "--baseline",
    "--prove",
    "--prove-timeout",
    "--with-run",
    "--config",
    "--isolated",
    "--trust",
    "--no-cache",
    "--cache-dir",
    "--color",
    "--jobs",
    "--executor",
    "--quiet",
    "--verbose",
)


@click.command(
    cls=Command,
    short_help="Write an HTML page with all findings.",
    sections={title: names & {*_SHARED} for title, names in check.sections.items() if names & {*_SHARED}},
    examples=(
        ("nanlint report", "Check the working directory and write nanlint-report.html."),
        ("nanlint report src --confidence possible -o findings.html", "Include possible findings."),
        ("nanlint report --changed-since origin/main", "Check only files that this branch changes or affects."),
    ),
    exit_codes=(
        ("0", "The page was written, with or without findings."),
        ("2", "Nothing could be checked, or the page could not be written."),
    ),
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output-file",
    "page",
    type=click.Path(),
    default=_DEFAULT,
    show_default=True,
    metavar="FILE",
    help="Write the page to this file.",
)
@click.pass_context
def report(ctx: click.Context, /, paths: tuple[str, ...], *, page: str, **shared: object) -> None:
    """Check PATHS and write the findings to one self-contained HTML page.

    The page shows the findings by file, with their code, cause and fix. It can be filtered by rule, level, fix and
    text; links to it keep the filters. The command prints the counts by rule. The exit code does not depend on the
    findings.
    """
    try:
        ctx.invoke(check, paths=paths, outputs=(("html", page),), statistics=True, exit_zero=True, **shared)
    except click.exceptions.Exit as ended:
        if ended.exit_code != COULD_NOT_RUN:
            say(f"The report is in {page}.", err=True)
        raise


for _option in check.params:
    if isinstance(_option, click.Option) and {*_option.opts} & {*_SHARED}:
        report.params.append(copy.copy(_option))
