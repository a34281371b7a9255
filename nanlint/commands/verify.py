"""``nanlint verify``: run a program, and bring back verdicts."""

from __future__ import annotations

import os
from contextlib import suppress

import click

from nanlint.commands.base import (
    Unusable,
    configs_for,
    is_painted,
    paint_for,
    say,
    split,
    trust_option,
    warn_of_untrusted,
    writable,
    write_report,
)
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Run a program, and report which findings actually happened.",
    sections={
        "What is watched": ("--watch", "--filter", "--include", "--confidence", "--on-nan"),
        "Run": ("--run-dir", "--replay", "--step"),
        "Output": ("--output-format", "--output-file", "--color"),
    },
    examples=(
        ("nanlint verify -- train.py --epochs 3", "Watch the flagged expressions while the program runs."),
        ("nanlint verify --watch all -- -m train", "Find the origin of every nan and inf, on any line."),
        ("nanlint verify --on-nan debug -- train.py", "Open pdb where the first nan or inf appears."),
        ("nanlint verify --replay RUN", "Repeat the first bad step of a run."),
    ),
    exit_codes=(
        ("1", "A finding was confirmed, a nan or inf arrived, or a loss was not finite."),
        ("2", "The program could not be run."),
        ("other", "The exit code of the program."),
    ),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] PROGRAM [ARGS]...")
@click.option(
    "--watch",
    type=click.Choice(["sites", "all", "sentinel"]),
    default="sites",
    show_default=True,
    help="What to watch: flagged expressions (sites), the origin of every nan and inf (all), or losses and "
    "gradient norms (sentinel).",
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FILTER",
    help="Also report tensors that match: has_inf_or_nan, all_zero, saturated, range>NUMBER, FILE.py:FUNCTION.",
)
@click.option(
    "--on-nan",
    type=click.Choice(["continue", "stop", "debug"]),
    default="continue",
    show_default=True,
    help="What to do where a nan or inf first appears; debug opens the terminal of `nanlint inspect` there.",
)
@click.option("--include", multiple=True, callback=split, help="Also watch these packages or paths.")
@click.option(
    "--confidence", type=click.Choice(["possible", "likely", "certain"]), help="Lowest confidence level to watch."
)
@click.option(
    "--keep-elements",
    type=click.IntRange(min=0),
    default=4096,
    show_default=True,
    metavar="N",
    help="Store this many elements of each tensor of an origin.",
)
@click.option(
    "--run-dir", type=click.Path(), help="Directory to store the run in.  [default: a new one in .nanlint/runs]"
)
@click.option("--replay", "replayed", type=click.Path(), metavar="RUN", help="Repeat the first bad step of RUN.")
@click.option("--step", "replay_step", type=click.IntRange(min=0), help="The step to repeat with --replay.")
@click.option(
    "--output-format",
    type=click.Choice(["full", "json"]),
    default="full",
    show_default=True,
    help="Format of the report.",
)
@trust_option
@click.option(
    "-o",
    "--output-file",
    type=click.Path(),
    metavar="FILE",
    help="Write the report to this file.  [default: standard error]",
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Use color."
)
@click.pass_context
def verify(
    ctx: click.Context,
    command: tuple[str, ...],
    *,
    watch: str,
    filters: tuple[str, ...],
    on_nan: str,
    include: tuple[str, ...],
    confidence: str | None,
    keep_elements: int,
    run_dir: str | None,
    replayed: str | None,
    replay_step: int | None,
    output_format: str,
    output_file: str | None,
    color: str,
) -> None:
    """Run PROGRAM as Python would, and report which findings actually happened.

    PROGRAM is a script, `-m MODULE` or `-c CODE`, with its arguments. With --replay, the default is the program of the
    run. The report goes to standard error.
    """
    from nanlint.config import CONFIDENCES, ConfigError
    from nanlint.runtime.filters import FilterError
    from nanlint.runtime.reporting import render_report, render_report_json
    from nanlint.runtime.runfile import RunError
    from nanlint.runtime.verifying import verify_command

    if not command and replayed is None:
        raise click.UsageError("give the program to run: nanlint verify -- train.py")
    if output_file is not None:
        writable(output_file)
    with suppress(Unusable, ConfigError, OSError):  # a program runs whatever its configuration says
        configs = configs_for()
        configs.for_directory(os.getcwd())
        warn_of_untrusted(configs)
    try:
        verified = verify_command(
            command[1:] if command[:1] == ("--",) else command,
            watch=watch,
            filters=filters,
            on_nan=on_nan,
            include=include,
            confidence=CONFIDENCES[confidence or "likely"],
            keep_elements=keep_elements,
            run_directory=run_dir,
            replayed=replayed or "",
            replay=replay_step,
        )
    except (RunError, FilterError) as error:
        raise Unusable(str(error)) from None
    paint = paint_for(color if output_file is None else "never")
    if output_format == "json":
        text = render_report_json(verified.verdicts, run=verified.run, hindsight=verified.hindsight)
    else:
        text = render_report(verified.verdicts, run=verified.run, hindsight=verified.hindsight, paint=paint)
        if filters and watch != "all" and not replayed and not verified.verdicts.filtered:
            text += "Filters were applied only to flagged expressions; --watch all applies them to every tensor.\n"
    if output_file is None:
        say(text, nl=False, err=True, color=is_painted(paint))
    else:
        write_report(output_file, text)
    ctx.exit(verified.verdicts.exit_code)
