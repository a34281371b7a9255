"""``nanlint replay``: repeat the step of a run that went bad, and find the line."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from nanlint.commands.manual import Command
from nanlint.commands.verify import EXIT_CODES, PROGRAM, SECTIONS, report_on, run_options


@click.command(
    cls=Command,
    short_help="Repeat the step of a run that went bad, and find the line.",
    sections={**SECTIONS, "Run": ("--step", "--from-start", *SECTIONS["Run"])},
    examples=(
        ("nanlint replay run", "Repeat the first bad step of the run, and find its origins."),
        ("nanlint replay run --step 412 --on-nan debug", "Repeat another step, and stop at the first nan or inf."),
        ("nanlint replay run -- train.py --epochs 1", "Run another program than that of the run."),
    ),
    exit_codes=(EXIT_CODES[0], ("2", "The program could not be run, or the step was not repeated."), EXIT_CODES[2]),
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": True},
)
@click.argument("run", type=click.Path())
@PROGRAM
@click.option("--step", type=click.IntRange(min=0), help="The step to repeat.  [default: the first bad one]")
@click.option(
    "--from-start", is_flag=True, help="Repeat all steps before it, too, and use nothing that RUN kept of it."
)
@run_options
@click.pass_context
def replay(
    ctx: click.Context, /, run: str, command: tuple[str, ...], *, step: int | None, from_start: bool, **options: Any
) -> None:
    """Run the program of RUN again up to its first bad step, and watch this step and the one before in full.

    RUN was recorded by `nanlint verify --watch sentinel`, by `nanlint.watch` or by a callback. If it kept the step, the
    program goes on with it as soon as it calls `nanlint.watch`. By default, PROGRAM is that of the run.
    """
    from nanlint.runtime.verifying import replay_command

    report_on(ctx, partial(replay_command, run, step=step, from_start=from_start), command, **options)
