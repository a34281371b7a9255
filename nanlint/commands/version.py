"""``nanlint version``: which version this is."""

from __future__ import annotations

import json

import click

from nanlint.commands.base import deliver, format_option, output_option
from nanlint.commands.manual import Command
from nanlint.version import __version__


@click.command(
    cls=Command,
    short_help="Print the version.",
    examples=(("nanlint version --output-format json", "Print the version as JSON."),),
    exit_codes=(("0", "Done."),),
)
@format_option
@output_option
def version(output_format: str, output_file: str | None) -> None:
    """Print the version, as `nanlint --version` does."""
    text = json.dumps({"version": __version__}) if output_format == "json" else f"nanlint {__version__}"
    deliver(text + "\n", output_file)
