"""``nanlint clean``: remove what nanlint keeps in a project."""

from __future__ import annotations

import os

import click

from nanlint.commands.base import CLEAN, FINDINGS, Unusable, say
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Remove the cache and the runs of `nanlint verify` from a project.",
    examples=(
        ("nanlint clean --dry-run", "List what would be removed, with sizes."),
        ("nanlint clean --keep 1", "Remove the cache and all runs but the last."),
        ("nanlint clean path/to/project", "Remove what nanlint keeps in that project."),
    ),
    exit_codes=(
        ("0", "Done."),
        ("1", "Done, but the directory contains files that nanlint did not create; these were kept."),
        ("2", "There is no such directory, or something could not be removed."),
    ),
)
@click.argument("directory", type=click.Path(), default=".")
@click.option("--dry-run", is_flag=True, help="List what would be removed, without removing it.")
@click.option(
    "--keep", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Keep the last N runs."
)
@click.pass_context
def clean(ctx: click.Context, directory: str, *, dry_run: bool, keep: int) -> None:
    """Remove the cache in DIRECTORY/.nanlint_cache and the runs in DIRECTORY/.nanlint/runs.

    The default is the working directory. Files that nanlint did not create are listed and kept. Runs that were stored
    elsewhere (--run-dir) are not removed.
    """
    from nanlint.runtime.cleaning import going_of, inventory, remove

    if not os.path.isdir(directory):
        raise Unusable(f"{directory}: no such directory")
    place = "" if directory == "." else directory
    found = inventory(place)
    gone = going_of(found, keep) if dry_run else remove(found, place, keep=keep)
    cache = _cache_of(place, dry_run=dry_run)
    for run in gone:
        say(f"{'would remove' if dry_run else 'removed'} {run.path} ({_readable(run.size)})")
    for path in found.foreign:
        say(f"warning: {path} was not created by nanlint, and was kept", err=True)
    count = len(gone)
    total = _readable(sum(run.size for run in gone))
    if count:
        say(f"{'Would remove' if dry_run else 'Removed'} {count} run{'' if count == 1 else 's'} ({total}).")
    elif not cache:
        say("Nothing to remove.")
    ctx.exit(FINDINGS if found.foreign else CLEAN)


def _cache_of(place: str, *, dry_run: bool) -> bool:
    """Remove the cache of a project, or say that it would be; whether there is one. Raises Unusable."""
    from nanlint.cache import store
    from nanlint.disk import reason

    directory = os.path.join(place, store.DIRECTORY)
    files = store.files_of(directory)
    if not files:
        return False
    size = sum(os.path.getsize(path) for path in files)
    try:
        for path in () if dry_run else files:
            os.remove(path)
        if not dry_run:
            os.rmdir(directory)
    except OSError as error:
        raise Unusable(f"{error.filename}: could not be removed: {reason(error)}") from None
    say(f"{'would remove' if dry_run else 'removed'} {directory} ({_readable(size)})")
    return True


def _readable(size: int) -> str:
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
