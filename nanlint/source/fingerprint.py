"""Findings -> what tells them apart after the lines above have moved, files were formatted, or others were mended."""

from __future__ import annotations

import hashlib
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from nanlint.diagnostic import Diagnostic
from nanlint.source.syntax import Unparsable, definitions
from nanlint.source.text import Source

_LENGTH = 32  # hexadecimal digits: 128 bits


def fingerprinted(source: Source, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """``findings`` of ``source``, in their order, each with a fingerprint that no other one of the file has.

    It is made of the rule, the function around the expression and the expression without its white space, and of a
    number where these are the same: the first, the second … such place in the file.
    """
    if not findings:
        return []
    functions = list(_functions(source))
    places = {
        index: (
            finding.code,
            _around(functions, finding.span.row, finding.span.end_row),
            _normal(source.segment(finding.span)),
        )
        for index, finding in sorted(enumerate(findings), key=lambda one: one[1].span)
    }
    met = Counter[tuple[str, str, str]]()
    prints: dict[int, str] = {}
    for index, place in places.items():
        met[place] += 1
        text = "\0".join((*place, str(met[place])))
        prints[index] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
    return [replace(finding, fingerprint=prints[index]) for index, finding in enumerate(findings)]


def _normal(text: str) -> str:
    """An expression without white space and comments."""
    if "#" in text:
        tokens = tokenize.generate_tokens(io.StringIO(f"({text})").readline)
        with suppress(tokenize.TokenError, SyntaxError):  # no expression: a comment, a part of a statement
            text = "".join(token.string for token in tokens if token.type != tokenize.COMMENT)[1:-1]
    return "".join(text.split())


def _functions(source: Source) -> Iterator[tuple[int, int, str]]:
    """First row, last row and qualified name of each function and class, outer ones before those inside."""
    with suppress(Unparsable):
        for name, definition in definitions(source.tree):
            yield definition.lineno, definition.end_lineno or definition.lineno, name


def _around(functions: Sequence[tuple[int, int, str]], first: int, last: int) -> str:
    """The innermost of ``functions`` that holds the rows."""
    return max((name for start, end, name in functions if start <= first and last <= end), key=len, default="")
