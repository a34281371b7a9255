"""``nanlint verify``: run a program, and bring back verdicts."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from nanlint.commands.base import (
    LEVELS,
    Unusable,
    color_option,
    config_for,
    is_painted,
    paint_for,
    say,
    split,
    together,
    trust_option,
    writable,
    write_report,
)
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    from nanlint.runtime.verifying import Verified

#: how the options are shown that `nanlint verify` and `nanlint replay` share
SECTIONS = {
    "What is watched": ("--filter", "--include", "--confidence", "--on-nan", "--keep-elements"),
    "Run": ("--run-dir",),
    "Output": ("--output-format", "--output-file", "--color"),
}
EXIT_CODES = (
    ("1", "A finding was confirmed, a nan or inf arrived, or a loss was not finite."),
    ("2", "The program could not be run."),
    ("other", "The exit code of the program."),
)
PROGRAM = click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] PROGRAM [ARGS]...")

#: the options that `nanlint verify` and `nanlint replay` share, as ``report_on`` takes them
run_options = together(
    click.option(
        "--filter",
        "filters",
        multiple=True,
        metavar="FILTER",
        help="Also report tensors that match: has_inf_or_nan, all_zero, saturated, range>NUMBER, FILE.py:FUNCTION.",
    ),
    click.option(
        "--on-nan",
        type=click.Choice(["continue", "stop", "debug"]),
        default="continue",
        show_default=True,
        help="What to do where a nan or inf first appears; debug opens the terminal of `nanlint inspect` there.",
    ),
    click.option("--include", multiple=True, callback=split, help="Also watch these packages or paths."),
    click.option("--confidence", type=LEVELS, help="Lowest confidence level to watch."),
    click.option(
        "--keep-elements",
        type=click.IntRange(min=0),
        default=4096,
        show_default=True,
        metavar="N",
        help="Store this many elements of each tensor of an origin.",
    ),
    click.option(
        "--run-dir", type=click.Path(), help="Directory to store the run in.  [default: a new one in .nanlint/runs]"
    ),
    click.option(
        "--output-format",
        type=click.Choice(["full", "json"]),
        default="full",
        show_default=True,
        help="Format of the report.",
    ),
    trust_option,
    click.option(
        "-o",
        "--output-file",
        type=click.Path(),
        metavar="FILE",
        help="Write the report to this file.  [default: standard error]",
    ),
    color_option,
)


def report_on(
    ctx: click.Context,
    run: Callable[..., Verified],
    command: tuple[str, ...],
    *,
    confidence: str | None,
    run_dir: str | None,
    output_format: str,
    output_file: str | None,
    color: str,
    **options: Any,
) -> None:
    """Run the program, report, and exit with the code of the verdicts."""
    from nanlint.config import CONFIDENCES, ConfigError
    from nanlint.runtime.reporting import render_report, render_report_json

    if output_file is not None:
        writable(output_file)
    with suppress(Unusable, ConfigError, OSError):  # a program runs whatever its configuration says
        config_for(os.getcwd())
    verified = run(
        command[1:] if command[:1] == ("--",) else command,
        confidence=CONFIDENCES.get(confidence or ""),
        run_directory=run_dir,
        **options,
    )
    paint = paint_for(color if output_file is None else "never")
    if output_format == "json":
        text = render_report_json(verified.verdicts, run=verified.run)
    else:
        text = render_report(verified.verdicts, run=verified.run, paint=paint)
        if options["filters"] and options.get("watch", "all") != "all" and not verified.verdicts.filtered:
            text += "Filters were applied only to flagged expressions; --watch all applies them to every tensor.\n"
    if output_file is None:
        say(text, nl=False, err=True, color=is_painted(paint))
    else:
        write_report(output_file, text)
    ctx.exit(verified.verdicts.exit_code)


_SECTIONS = {
    **SECTIONS,
    "What is watched": ("--watch", *SECTIONS["What is watched"]),
    "Run": ("--keep-inputs", *SECTIONS["Run"]),
}
_EXAMPLES = (
    ("nanlint verify -- train.py --epochs 3", "Watch the flagged expressions while the program runs."),
    ("nanlint verify --watch all -- -m train", "Find the origin of every nan and inf, on any line."),
    ("nanlint verify --on-nan debug -- train.py", "Open a debugger where the first nan or inf appears."),
)


@click.command(
    cls=Command,
    short_help="Run a program, and report which findings actually happened.",
    sections=_SECTIONS,
    examples=_EXAMPLES,
    exit_codes=EXIT_CODES,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@PROGRAM
@click.option(
    "--watch",
    type=click.Choice(["sites", "all", "sentinel"]),
    help="What to watch: flagged expressions (sites), the origin of every nan and inf (all), or losses and "
    "gradient norms (sentinel).  [default: sites; all with --on-nan debug]",
)
@click.option(
    "--keep-inputs",
    is_flag=True,
    help="Store what functions were called with (a few calls: arrays, plain values, objects by their state) in "
    ".nanlint/inputs, for nanlint try.",
)
@run_options
@click.pass_context
def verify(
    ctx: click.Context, /, command: tuple[str, ...], *, watch: str | None, keep_inputs: bool, **options: Any
) -> None:
    """Run PROGRAM as Python would, and report which findings actually happened.

    PROGRAM is a script, `-m MODULE` or `-c CODE`, with its arguments. The report goes to standard error.
    """
    from nanlint.runtime.verifying import verify_command

    if not command:
        raise click.UsageError("give the program to run: nanlint verify -- train.py")
    watch = watch or ("all" if options["on_nan"] == "debug" else "sites")
    if keep_inputs:
        from nanlint.runtime.trying.inputs import INPUTS

        options["keep_inputs"] = os.path.abspath(INPUTS)
    report_on(ctx, verify_command, command, watch=watch, **options)
