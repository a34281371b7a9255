"""``nanlint graph``: the dataflow of a function as a picture, or the modules of a project."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    CLEAN,
    FINDINGS,
    Unusable,
    config_options,
    configs_for,
    output_option,
    say,
    writable,
    write_report,
)
from nanlint.commands.explain import read
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    from graphviz import Digraph

    from nanlint.config import Options

FORMATS = ("dot", "svg", "png", "pdf")
_SUFFIXES = {"gv": "dot"}


@click.command(
    cls=Command,
    short_help="Draw the dataflow of a function, or the modules of a project.",
    examples=(
        ("nanlint graph loss.py:Loss.forward -o loss.svg", "Draw a method."),
        ("nanlint graph loss.py | dot -Tpng > loss.png", "Draw the module level, with Graphviz's `dot`."),
        (
            "nanlint graph --modules src -o modules.svg",
            "Draw the imports between files, and the imports that could not be resolved.",
        ),
    ),
    exit_codes=(
        ("0", "Done."),
        ("1", "Done, but some of the paths could not be read."),
        ("2", "The file cannot be read or has no such function, or there are no Python files under the paths."),
    ),
)
@click.argument("paths", nargs=-1, metavar="FILE[:FUNCTION] | --modules [PATHS]...")
@click.option(
    "--modules", is_flag=True, help="Draw the imports between the files of the project, instead of a function."
)
@output_option
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    help="Output format.  [default: from the file name of -o, otherwise dot]",
)
@config_options
@click.pass_context
def graph(
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    modules: bool,
    output_file: str | None,
    output_format: str | None,
    config: tuple[str, ...],
    isolated: bool,
) -> None:
    """Draw the dataflow graph of a function.

    Colors show where NaN and Inf can appear; operations with a finding are highlighted. FUNCTION is a name,
    Class.method or outer.inner. Without it, the module level is drawn.

    With --modules, draw the Python files under PATHS (files or directories; by default the working directory) and the
    files of the project that they import, with arrows for the imports. Unresolved imports are dashed. Files are read,
    never imported.

    This needs the extra `nanlint[graph]`, and Graphviz (`dot`) for SVG, PNG and PDF.
    """
    from nanlint.config import Options

    options = Options(config=config, isolated=isolated)
    chosen = output_format or format_of(output_file)
    if output_file is not None:
        writable(output_file)
    try:
        import graphviz  # noqa: F401  before any work is done
    except ImportError:
        raise Unusable("nanlint graph needs the package graphviz: pip install 'nanlint[graph]'") from None
    if modules:
        drawn, complete = _modules(paths or (".",), options)
    elif len(paths) == 1:
        drawn, complete = _function(paths[0], options), True
    else:
        raise click.UsageError("expected one FILE or FILE:FUNCTION; --modules draws the imports of several files")
    _write(output_file, _laid_out(drawn, chosen))
    ctx.exit(CLEAN if complete else FINDINGS)


def _function(place: str, options: Options) -> Digraph:
    """The dataflow of a function or of the module level. Raises Unusable."""
    from nanlint.explaining import drawn
    from nanlint.output.graph import render_graph
    from nanlint.source.syntax import Unparsable

    path, name = parse_function(place)
    if os.path.isdir(path):
        raise Unusable(f"{path}: is a directory; name one of its files, or draw their imports with --modules")
    source, config = read(path, options)
    try:
        function = drawn(source, config, name)
    except Unparsable as error:
        raise Unusable(f"{path}:{error}") from None
    if not function.inside:
        what = f"{name} has" if name else "the module level has"
        raise Unusable(f"{path}: {what} no numeric expressions to draw")
    return render_graph(function)


def _modules(paths: Sequence[str], options: Options) -> tuple[Digraph, bool]:
    """The modules that paths lead to and their imports, and whether all could be visited. Raises Unusable."""
    from nanlint.frontend.imports import module_graph
    from nanlint.output.modules import MAX_MODULES, render_modules
    from nanlint.source.discovery import discover

    for path in paths:
        file = path.rpartition(":")[0]
        if not os.path.exists(path) and os.path.isfile(file):
            raise Unusable(f"{path}: --modules draws files, not functions; name {file}, or leave out --modules")
    found = discover(paths, configs_for(options))
    if not found.files:
        raise Unusable("\nerror: ".join(found.failures) or "no Python files found under the given paths")
    for failure in found.failures:
        say(f"error: {failure}", err=True)
    made = module_graph(file.path for file in found.files).densest(MAX_MODULES)
    if made.left_out:
        left_out = f"modules left out, those with the fewest imports: {made.left_out}"
        say(f"warning: {left_out}; name fewer files or directories to see them", err=True)
    return render_modules(made), not found.failures


def _laid_out(drawn: Digraph, chosen: str) -> bytes:
    """A drawing in one of the formats. Raises Unusable."""
    import graphviz

    from nanlint.output.paint import visible

    try:
        content: bytes = visible(drawn.source).encode() if chosen == "dot" else drawn.pipe(format=chosen)
    except graphviz.ExecutableNotFound:
        raise Unusable(
            f"{chosen} needs Graphviz, whose `dot` is not on the PATH (https://graphviz.org/download);"
            " --format dot needs no Graphviz"
        ) from None
    except graphviz.CalledProcessError as error:
        raise Unusable(f"dot failed: {(error.stderr or b'').decode(errors='replace').strip()}") from None
    return content


def parse_function(place: str) -> tuple[str, str]:
    """FILE:FUNCTION or FILE; a file that is there is taken as it is called."""
    if os.path.exists(place):
        return place, ""
    path, colon, name = place.rpartition(":")
    if not colon:
        return place, ""
    if not path or not all(part.isidentifier() for part in name.split(".")):
        raise click.UsageError(f"{place}: expected FILE:FUNCTION or FILE:Class.method")
    return path, name


def format_of(output: str | None) -> str:
    if output is None:
        return "dot"
    suffix = os.path.splitext(output)[1].removeprefix(".").lower()
    chosen = _SUFFIXES.get(suffix, suffix)
    if chosen not in FORMATS:
        raise click.UsageError(f"{output}: expected a name that ends in .{', .'.join(FORMATS)}; or give --format")
    return chosen


def _write(output: str | None, content: bytes) -> None:
    if output is None:
        sys.stdout.buffer.write(content)
        return
    write_report(output, content)
