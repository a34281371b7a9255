"""``nanlint help``: what ``--help`` prints, by the name of a command."""

from __future__ import annotations

import click

from nanlint.commands.base import Unusable
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Print the help of nanlint, or of a command.",
    examples=(("nanlint help check", "Show the options of a command."),),
    exit_codes=(("0", "Done."), ("2", "There is no such command.")),
)
@click.argument("command", required=False)
@click.pass_context
def help(ctx: click.Context, command: str | None) -> None:
    """Print the help of nanlint, or of a COMMAND: the same as `nanlint COMMAND --help`."""
    from nanlint.selection import did_you_mean

    root = ctx.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    if command is None:
        click.echo(group.get_help(root))
        return
    found = group.get_command(root, command)
    if found is None:
        raise Unusable(f"{command}: no such command{did_you_mean(command, group.list_commands(root))}")
    with click.Context(found, parent=root, info_name=command) as inner:
        click.echo(found.get_help(inner))
