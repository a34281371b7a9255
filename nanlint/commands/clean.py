"""``nanlint clean``: remove what nanlint keeps in a project."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import CLEAN, FINDINGS, Unusable, say
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Remove the runs of `nanlint verify` from a project.",
    examples=(
        ("nanlint clean --dry-run", "List the stored runs and their sizes."),
        ("nanlint clean --keep 1", "Remove all runs but the last."),
        ("nanlint clean path/to/project", "Remove the runs of that project."),
    ),
    exit_codes=(
        ("0", "Done."),
        ("1", "Done, but the directory contains files that nanlint did not create; these were kept."),
        ("2", "There is no such directory, or something could not be removed."),
    ),
)
@click.argument("directory", type=click.Path(), default=".")
@click.option("--dry-run", is_flag=True, help="List the runs that would be removed, without removing them.")
@click.option(
    "--keep", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Keep the last N runs."
)
@click.pass_context
def clean(ctx: click.Context, directory: str, *, dry_run: bool, keep: int) -> None:
    """Remove the runs that nanlint stored in DIRECTORY/.nanlint/runs. The default is the working directory.

    Files that nanlint did not create are listed and kept. Runs that were stored elsewhere (--run-dir) are not removed.
    """
    from nanlint.runtime.cleaning import CleaningError, going_of, inventory, remove

    if not os.path.isdir(directory):
        raise Unusable(f"{directory}: no such directory")
    place = "" if directory == "." else directory
    try:
        found = inventory(place)
        gone = going_of(found, keep) if dry_run else remove(found, place, keep=keep)
    except (CleaningError, OSError) as error:
        raise Unusable(str(error)) from None
    for run in gone:
        say(f"{'would remove' if dry_run else 'removed'} {run.path} ({_readable(run.size)})")
    for path in found.foreign:
        say(f"warning: {path} was not created by nanlint, and was kept", err=True)
    count = len(gone)
    total = _readable(sum(run.size for run in gone))
    if count:
        say(f"{'Would remove' if dry_run else 'Removed'} {count} run{'' if count == 1 else 's'} ({total}).")
    else:
        say("Nothing to remove.")
    ctx.exit(FINDINGS if found.foreign else CLEAN)


def _readable(size: int) -> str:
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
