"""Findings -> fingerprints: they recognise a finding after lines moved, formatting, or fixes of other findings."""

from __future__ import annotations

import ast
import hashlib
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from nanlint.diagnostic import Diagnostic, Span
from nanlint.source.syntax import Unparsable, definitions, parse
from nanlint.source.text import Source

_LENGTH = 32  # hexadecimal digits: 128 bits
#: attributes of syntax nodes that say nothing about the program, or only how it is spelled
_SPELLING = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


def fingerprinted(source: Source, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """``findings`` of ``source``, in their order, each with a fingerprint that no other one of the file has.

    It is the digest of: the hazard (the neutral name of the op that fails, which several rules may report; for findings
    that have none, the code of the rule), the qualified name of the function or class around the expression, the
    structure of the expression, and two ordinals: of the place among equal ones in that function, and of the finding
    among equal ones at that place. Neither the path nor a line is part of it, nor is formatting: spaces, comments,
    quotes, trailing commas, parentheses that change nothing.
    """
    if not findings:
        return []
    functions = list(_functions(source))
    structures: dict[Span, str] = {}
    places: dict[tuple[str, str, str], list[Span]] = {}
    met = Counter[tuple[tuple[str, str, str], Span]]()
    prints: dict[int, str] = {}
    for index, finding in sorted(enumerate(findings), key=lambda one: (one[1].span, one[1].code)):
        span = finding.span
        if span not in structures:
            structures[span] = _structure(source.segment(span))
        kind = (finding.hazard or finding.code, _around(functions, span.row, span.end_row), structures[span])
        equal = places.setdefault(kind, [])
        if equal[-1:] != [span]:  # they are in order
            equal.append(span)
        met[kind, span] += 1
        text = "\0".join((*kind, str(len(equal)), str(met[kind, span])))
        prints[index] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
    return [replace(finding, fingerprint=prints[index]) for index, finding in enumerate(findings)]


def _structure(text: str) -> str:
    """An expression or a statement as its syntax tree; text that is neither (a comment) without its white space."""
    for candidate in (f"({text}\n)", textwrap.dedent(text)):
        with suppress(Unparsable, RecursionError, ValueError):  # a number that has too many digits to be written
            return "".join(_written(parse(candidate, "<finding>").body))
    return "".join(text.split())


def _written(value: object) -> Iterator[str]:
    """A syntax tree as text that is the same in all versions of Python: attributes that are empty are left out."""
    if isinstance(value, ast.AST):
        yield type(value).__name__ + "("
        for name, part in ast.iter_fields(value):
            if name not in _SPELLING and part is not None and part != []:
                yield name + "="
                yield from _written(part)
                yield ","
        yield ")"
    elif isinstance(value, list):
        yield "["
        for part in value:
            yield from _written(part)
            yield ","
        yield "]"
    else:
        yield repr(value)


def _functions(source: Source) -> Iterator[tuple[int, int, str]]:
    """First row, last row and qualified name of each function and class, outer ones before those inside."""
    with suppress(Unparsable):
        for name, definition in definitions(source.tree):
            yield definition.lineno, definition.end_lineno or definition.lineno, name


def _around(functions: Sequence[tuple[int, int, str]], first: int, last: int) -> str:
    """The innermost of ``functions`` that holds the rows."""
    return max((name for start, end, name in functions if start <= first and last <= end), key=len, default="")
