"""``nanlint inspect``: what a run saw, as a page or at the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import CLEAN, say
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    from nanlint.runtime.inspecting.model import Run


@click.command(
    cls=Command,
    short_help="Show a run of `nanlint verify`, as a page or at the terminal.",
    examples=(
        ("nanlint inspect", "Show the last run as a page in the browser."),
        ("nanlint inspect --terminal .nanlint/runs/RUN", "Read commands at the terminal."),
        ("nanlint inspect -c alerts RUN", "Run one command and exit."),
        ("nanlint inspect metrics.csv", "Say where what a training logged grew, jumped or was not finite."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such run or log, or it cannot be read.")),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...", type=click.Path())
@click.option("--tfdbg", type=click.Path(), metavar="DIR", help="Read a dump of TensorFlow's Debugger V2 instead.")
@click.option(
    "-o",
    "--output-file",
    type=click.Path(),
    metavar="FILE",
    help="Write the page to this file.  [default: in the run's directory]",
)
@click.option("--open/--no-open", "browse", default=None, help="Open the page in a browser.  [default: at a terminal]")
@click.option(
    "--terminal",
    is_flag=True,
    help="Read commands at the terminal instead of writing a page (the default for piped input).",
)
@click.option(
    "-c", "--command", "commands", multiple=True, metavar="COMMAND", help="Run this command and exit. Repeatable."
)
@click.pass_context
def inspect(
    ctx: click.Context,
    runs: tuple[str, ...],
    *,
    tfdbg: str | None,
    output_file: str | None,
    browse: bool | None,
    terminal: bool,
    commands: tuple[str, ...],
) -> None:
    """Show RUN, a directory that `nanlint verify` wrote, as a page for the browser or at the terminal.

    Several runs are shown as one. The default is the last run. RUN may also be the log of a training that is over
    (CSV, JSON lines, a `trainer_state.json`, TensorBoard's events): then its first numbers that are not finite, growth
    and jumps are told, and the findings in the working directory.
    """
    if runs and tfdbg is not None:
        raise click.UsageError("RUN and --tfdbg cannot be combined")
    from nanlint.runtime.inspecting.logs import is_log

    if any(map(is_log, runs)):
        if len(runs) > 1 or terminal or commands or output_file or browse:
            raise click.UsageError("a log is read alone: it has no page and no commands")
        ctx.exit(_tell_log(runs[0]))
    shown = _kept_run(runs, tfdbg)
    if terminal or commands or not (_at_terminal() or output_file or browse is not None):
        ctx.exit(_inspect_at_terminal(shown, commands))
    from nanlint.runtime.inspecting.page import write_page

    path = write_page(shown, output_file)
    say(path)
    if browse or (browse is None and sys.stdout.isatty()):
        click.launch(path)


def _tell_log(path: str) -> int:
    import nanlint
    from nanlint.runtime.inspecting.logs import read_log, told

    for line in told(path, read_log(path), lambda: nanlint.check_paths(["."]).diagnostics):
        say(line)
    return CLEAN


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _kept_run(directories: tuple[str, ...], tfdbg: str | None) -> Run:
    from nanlint.runtime.inspecting.building import run_of
    from nanlint.runtime.inspecting.debugger_v2 import read_dump
    from nanlint.runtime.launch import latest_run
    from nanlint.runtime.runfile import read_run

    return read_dump(tfdbg) if tfdbg is not None else run_of(read_run(*(directories or (latest_run(),))))


def _inspect_at_terminal(run: Run, commands: Sequence[str]) -> int:
    from nanlint.runtime.inspecting.terminal import Terminal

    terminal = Terminal(run, sys.stdout, None if _at_terminal() else sys.stdin or io.StringIO())
    if not commands:
        terminal.interact()
        return CLEAN
    any(map(terminal.perform, commands))
    return CLEAN
