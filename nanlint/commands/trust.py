"""``nanlint trust``: say whose rule files may run."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import Unusable, say
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Say that rule files of a project may run.",
    examples=(
        ("nanlint trust", "The project here, with all that is below it."),
        ("nanlint trust ~/work ~/.nanlint.toml", "All projects in a directory; what one configuration file names."),
        ("nanlint trust --list", "What is trusted."),
        ("nanlint trust --remove ~/work", "Not any more."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such path, or the list cannot be read or written.")),
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--remove", is_flag=True, help="Trust PATHS no more.")
@click.option("--list", "show", is_flag=True, help="List what is trusted.")
def trust(paths: tuple[str, ...], *, remove: bool, show: bool) -> None:
    """Trust PATHS, directories or configuration files: the rule files that configurations there name may run.

    Rule files (the key `rules`) are Python code. Those of a directory that nobody trusts are not run: `nanlint check`
    ends with an error, other commands and the server go on without them. What is trusted is kept in a list of your own,
    outside of all projects. The option --trust trusts everything for one run.
    """
    from nanlint import trust as trusting

    if show and (paths or remove):
        raise click.UsageError("--list goes alone")
    try:
        if show:
            for path in trusting.trusted():
                say(path)
        for path in () if show else paths or (".",):
            if remove:
                known = trusting.distrust(path)
                say(f"{os.path.realpath(path)} is {'no longer' if known else 'not'} trusted", err=True)
            elif not os.path.exists(path):
                raise Unusable(f"{path}: no such file or directory")
            else:
                say(f"{trusting.trust(path)} is trusted; this is kept in {trusting.list_path()}", err=True)
    except trusting.TrustError as error:
        raise Unusable(str(error)) from None
