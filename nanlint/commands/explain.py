"""``nanlint explain``: the record of an expression, and why each rule does or does not fire there."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    LEVELS,
    Unusable,
    color_option,
    config_for,
    config_options,
    deliver,
    format_option,
    is_painted,
    output_option,
    paint_for,
    trust_option,
)
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    from nanlint.config import Config, Options
    from nanlint.source import Source


@click.command(
    cls=Command,
    short_help="Explain what nanlint knows about an expression.",
    examples=(
        ("nanlint explain loss.py:12", "Explain the reported expressions of a line, or all numeric ones."),
        ("nanlint explain loss.py:12:20 --output-format json", "Explain the expression at a column, as JSON."),
    ),
    exit_codes=(("0", "Done."), ("2", "The file cannot be read, or there is no expression at this place.")),
)
@click.argument("place", metavar="FILE[:cell N]:LINE[:COL]")
@format_option
@config_options
@output_option
@trust_option
@click.option("--confidence", type=LEVELS, help="Lowest confidence to report.")
@click.option(
    "--with-run",
    multiple=True,
    type=click.Path(),
    metavar="RUN",
    help="Say what this run of `nanlint verify` or pytest observed, and which test is missing.  Repeatable.",
)
@color_option
def explain(
    place: str,
    *,
    output_format: str,
    config: tuple[str, ...],
    isolated: bool,
    output_file: str | None,
    confidence: str | None,
    with_run: tuple[str, ...],
    color: str,
) -> None:
    """Explain what nanlint knows about the expression at FILE:LINE[:COL].

    Says in at most twelve lines which rules report the expression, where the operation breaks, what makes it break,
    what guards it, where the result goes, and how sure that is: which row of the table of levels decided, and how often
    such findings were right. If nothing is reported, says why not. The JSON has the answer of every rule.

    Without a column, the reported expressions of the line are explained, or all numeric ones if none is reported. In a
    notebook, give the cell and the line in it: `notebook.ipynb:cell 3:2`.
    """
    from nanlint.commands.checking import observed
    from nanlint.config import Options
    from nanlint.explaining import explain as explained
    from nanlint.lint.one_file import judged
    from nanlint.output.explanation import render_explanations, render_explanations_json
    from nanlint.output.paint import plain
    from nanlint.source.syntax import Unparsable

    path, cell, row, column = parse_place(place)
    source, settled = read(path, Options.of(config=config, isolated=isolated, confidence=confidence))
    if cell is not None or source.cell_at(1) is not None:
        row = _row_of(source, cell, row)
    elif row > len(source.lines):
        count = len(source.lines) - (source.lines[-1] == "")
        raise Unusable(f"{path}: has {count} lines; there is no line {row}")
    try:
        shown = judged(source, settled, observed(with_run)).shown if with_run else None
        found = explained(source, settled, row, column, shown)
    except Unparsable as error:
        raise Unusable(f"{path}:{error}") from None
    if not found:
        raise Unusable(nothing_at(source, settled, place, row, column))
    if output_format == "json":
        deliver(render_explanations_json(found, os.path.abspath(path)), output_file)
        return
    paint = plain if output_file is not None else paint_for(color)
    deliver(render_explanations(found, path, paint=paint), output_file, color=is_painted(paint))


def _row_of(source: Source, cell: int | None, row: int) -> int:
    """The row in the program of a notebook's cells; raises Unusable."""
    from nanlint.diagnostic import Span

    if cell is None:
        raise Unusable(f"{source.path}: in a notebook, give the cell and its line: '{source.path}:cell 3:{row}'")
    span = Span(row, 1, row, 1, cell)
    placed = source.placed(span)
    if placed == span:
        raise Unusable(f"{source.path}: has no cell {cell} of Python code")
    if source.cell_at(placed.row) != cell or placed.row > len(source.lines):
        raise Unusable(f"{source.path}: cell {cell} has no line {row}")
    return placed.row


def parse_place(place: str) -> tuple[str, int | None, int, int | None]:
    """FILE:LINE or FILE:LINE:COL, of a notebook FILE:cell N:LINE; the file may have colons of its own."""
    parts = re.fullmatch(r"(.+?)(?::cell ([0-9]+))?:([0-9]+)(?::([0-9]+))?", place)
    if parts is None:
        raise click.UsageError(f"{place}: expected FILE:LINE or FILE:LINE:COL, such as loss.py:12:20")
    cell, row, column = (int(part) if part else None for part in parts.groups()[1:])
    if not row or column == 0:
        raise click.UsageError(f"{place}: lines and columns are counted from 1")
    return parts[1], cell, row, column


def read(path: str, options: Options) -> tuple[Source, Config]:
    """A file and the configuration that holds for it; raises Unusable."""
    from nanlint.disk import read_regular, reason
    from nanlint.source.decoding import reject_binary
    from nanlint.source.project import in_project
    from nanlint.source.reading import read_source

    if os.path.isdir(path):
        raise Unusable(f"{path}: is a directory; name one of its files")
    try:
        content = read_regular(path)
        reject_binary(content, path)
        source = in_project(read_source(content, path))
    except OSError as error:
        raise Unusable(f"{path}: could not be read: {reason(error)}") from None
    absolute = os.path.abspath(path)
    return source, config_for(os.path.dirname(absolute), options).for_file(absolute)


def nothing_at(source: Source, config: Config, where: str, row: int, column: int | None) -> str:
    """That there is nothing to explain, and where the nearest expressions are."""
    from nanlint.explaining import numeric_rows

    rows = numeric_rows(source, config)
    if row in rows and column is not None:
        return f"{where}: no expression there; leave out the column to explain the whole line"
    if not rows:
        return f"{where}: no numeric expression there or anywhere else in the file"
    near = sorted(sorted(rows, key=lambda other: abs(other - row))[:3])
    shown = (source.row_in_cell(other) for other in near)
    listed = ", ".join(str(line) if cell is None else f"{line} of cell {cell}" for cell, line in shown)
    return f"{where}: no numeric expression there; the nearest are on lines {listed}"
