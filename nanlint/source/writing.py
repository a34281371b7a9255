"""Text -> disk, so that a file is either what it was or what it should become, never something between.

A file keeps its mode, its owner and its other names. What is written never leaves the project that the path is in.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import stat
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from nanlint.disk import read_regular, reason
from nanlint.source.decoding import SourceError

#: a file that waits to be moved, with the machine and the process that made it
_WAITING = re.compile(r"\.nanlint-([0-9a-f]+)-(\d+)-[0-9a-f]{8}\.tmp")
#: seconds after which nobody waits any more, on another machine or where one cannot ask for a process
_ABANDONED = 600


def write_atomically(path: str, before: bytes, after: bytes) -> None:
    """Replace the content of ``path``, which was ``before`` when it was read, by ``after``. As ``write_together``."""
    write_together([(path, before, after)])


def write_together(changes: Sequence[tuple[str, bytes, bytes]]) -> None:
    """Replace the contents of files, (path, before, after) each, of all or of none.

    The new content is written beside a file and moved over it; a link is followed to its target (see ``target_of``).
    Raises SourceError if a file is read-only, has changed since it was read, or cannot be written.
    """
    staged: list[_Staged] = []
    moved: list[_Staged] = []
    beside: list[str] = []
    path = ""
    try:
        for path, before, after in changes:
            target = target_of(path)
            status = os.stat(target)
            if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
                raise SourceError(f"{path}: is read-only, so it was not fixed")
            # where there are several, the old content waits, too: to go back must need no room on the disk
            contents = (after, before) if len(changes) > 1 else (after,)
            names = [_written_beside(target, content, status, beside) for content in contents]
            staged.append(_Staged(path, target, names[0], names[1:], before))
        # As late as can be: what an editor saved while we were thinking must win.
        for one in staged:
            one.must_be_as_it_was()
        for one in staged:
            path = one.path
            os.replace(one.after, one.target)
            moved.append(one)
    except BaseException as error:
        for one in moved:
            for kept in one.before:
                os.replace(kept, one.target)
        if isinstance(error, FileNotFoundError):
            raise SourceError(f"{path}: was removed before it could be fixed") from None
        if isinstance(error, OSError):
            raise SourceError(f"{path}: could not be written: {reason(error)}") from None
        raise
    finally:
        _remove(beside)


@dataclass(frozen=True)
class _Staged:
    """The new content of a file, and the old one where there are several, in files beside it."""

    path: str
    target: str
    after: str
    before: Sequence[str]
    content: bytes

    def must_be_as_it_was(self) -> None:
        if read_regular(self.target) != self.content:
            raise SourceError(f"{self.path}: changed while it was checked, so it was not fixed; run again")


def write_whole(path: str, content: bytes, *, anywhere: bool = False) -> None:
    """Make ``content`` that of ``path``, which need not exist: all of it or, if that fails, nothing.

    A pipe or a device is written to; a link is followed within the project, or ``anywhere``. Raises OSError.
    """
    status = os.stat(path) if os.path.exists(path) else None
    if status is not None and (not stat.S_ISREG(status.st_mode) or os.path.abspath(path).startswith("/dev/")):
        with open(path, "ab") as file:  # /dev/stdout may be a file to which others have written
            file.write(content)
        return
    target = os.path.realpath(path) if anywhere else target_of(path)
    beside: list[str] = []
    try:
        os.replace(_written_beside(target, content, status, beside), target)
    finally:
        _remove(beside)


def target_of(path: str) -> str:
    """The real path of the file that is changed by writing to ``path``.

    Raises OSError where links lead out of the project that ``path`` is in, or where the file has other names, which
    would either change with it or keep the old content.
    """
    absolute = os.path.abspath(path)
    target, tree = os.path.realpath(absolute), os.path.realpath(_tree_around(os.path.dirname(absolute)))
    if not f"{target}{os.sep}".startswith(tree.rstrip(os.sep) + os.sep):
        raise OSError(errno.EPERM, f"a link leads to {target}, which is outside of {tree}; give that path instead")
    with suppress(FileNotFoundError):
        status = os.stat(target)
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            raise OSError(errno.EMLINK, "it has other names (hard links), which nanlint cannot find")
    return target


def _tree_around(directory: str) -> str:
    """The repository that a directory is in; else its project, or the directory itself."""
    from nanlint.disk import parents
    from nanlint.source.project_files import top_of

    repository = next((one for one in parents(directory) if os.path.exists(os.path.join(one, ".git"))), None)
    return repository or top_of(directory)


def _written_beside(target: str, content: bytes, like: os.stat_result | None, made: list[str]) -> str:
    """A new file beside ``target``, with mode, owner and attributes of what is there; its name is added to ``made``."""
    directory = os.path.dirname(target)
    remove_leftovers(directory, os.listdir(directory))
    path = os.path.join(directory, f".nanlint-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    # 0o666 is what the umask makes the mode of a new file of
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if like is None else 0o600)
    made.append(path)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if like is not None:
        _make_alike(path, target, like)
    return path


def remove_leftovers(directory: str, names: Iterable[str]) -> None:
    """Remove what runs that were killed have left in a directory, of which ``names`` are the entries."""
    for name in names:
        made = _WAITING.fullmatch(name)
        if made is not None:
            path = os.path.join(directory, name)
            with suppress(OSError):  # another run removes it, too, or it may not be removed
                ended = made[1] == _machine() and not _is_running(int(made[2]))
                if ended or time.time() - os.stat(path).st_mtime > _ABANDONED:
                    os.unlink(path)


def _machine() -> str:
    """This machine or container: processes of others that share the directory have numbers of their own."""
    return f"{zlib.crc32(socket.gethostname().encode()):x}"


def _is_running(process: int) -> bool:
    """Whether a process of this machine is there; on Windows, where to ask would end it, it is taken to be."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _make_alike(path: str, target: str, like: os.stat_result) -> None:
    made = os.stat(path)
    if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.chown(path, like.st_uid, like.st_gid)
        except PermissionError:
            if made.st_uid != like.st_uid:
                raise OSError(errno.EPERM, "it belongs to another user, whose ownership would be lost") from None
    os.chmod(path, stat.S_IMODE(like.st_mode))
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # a file system without them
            for name in os.listxattr(target):
                with suppress(OSError):  # those that only the system may set
                    os.setxattr(path, name, os.getxattr(target, name))


def _remove(paths: Sequence[str]) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)
