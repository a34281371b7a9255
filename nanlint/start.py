"""The console script: gives the answer of an earlier run if it still holds, else begins the program."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run `nanlint`, by ``sys.argv``."""
    code = _recalled()
    if code is not None:
        sys.stdout.flush()
        os._exit(code)
    from nanlint.cli import main as begin

    begin()


def _recalled() -> int | None:
    if sys.stdout is None or sys.stderr is None or len(sys.argv) < 2:
        return None
    try:
        from nanlint.cache.answers import recall
    except ImportError:  # this Python has no sqlite3
        return None
    try:
        return recall(sys.argv[1:])
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError:
        return None
