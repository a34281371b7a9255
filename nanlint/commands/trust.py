"""``nanlint trust``: say whose rule files may run."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import Unusable, say
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Allow the rule files of a project to run.",
    examples=(
        ("nanlint trust", "Trust the working directory and everything below it."),
        ("nanlint trust ~/work ~/.nanlint.toml", "Trust all projects in a directory, and one configuration file."),
        ("nanlint trust --list", "List the trusted paths."),
        ("nanlint trust --remove ~/work", "Stop trusting a directory."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such path, or the list cannot be read or written.")),
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--remove", is_flag=True, help="Stop trusting PATHS.")
@click.option("--list", "show", is_flag=True, help="List the trusted paths.")
def trust(paths: tuple[str, ...], *, remove: bool, show: bool) -> None:
    """Trust PATHS (directories or configuration files): the rule files that their configurations name may run.

    The default is the working directory. Rule files (the key `rules`) are Python code. Rule files in directories that
    you do not trust are not run: `nanlint check` exits with an error; other commands and the server continue without
    them. Your list of trusted paths is stored outside of all projects. The option --trust trusts everything for one
    run.
    """
    from nanlint import trust as trusting

    if show and (paths or remove):
        raise click.UsageError("--list cannot be combined with --remove or PATHS")
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
            say(f"{trusting.trust(path)} is trusted; the list of trusted paths is {trusting.list_path()}", err=True)
