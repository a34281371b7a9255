"""What ``nanlint explain`` prints: the record of an expression in a dozen lines, as in editors; and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence

from nanlint.diagnostic import Span
from nanlint.explaining import Explanation, Verdict
from nanlint.hazards.expressions import SOURCES
from nanlint.ops.value import Kind
from nanlint.output.paint import Paint, plain

#: of the JSON; raised when a key changes its meaning or goes
VERSION = 2
#: lines that are printed of one expression, and of one part of its record
MOST = 12
MOST_OF = {"reported": 2, "breaks": 2, "made by": 2, "guard": 2, "against": 2, "for": 2, "not reported": 2}
#: how the classes of numbers are written
SIGNS = {"ninf": "-inf", "neg": "<0", "zero": "0", "pos": ">0", "pinf": "+inf", "nan": "nan"}


def render_explanations(explanations: Sequence[Explanation], path: str, *, paint: Paint = plain) -> str:
    """The expressions of one place, one after the other, in at most ``MOST`` lines each."""
    return "\n".join(
        f"{paint(f'{path}:{one.span.start}', 'path')} {one.text}\n" + "".join(f"  {line}\n" for line in sentences(one))
        for one in explanations
    )


def sentences(explanation: Explanation) -> list[str]:
    """The record, its most telling lines: fewer than ``MOST``."""
    return list(_sentences(explanation))[: MOST - 1]


def _sentences(explanation: Explanation) -> Iterator[str]:
    left = dict(MOST_OF)
    for line in explanation.lines:
        left[line.part] = left.get(line.part, 1) - 1
        if left[line.part] >= 0:
            yield f"{line.part.capitalize()}: {line.text}."


def render_explanations_json(explanations: Iterable[Explanation], path: str) -> str:
    """One object: ``version``, ``filename`` and a list of ``expressions``. Places are 1-based, ends exclusive."""
    shown = {"version": VERSION, "filename": path, "expressions": [_as_object(one) for one in explanations]}
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def _as_object(one: Explanation) -> dict[str, object]:
    node, v = one.node, one.value
    return {
        "text": one.text,
        **_range(one.span),
        "op": SOURCES.get(node.op, node.op),
        "spelling": node.spelling.name if node.spelling is not None else None,
        "framework": one.framework or None,
        "range": [end if math.isfinite(end) else str(end) for end in (v.lo, v.hi)],
        "health": {sign: v.reach(cls).name.lower() for cls, sign in SIGNS.items()},
        "dtype": None if v.kind is Kind.SCALAR else v.format.name,
        "record": [
            {"part": line.part, "text": line.text, **(_range(line.span) if line.span is not None else {})}
            for line in one.lines
        ],
        "rules": [_verdict(verdict) for verdict in one.verdicts],
    }


def _verdict(one: Verdict) -> dict[str, object]:
    return {
        "code": one.code,
        "name": one.name,
        "outcome": one.outcome,
        "confidence": None if one.confidence is None else str(one.confidence),
        "level_row": one.row or None,
        "message": one.message or None,
        "why": one.why or None,
        "fix_refused": one.refused or None,
    }


def _range(span: Span) -> dict[str, object]:
    return {
        "cell": span.cell,
        "location": {"row": span.row, "column": span.column},
        "end_location": {"row": span.end_row, "column": span.end_column},
    }
