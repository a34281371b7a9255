"""Bytes -> messages, also after bytes that are none: a broken header costs what belongs to it, and not what follows.

pygls reads headers of one form only, and waits for ever behind any other; so it is given those.
"""

from __future__ import annotations

import re
from typing import BinaryIO, cast

#: bytes of a message; a header that promises more is taken for a broken one
LARGEST = 1 << 28
#: bytes of a header
_LONGEST = 4096

_HEADER = re.compile(rb"(?:[A-Za-z-]+[ \t]*:[^\r\n]*\r?\n)+\r?\n")
_PART_OF_ONE = re.compile(rb"(?:[A-Za-z-]+[ \t]*:[^\r\n]*\r?\n)*(?:[A-Za-z-]*(?:[ \t]*(?::[^\r\n]*)?)\r?)?")
_NAME = b"content-length"
#: also behind the rest of what was lost
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


class Frames:
    """A stream of messages as pygls reads it: a line with the length, an empty one, so many bytes.

    What is no message is handed on as one, so that it is answered as what cannot be read; what comes after it is passed
    over until a header begins.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._body = b""
        self._lines: list[bytes] = []
        self._lost = False

    def readline(self) -> bytes:
        """The next line of a header; empty at the end of the stream."""
        if not self._lines:
            body = self._next()
            if body is None:
                return b""
            self._body = body
            self._lines = [b"\r\n", b"Content-Length: %d\r\n" % len(body)]
        return self._lines.pop()

    def read(self, size: int) -> bytes:
        """The message whose header was read; ``size`` is its own."""
        return self._body

    def _next(self) -> bytes | None:
        """The next message, or what is none; None at the end."""
        while True:
            del self._buffer[: len(self._buffer) - len(self._buffer.lstrip(b"\r\n"))]
            header = _HEADER.match(self._buffer)
            length = _LENGTH.search(header[0]) if header is not None else None
            if header is not None and length is not None and int(length[1]) <= LARGEST:
                del self._buffer[: header.end()]
                message = self._taken(int(length[1]))
                self._lost = message is not None and not message.rstrip().endswith((b"}", b"]"))  # it goes on
                if message != b"":
                    return message
            elif header is not None:
                broken = self._broken(header.end())
                if broken:
                    return broken
            elif len(self._buffer) > _LONGEST or _PART_OF_ONE.fullmatch(self._buffer) is None:
                broken = self._broken(self._where_a_header_may_begin())
                if broken:
                    return broken
            elif not self._more():
                return None

    def _broken(self, end: int) -> bytes:
        """What is no message, up to ``end``, if nothing was said of what came before it; else nothing."""
        junk = b"" if self._lost else bytes(self._buffer[:end])
        del self._buffer[:end]
        self._lost = True
        return junk

    def _where_a_header_may_begin(self) -> int:
        """Behind the first byte; the end where there is none."""
        text = bytes(self._buffer).lower()
        found = text.find(_NAME, 1)
        if found > 0:
            return found
        begun = (size for size in range(min(len(_NAME), len(text)) - 1, 0, -1) if text.endswith(_NAME[:size]))
        return len(text) - next(begun, 0)

    def _taken(self, size: int) -> bytes | None:
        while len(self._buffer) < size:
            if not self._more():
                return None
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _more(self) -> bool:
        read = self._stream.read1(1 << 16)  # type: ignore[attr-defined]
        self._buffer += cast(bytes, read)
        return bool(read)
