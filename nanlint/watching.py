"""``--watch``: which changes on disk matter to a check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from nanlint.config import CONFIG_FILES, Config
from nanlint.disk import Stamp, parents, stamp_of
from nanlint.source.discovery import SUFFIXES

#: files that say how others are checked, besides those that a configuration names
_SETTINGS = (*CONFIG_FILES, ".gitignore")

#: directories in which programs write much and nobody a program
_BUSY = frozenset(
    {
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nanlint_cache",
        ".ruff_cache",
        ".venv",
        "__pycache__",
        "node_modules",
    }
)

_TICK = 100  # milliseconds between looks at what no directory that is watched holds
_QUIET = 100  # milliseconds without a change after which a group of changes is complete


def settings_of(configs: Iterable[Config]) -> Sequence[str]:
    """Files that decide how others are checked: configurations, wherever they are, and baselines."""
    every = {id(config): config for config in configs}.values()
    named = {layer.file for config in every for layer in config.layers} | {config.baseline for config in every}
    return sorted(file for file in named if file is not None)


def rounds(paths: Sequence[str], named: Callable[[], Sequence[str]]) -> Iterator[None]:
    """One item for each time that ``paths`` want to be checked: now, and after each change that matters.

    ``named``: further files that matter, as the last check knows them. Raises ImportError without watchfiles, OSError
    where the system cannot watch so much.
    """
    from watchfiles import Change, watch

    files = {os.path.abspath(path) for path in paths if not os.path.isdir(path)}
    directories = {os.path.abspath(path) for path in paths if os.path.isdir(path)}
    tops = directories | {os.path.dirname(file) for file in files}
    above = [os.path.join(parent, name) for top in sorted(tops) for parent in parents(top) for name in CONFIG_FILES]

    def matters(change: Change, path: str) -> bool:
        if _BUSY.intersection(path.split(os.sep)[:-1]):
            return False
        if path in files:
            return True
        inside = any(path.startswith(top.rstrip(os.sep) + os.sep) for top in directories)
        return inside and (path.endswith(SUFFIXES) or os.path.basename(path) in _SETTINGS)

    def looked_at() -> dict[str, Stamp | None]:
        return {path: stamp_of(path) for path in (*above, *named())}

    changes = watch(
        *sorted(tops),
        watch_filter=matters,
        step=_QUIET,
        rust_timeout=_TICK,
        yield_on_timeout=True,
        recursive=bool(directories),
        ignore_permission_denied=True,
    )
    before: dict[str, Stamp | None] | None = None
    for group in changes:
        # The first group comes when the watcher has begun, so no change falls between it and the first check.
        now = looked_at()
        if before is None or group or any(before.get(path, stamp) != stamp for path, stamp in now.items()):
            yield
        before = now
