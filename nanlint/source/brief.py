"""An expression in a sentence: what is too long is shown with ``...`` for its inner parts, never cut in the middle."""

from __future__ import annotations

import ast
import re

LONGEST = 60  # characters of an expression in a sentence
_DOTS = "..."
_SEVERAL = re.compile(r"(?:\w+=)?\.\.\.(?:, (?:\w+=)?\.\.\.)+")
#: what is written in brackets before a dot
_BRACKETED = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)


def brief(text: str, longest: int = LONGEST) -> str:
    """An expression on one line, parts of it ``...`` if it is longer than ``longest``: ``F.softmax(..., dim=1)``."""
    line = " ".join(text.split())
    while len(line) > longest and (parts := _parts(line)):
        enough = [(end - start, start) for start, end in parts if len(line) - (end - start) + len(_DOTS) <= longest]
        length, start = min(enough) if enough else max((end - start, start) for start, end in parts)
        line = _SEVERAL.sub(_DOTS, line[:start] + _DOTS + line[start + length :])
    return line


def _parts(line: str) -> list[tuple[int, int]]:
    """What may be left out of an expression: operands and elements, not what is called or stands before a dot."""
    try:
        root = ast.parse(line, mode="eval").body
    except SyntaxError:
        return []
    if not line.isascii():  # places are counted in bytes
        return []
    kept = {root}
    for node in ast.walk(root):
        if isinstance(node, ast.Call):
            kept.add(node.func)
        elif isinstance(node, ast.Attribute) and not isinstance(node.value, _BRACKETED):
            kept.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            kept.update(one for one in ast.walk(node) if isinstance(one, ast.expr) and one is not node)
    inner = (node for node in ast.walk(root) if isinstance(node, ast.expr) and node not in kept)
    places = ((node.col_offset, node.end_col_offset or 0) for node in inner)
    return [(start, end) for start, end in places if end - start > len(_DOTS)]
