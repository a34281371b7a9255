"""What ``nanlint check`` says, and with which code it leaves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nanlint.commands.base import CLEAN, COULD_NOT_RUN, FINDINGS, is_painted, put, say
from nanlint.output.formats import FORMATS

if TYPE_CHECKING:
    from nanlint.lint.report import FileReport, Report
    from nanlint.output.paint import Paint
    from nanlint.output.view import View

# What --statistics can be shown as.
TABULATED = (*(name for name, one in FORMATS.items() if one.for_people), "json")


def print_messages(report: Report, *, diff: bool, quiet: bool, changed_since: str | None) -> None:
    """What went wrong, and what else is to be heard, to standard error."""
    from nanlint.output.summary import findings

    for message in report.messages:
        say(f"error: {message}", err=True)
    if quiet:
        return
    for note in report.notes:
        say(f"warning: {note}", err=True)
    for file in report.files:
        for note in file.notes:
            say(f"warning: {note}", err=True)
    if report.ignored and not diff:
        say(f"Silenced {findings(len(report.ignored))} by comments.", err=True)
    if not report.files and not report.messages:
        changed = "" if changed_since is None else f" that changed since {changed_since}, or are affected"
        say(f"warning: no Python files found under the given paths{changed}", err=True)


def print_unresolved(report: Report, content: bytes | None) -> None:
    """What was not resolved in the project, to standard error. ``content``: of standard input, if that was checked."""
    from nanlint.lint.many_files import unresolved
    from nanlint.output.unresolved import render_unresolved

    say(render_unresolved(unresolved(report, content)), nl=False, err=True)


def rendered(view: View, output_format: str, statistics: bool, *, fixing: bool, quiet: bool) -> str:
    """What goes to the terminal: the report, and for people what is to be said after it."""
    from nanlint.output.formats import render
    from nanlint.output.summary import render_footer, render_statistics

    report = view.report
    for_people = FORMATS[output_format].for_people
    if statistics:
        text = render_statistics(
            report.diagnostics, unsafe=view.unsafe, paint=view.paint, as_json=output_format == "json"
        )
    else:
        text = render(output_format, view)
    if quiet or not for_people:
        return text
    return text + render_footer(view, fixing=fixing)


def print_diff(report: Report, paint: Paint, quiet: bool) -> None:
    """What would be written. It is a patch: ``paint`` should be plain where a program may read it."""
    from nanlint.output.diff import render_diff_of
    from nanlint.output.summary import counted, findings

    for file in report.files:
        if file.before is not None and file.after is not None:
            text = render_diff_of(file.before, file.after, paint=paint)
            if sys.stdout.isatty() or is_painted(paint):
                say(text, nl=False, color=is_painted(paint))
            else:
                put(text, color=True)  # a patch is what it is
    if not quiet and report.checked:
        if report.ignored:
            say(f"Would silence {findings(len(report.ignored))} by comments.", err=True)
        if report.fixed or not report.ignored:
            would = f"Would fix {counted(report.fixed)}." if report.fixed else "Nothing would be fixed."
            say(would, err=True)


def print_mended(file: FileReport, content: bytes) -> None:
    """Standard input with its fixes goes to standard output, byte for byte if there were none."""
    sys.stdout.buffer.write(content if file.after is None else file.after.to_bytes())


def exit_code_of(report: Report, *, findings: bool, exit_zero: bool) -> int:
    """The code to leave with; ``findings``: there are some that fail."""
    if report.messages and not report.checked:
        return COULD_NOT_RUN
    if exit_zero:
        return CLEAN
    return FINDINGS if findings or report.messages else CLEAN
