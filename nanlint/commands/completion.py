"""``nanlint completion``: the script by which a shell completes what is typed."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import Unusable
from nanlint.commands.manual import Command

_VARIABLE = "_NANLINT_COMPLETE"  # click's, by which a shell asks the program

#: where the line that loads the script belongs, and the line
_STARTUP = {
    "bash": ("~/.bashrc", 'eval "$(nanlint completion bash)"'),
    "zsh": ("~/.zshrc", 'eval "$(nanlint completion zsh)"'),
    "fish": ("~/.config/fish/completions/nanlint.fish", "nanlint completion fish | source"),
}


@click.command(
    cls=Command,
    short_help="Print the script for shell completion of commands, options and rules.",
    examples=tuple(
        (line, f"Put this in {place} for completion in every new shell.") for place, line in _STARTUP.values()
    ),
    exit_codes=(("0", "Done."), ("2", "That shell is not supported, or the shell could not be determined.")),
)
@click.argument("shell", required=False, type=click.Choice(list(_STARTUP)))
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes commands, options, paths and rules in SHELL, by default your current shell.

    To load it in every new shell, add a line to the startup file of the shell (see the examples).
    """
    from click.shell_completion import get_completion_class

    chosen = shell or os.path.basename(os.environ.get("SHELL", ""))
    found = get_completion_class(chosen)
    if chosen not in _STARTUP or found is None:
        raise Unusable(f"cannot tell which shell you use; name it: nanlint completion {'|'.join(_STARTUP)}")
    try:
        click.echo(found(ctx.find_root().command, {}, "nanlint", _VARIABLE).source())
    except RuntimeError as error:  # a shell that is too old, or is not there
        raise Unusable(f"{chosen}: {error}") from None
