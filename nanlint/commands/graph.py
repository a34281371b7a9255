"""``nanlint graph``: the dataflow of a function as a picture."""

from __future__ import annotations

import os
import sys

import click

from nanlint.commands.base import Unusable, writable, write_report
from nanlint.commands.explain import read
from nanlint.commands.manual import Command

FORMATS = ("dot", "svg", "png", "pdf")
_SUFFIXES = {"gv": "dot"}


@click.command(
    cls=Command,
    short_help="Draw the dataflow of a function, with health as colours.",
    examples=(
        ("nanlint graph loss.py:Loss.forward -o loss.svg", "A picture of a method."),
        ("nanlint graph loss.py | dot -Tpng > loss.png", "Lay it out with Graphviz yourself."),
    ),
    exit_codes=(("0", "Done."), ("2", "The file cannot be read, or has no such function.")),
)
@click.argument("function", metavar="FILE[:FUNCTION]")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Where to write.  [default: standard output]")
@click.option(
    "--format", "output_format", type=click.Choice(FORMATS), help="What is written.  [default: by -o, else dot]"
)
@click.option("--config", "config_file", type=click.Path(), help="Use this configuration file.")
@click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
def graph(
    function: str, *, output: str | None, output_format: str | None, config_file: str | None, isolated: bool
) -> None:
    """Draw the dataflow graph of a function, with health as colours and hazards highlighted.

    FUNCTION is a name, Class.method or outer.inner; without it the module level is drawn. Needs the extra `graph`;
    SVG, PNG and PDF are laid out by Graphviz (`dot`).
    """
    from nanlint.config import Overrides
    from nanlint.explaining import NoSuchFunction, picture
    from nanlint.output.graph import render_graph
    from nanlint.source.syntax import Unparsable

    path, name = parse_function(function)
    chosen = output_format or format_of(output)
    if output is not None:
        writable(output)
    try:
        import graphviz
    except ImportError:
        raise Unusable("nanlint graph needs the package graphviz: pip install 'nanlint[graph]'") from None
    source, config = read(path, config_file, isolated, Overrides())
    try:
        drawn = picture(source, config, name)
    except Unparsable as error:
        raise Unusable(f"{path}:{error}") from None
    except NoSuchFunction as error:
        raise Unusable(str(error)) from None
    if not drawn.boxes:
        what = f"{name} has" if name else "the module level has"
        raise Unusable(f"{path}: {what} no numeric expressions to draw")
    rendered = render_graph(drawn)
    try:
        content = rendered.source.encode() if chosen == "dot" else rendered.pipe(format=chosen)
    except graphviz.ExecutableNotFound:
        raise Unusable(
            f"{chosen} needs Graphviz, whose `dot` is not on the PATH (https://graphviz.org/download);"
            " --format dot does without it"
        ) from None
    except graphviz.CalledProcessError as error:
        raise Unusable(f"dot failed: {(error.stderr or b'').decode(errors='replace').strip()}") from None
    _write(output, content)


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
    """The format that the name of a file asks for."""
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
