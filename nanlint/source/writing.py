"""Text -> disk, so that a file is either what it was or what it should become, never something between."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from nanlint.source.decoding import SourceError


def write_atomically(path: str, before: bytes, after: bytes) -> None:
    """Replace the content of ``path``, which was ``before`` when it was read, by ``after``. As ``write_together``."""
    write_together([(path, before, after)])


def write_together(changes: Sequence[tuple[str, bytes, bytes]]) -> None:
    """Replace the contents of files, (path, before, after) each, of all or of none.

    The new content is written beside a file and moved over it; mode bits are kept, a link is followed to its target.
    Raises SourceError if a file is read-only, has changed since it was read, or cannot be written.
    """
    staged: list[_Staged] = []
    moved: list[_Staged] = []
    path = ""
    try:
        for path, before, after in changes:
            staged.append(_staged(path, before, after))
        # As late as can be: what an editor saved while we were thinking must win.
        for one in staged:
            one.must_be_as_it_was()
        for one in staged:
            path = one.path
            os.replace(one.beside, one.target)
            moved.append(one)
    except BaseException as error:
        for one in moved:
            write_whole(one.target, one.before)
        for one in staged[len(moved) :]:
            os.unlink(one.beside)
        if isinstance(error, FileNotFoundError):
            raise SourceError(f"{path}: vanished before it could be fixed") from None
        if isinstance(error, OSError):
            reason = (error.strerror or str(error)).lower()
            raise SourceError(f"{path}: could not be written: {reason}") from None
        raise


@dataclass(frozen=True)
class _Staged:
    """New content that lies beside the file that it is for."""

    path: str
    target: str
    beside: str
    before: bytes

    def must_be_as_it_was(self) -> None:
        with open(self.target, "rb") as current:
            if current.read() != self.before:
                raise SourceError(f"{self.path}: changed while it was checked, so it was not fixed; run again")


def write_whole(path: str, content: bytes) -> None:
    """Make ``content`` that of ``path``, which need not exist: all of it or, if that fails, nothing.

    Mode bits are kept, a link is followed, a pipe or a device is written to. Raises OSError.
    """
    mode = os.stat(path).st_mode if os.path.exists(path) else None
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    beside = os.path.join(os.path.dirname(target), f".nanlint-{secrets.token_hex(4)}.tmp")
    # 0o666 is what the umask makes the mode of a new file of
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _staged(path: str, before: bytes, after: bytes) -> _Staged:
    target = os.path.realpath(path)
    mode = os.stat(target).st_mode
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise SourceError(f"{path}: is read-only, so it was not fixed")
    descriptor, beside = tempfile.mkstemp(prefix=".nanlint-", suffix=".tmp", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, stat.S_IMODE(mode))
    except BaseException:
        os.unlink(beside)
        raise
    return _Staged(path, target, beside, before)
