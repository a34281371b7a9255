"""``nanlint try``: call the functions that have findings, and say which of them fail."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import (
    CLEAN,
    COULD_NOT_RUN,
    FINDINGS,
    LEVELS,
    Unusable,
    color_option,
    config_options,
    deliver,
    is_painted,
    output_option,
    paint_for,
    trust_option,
    writable,
)
from nanlint.commands.manual import Command


@click.command(
    "try",
    cls=Command,
    short_help="Call the functions that have findings, and show inputs that make them fail.",
    examples=(
        ("nanlint try losses.py", "Call each function of the file that has findings."),
        ("nanlint try losses.py:normalize --write-test test_losses.py", "Call one, and write a test of each failure."),
    ),
    exit_codes=(
        ("0", "No call failed."),
        ("1", "A finding failed: its expression made a nan or inf of finite input."),
        ("2", "Nothing could be called."),
    ),
)
@click.argument("target", metavar="FILE[:FUNCTION]")
@click.option("--import", "imports", is_flag=True, help="Import the file even if that does more than define things.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=10.0, show_default=True, help="Time for each function."
)
@click.option(
    "--inputs",
    type=click.Path(),
    metavar="DIR",
    help="Directory of the inputs that nanlint verify --keep-inputs kept.  [default: .nanlint/inputs]",
)
@click.option("--write-test", type=click.Path(), metavar="FILE", help="Write a test for pytest of each failure.")
@click.option("--confidence", type=LEVELS, help="Lowest confidence to try.")
@click.option(
    "--output-format", type=click.Choice(["full", "json"]), default="full", show_default=True, help="Output format."
)
@config_options
@output_option
@trust_option
@color_option
@click.pass_context
def try_(
    ctx: click.Context,
    target: str,
    *,
    imports: bool,
    seconds: float,
    inputs: str | None,
    write_test: str | None,
    confidence: str | None,
    output_format: str,
    config: tuple[str, ...],
    isolated: bool,
    output_file: str | None,
    color: str,
) -> None:
    """Import FILE, and call its functions that have findings with ordinary inputs and everyday corners of them.

    Unlike `nanlint check`, this RUNS the code. It is no sandbox: the process has a temporary directory and home, and
    limits of time and memory; writing elsewhere, other processes and sockets are refused as far as Python sees them.

    Whether an input that fails can occur is for you to say. By default, findings of every confidence are tried.
    """
    import ast

    from nanlint.commands.explain import read
    from nanlint.config import Options
    from nanlint.lint.one_file import run_bytes
    from nanlint.lint.report import Task
    from nanlint.runtime.trying.inputs import INPUTS
    from nanlint.runtime.trying.telling import render_tried, render_tried_json, tests_of
    from nanlint.runtime.trying.trying import does_more_than_define, try_file

    path, function = _split(target)
    options = Options.of(config=config, isolated=isolated, confidence=confidence or "possible")
    source, settled = read(path, options)
    if source.cell_at(1) is not None:
        raise Unusable(f"{path}: a notebook cannot be imported")
    if write_test is not None:
        writable(write_test)
    content = source.text.encode()
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from None
    line = 0 if imports else does_more_than_define(tree)
    if line:
        raise Unusable(f"{path}:{line}: importing it does more than define things; --import imports it nevertheless")
    found = try_file(
        path,
        content,
        run_bytes(content, Task(path, settled)).diagnostics,
        function,
        seconds,
        os.path.abspath(inputs or INPUTS),
    )
    if write_test is not None and (tests := tests_of(path, found)):
        from nanlint.commands.base import write_report

        write_report(write_test, tests)
    if output_format == "json":
        deliver(render_tried_json(found), output_file)
    else:
        paint = paint_for(color if output_file is None else "never")
        deliver(render_tried(found, paint), output_file, color=is_painted(paint))
    states = {one.state for one in found}
    ctx.exit(FINDINGS if "fails" in states else COULD_NOT_RUN if states == {"not callable"} else CLEAN)


def _split(target: str) -> tuple[str, str]:
    """FILE and FUNCTION; the path may have colons of its own."""
    if os.path.exists(target):
        return target, ""
    path, _, function = target.rpartition(":")
    return (path, function) if path else (target, "")
