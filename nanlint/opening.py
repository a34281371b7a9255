"""A path -> its bytes, if it is a regular file: a pipe would wait for ever, and a device need not end."""

from __future__ import annotations

import errno
import os
import stat

#: bytes; a larger file is no source, and its tree would not fit into memory
LARGEST = 1 << 28

_KINDS = (
    (stat.S_ISDIR, "is a directory"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


def reason(error: OSError) -> str:
    """Why something could not be read or written, as a phrase."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read_regular(path: str, *, most: int | None = None) -> bytes:
    """What a regular file holds, or the first ``most`` bytes of it.

    Raises OSError: also for what is no regular file, and for one with more than ``LARGEST`` bytes.
    """
    _reject_irregular(os.stat(path))  # before it is opened: that alone can wait, or have an effect
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        status = os.fstat(file.fileno())
        _reject_irregular(status)
        if most is not None:
            return file.read(most)
        if status.st_size > LARGEST:
            raise _too_large()
        content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise _too_large()
        return content


def _too_large() -> OSError:
    return OSError(errno.EFBIG, f"has more than {LARGEST >> 20} MiB; exclude it")


def _reject_irregular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((words for fits, words in _KINDS if fits(status.st_mode)), "is a special file")
        raise OSError(errno.EINVAL, f"{kind}, not a regular file")
