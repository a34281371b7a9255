"""Bytes -> text: the encoding cookie of PEP 263, byte order marks, and what to say when neither helps."""

from __future__ import annotations

import codecs
import tokenize

from nanlint.refused import Refused

_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)

# A cookie stands on one of the first two lines; a file with no such word this far in has none worth a look.
_COOKIE_REACH = 4096


class SourceError(Refused):
    """A file that cannot be read as Python text. The message names the file and says what to do."""


def reject_binary(content: bytes, path: str) -> None:
    """Raise SourceError for bytes that no Python interpreter accepts: UTF-16, UTF-32, NUL."""
    for bom, name in _BOMS:
        if content.startswith(bom):
            raise SourceError(f"{path}: is encoded in {name}, which Python does not support; save it as UTF-8")
    if b"\0" in content:
        row = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise SourceError(
            f"{path}: contains a NUL byte in line {row}, so it is not Python source; remove or exclude it"
        )


def decode(content: bytes, path: str) -> tuple[str, str, bytes]:
    """Return (text, encoding, byte order mark); the mark is not part of the text, newlines are kept as they are.

    Raises SourceError.
    """
    reject_binary(content, path)
    bom = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    body = content[len(bom) :]
    encoding = _cookie(content, path) if b"coding" in content[:_COOKIE_REACH] else "utf-8"
    if encoding.replace("_", "-").lower().startswith(("utf-16", "utf-32")):
        raise SourceError(f"{path}: declares {encoding}, which Python does not support; save it as UTF-8")
    try:
        return body.decode(encoding), encoding, bom
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{path}: byte 0x{body[error.start]:02x} in line {row} is not valid {encoding}; "
            "save the file as UTF-8 or declare its encoding in its first line (# -*- coding: latin-1 -*-)"
        ) from None
    except (LookupError, UnicodeError, ValueError):
        raise SourceError(f"{path}: declares the encoding {encoding!r}, which is not a text encoding") from None


def _cookie(content: bytes, path: str) -> str:
    # bytes.splitlines knows \r too, which a readline of BytesIO does not.
    lines = iter(content.splitlines(keepends=True)[:2])
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except SyntaxError as error:
        reason = str(error.msg).removeprefix("unknown encoding: ")
        if "utf-8" in reason or "missing encoding" in reason:
            return "utf-8"  # decoding will fail at the very byte, with a better message
        raise SourceError(
            f"{path}: declares the unknown encoding {reason!r}; declare one that Python knows, or save it as UTF-8"
        ) from None
    return "utf-8" if encoding == "utf-8-sig" else encoding
