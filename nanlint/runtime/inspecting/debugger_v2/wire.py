"""TFRecord files and protocol buffers, as much as it takes to read what TensorFlow's debugger writes without it."""

from __future__ import annotations

import struct
from collections.abc import Iterator

#: a message: for each field number its values, in order: integers as they are, all else as bytes
Message = dict[int, list["int | bytes"]]

_HEADER = struct.Struct("<QI")
_CHECKSUM = 4
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Damaged(ValueError):
    """Bytes that are no record or no message."""


def records(content: bytes) -> Iterator[bytes]:
    """The records of a TFRecord file. Raises Damaged where one is cut off, after those before it."""
    at = 0
    while at < len(content):
        start = at + _HEADER.size
        if start > len(content):
            raise Damaged("cut off in a header")
        (length, _) = _HEADER.unpack_from(content, at)
        at = start + length + _CHECKSUM
        if at > len(content):
            raise Damaged("cut off in a record")
        yield content[start : start + length]


def message(content: bytes) -> Message:
    """The fields of a message. Raises Damaged."""
    found: Message = {}
    at, end = 0, len(content)
    try:
        while at < end:
            key, at = _varint(content, at)
            kind = key & 7
            value: int | bytes
            if kind == _VARINT:
                value, at = _varint(content, at)
            elif kind in (_BYTES, _FIXED64, _FIXED32):
                length = 8 if kind == _FIXED64 else 4
                if kind == _BYTES:
                    length, at = _varint(content, at)
                if at + length > end:
                    raise Damaged("cut off in a field")
                value = content[at : at + length]
                at += length
            else:
                raise Damaged(f"unknown wire type {kind}")
            found.setdefault(key >> 3, []).append(value)
    except IndexError:
        raise Damaged("cut off in a number") from None
    return found


def _varint(content: bytes, at: int) -> tuple[int, int]:
    byte = content[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = content[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7


def part(of: Message, field: int) -> Message:
    """A message within; empty if it is not there."""
    found = of.get(field)
    return message(found[-1]) if found and isinstance(found[-1], bytes) else {}


def text(of: Message, field: int) -> str:
    """A string; empty if it is not there."""
    found = of.get(field)
    return found[-1].decode("utf-8", "replace") if found and isinstance(found[-1], bytes) else ""


def texts(of: Message, field: int) -> list[str]:
    """A repeated string."""
    return [one.decode("utf-8", "replace") for one in of.get(field, ()) if isinstance(one, bytes)]


def integer(of: Message, field: int) -> int:
    """A number of 32 or 64 bits, signed; 0 if it is not there."""
    found = of.get(field)
    return _signed(found[-1]) if found and isinstance(found[-1], int) else 0


def integers(of: Message, field: int) -> list[int]:
    """A repeated number, packed or not."""
    found: list[int] = []
    for one in of.get(field, ()):
        if isinstance(one, int):
            found.append(_signed(one))
            continue
        at = 0
        while at < len(one):
            value, at = _varint(one, at)
            found.append(_signed(value))
    return found


def floats(of: Message, field: int, code: str) -> list[float]:
    """Repeated floating-point numbers, packed or not, in the format ``code`` of ``struct``; or raw bytes of them."""
    width = struct.calcsize(code)
    found: list[float] = []
    for one in of.get(field, ()):
        if isinstance(one, bytes):
            found += struct.unpack(f"<{len(one) // width}{code}", one[: len(one) // width * width])
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value
