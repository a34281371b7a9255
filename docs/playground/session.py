"""What the worker of the playground asks of nanlint: text and options in, JSON out.

Offsets are in UTF-16 units, as JavaScript counts. What was found last is kept for the fix that is applied to it.
"""

from __future__ import annotations

import json
from typing import Any

import nanlint
from nanlint.config import ConfigError
from nanlint.diagnostic import Applicability, Diagnostic, Span
from nanlint.output.diff import render_diff
from nanlint.source import Source
from nanlint.source.edits import edited

PATH = "playground.py"

_last: tuple[Source, list[Diagnostic]] = (Source(PATH, ""), [])


def check(text: str, options: str) -> str:
    """The findings of a text, or ``error``: why the options are not understood."""
    global _last
    try:
        found = nanlint.check_source(text, PATH, **_config(options))
    except ConfigError as error:
        return json.dumps({"error": str(error)})
    source = Source(PATH, text)
    _last = source, found
    return json.dumps({"findings": [_finding(source, one) for one in found]})


def apply(index: int) -> str:
    """The text that was checked last, with one of its fixes."""
    source, found = _last
    fix = found[index].fix
    return edited(source, fix.edits).text if fix is not None else source.text


def fix(text: str, options: str) -> str:
    """A text with all of its safe fixes."""
    return nanlint.fix_source(text, PATH, **_config(options)).source.text


def _config(options: str) -> dict[str, Any]:
    """Keys of the configuration; a list that is empty is not given."""
    given = json.loads(options)
    lists = {key: [word for word in given[key].replace(",", " ").split() if word] for key in ("select", "ignore")}
    return {"confidence": given["confidence"], **{key: words for key, words in lists.items() if words}}


def _finding(source: Source, one: Diagnostic) -> dict[str, object]:
    causes = [{**_place(source, cause.span), "message": cause.message} for cause in one.causes_here]
    return {
        **_place(source, one.span),
        "code": one.code,
        "name": one.name,
        "message": one.message,
        "confidence": str(one.confidence),
        "effect": one.effect,
        "causes": causes,
        "witness": one.witness.text if one.witness is not None else None,
        "fix": _fix(source, one),
    }


def _fix(source: Source, one: Diagnostic) -> dict[str, object] | None:
    """A fix with its diff; one that nanlint does not make by itself has none."""
    if one.fix is None:
        return None
    made = bool(one.fix.edits) and one.fix.applicability is not Applicability.DISPLAY
    diff = render_diff(PATH, source.text, edited(source, one.fix.edits).text) if made else ""
    return {
        "applicability": str(one.fix.applicability),
        "message": one.fix.message,
        "diff": diff.split("\n", 2)[-1],
    }


def _place(source: Source, span: Span) -> dict[str, object]:
    start, end = source.offset(span.row, span.column), source.offset(span.end_row, span.end_column)
    return {"start": _units(source.text[:start]), "end": _units(source.text[:end]), "at": span.start}


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
