"""Whose code may run: rule files that a configuration names run only where the user has said so.

That is said for one run, by ``--trust`` or the variable, or once and for all in a list that the user's own directory of
configuration holds: files of configuration, and directories with all that is below them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from nanlint.disk import read_regular, reason
from nanlint.refused import Refused

#: trusts everything, for a run
VARIABLE = "NANLINT_TRUST"

_YES = frozenset({"1", "on", "t", "true", "y", "yes"})


class TrustError(Refused):
    """The list cannot be read or written. The message names it and says why."""


def list_path() -> str:
    """Where the list is: ``~/.config/nanlint/trusted`` on Linux, and where else such files are kept elsewhere."""
    from platformdirs import user_config_dir

    return os.path.join(user_config_dir("nanlint", appauthor=False), "trusted")


def trust_everything() -> None:
    """What configurations name may run in this process, and in those that it starts."""
    os.environ[VARIABLE] = "1"


def is_trusted(file: str) -> bool:
    """Whether what a file of configuration names may run."""
    if os.environ.get(VARIABLE, "").strip().lower() in _YES:
        return True
    try:
        known = trusted()
    except TrustError:
        return False
    real = os.path.realpath(file)
    return any(real == one or real.startswith(one.rstrip(os.sep) + os.sep) for one in known)


def trusted() -> tuple[str, ...]:
    """What is on the list, as real paths. Raises TrustError."""
    path = list_path()
    try:
        content = read_regular(path)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise TrustError(f"{path}: could not be read: {reason(error)}") from None
    return tuple(line for line in os.fsdecode(content).split("\n") if os.path.isabs(line))


def trust(path: str) -> str:
    """Put a file or a directory on the list; its real path. Raises TrustError."""
    real = os.path.realpath(path)
    if "\n" in real:
        raise TrustError(f"{real!r}: has a line break in its name, which the list of trusted paths cannot contain")
    known = trusted()
    if real not in known:
        _write((*known, real))
    return real


def distrust(path: str) -> bool:
    """Take a file or a directory off the list; whether it was there. Raises TrustError."""
    known, real = trusted(), os.path.realpath(path)
    if real in known:
        _write([one for one in known if one != real])
    return real in known


def _write(paths: Sequence[str]) -> None:
    from nanlint.source.writing import write_whole

    target = list_path()
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_whole(target, os.fsencode("".join(f"{path}\n" for path in paths)), anywhere=True)
    except OSError as error:
        raise TrustError(f"{target}: could not be written: {reason(error)}") from None
