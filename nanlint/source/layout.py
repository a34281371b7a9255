"""Code that has grown too long -> the same code over several lines, as Black breaks it, and the other way round.

What holds a comment or a string over several lines is left as it is.
"""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import replace
from itertools import pairwise

#: what Black indents by
INDENT = 4
#: brackets that a line of an argument, an entry or an element may stand in
BRACKETS = (("f(", ")"), ("{", "}"), ("[", "]"))
#: wider than any line
ONE_LINE = 1_000_000


def broken(statement: str, indent: int, width: int) -> str | None:
    """A simple statement over lines of at most ``width`` where they can be; None where it is to stay as it is.

    ``statement`` begins in column ``indent``, with which its further lines begin.
    """
    found = formatted(statement, width - indent) if plain(statement) else None
    if found is not None and "\n" in found:
        found = formatted(in_parentheses(statement), width - indent)
    return found.replace("\n", "\n" + " " * indent) if found is not None else None


def broken_element(line: str, indent: int, width: int) -> str | None:
    """A line inside of brackets, of an argument or an entry, over several; None where it is to stay as it is."""
    for opening, closing in BRACKETS:
        found = formatted(f"{opening}\n{line}\n{closing}", width - indent + INDENT) if plain(line) else None
        lines = found.split("\n") if found is not None else []
        if lines[:: len(lines) - 1 or 1] == [opening, closing]:
            return "\n".join(" " * indent + inner[INDENT:] for inner in lines[1:-1])[indent:]
    return None


def in_parentheses(statement: str) -> str:
    """A statement whose value is a tuple, in parentheses, as Ruff breaks it; Black breaks its last element."""
    value = getattr(ast.parse(statement).body[0], "value", None)
    if not isinstance(value, ast.Tuple) or not value.elts or value.lineno > 1:
        return statement
    if value.elts[0].col_offset > value.col_offset:
        return statement
    before = statement.encode()[: value.col_offset].decode()
    return f"{before}({statement.removeprefix(before)})"


def side_by_side(expression: str) -> str | None:
    """An expression on one line, without the commas that keep brackets broken; None where it is to stay as it is."""
    return formatted(expression, ONE_LINE, commas=False) if plain(expression) else None


def formatted(code: str, width: int, *, commas: bool = True) -> str | None:
    """What Black makes of code, without its last newline; None if that is not code.

    ``commas``: those at the end of a bracket keep it broken.
    """
    # what only shows findings does not need it
    import black
    from black.parsing import InvalidInput

    mode = replace(black.Mode(string_normalization=False, magic_trailing_comma=commas), line_length=max(width, 1))
    try:
        return black.format_str(code, mode=mode).removesuffix("\n")
    except InvalidInput:
        return None


def plain(text: str) -> bool:
    """Whether code has no comments, and no strings or backslashes that go on in the next line."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return False
    lines = text.split("\n")
    over_lines = any(t.start[0] != t.end[0] and t.string.strip() for t in tokens)
    continued = any(lines[a.end[0] - 1].rstrip().endswith("\\") for a, b in pairwise(tokens) if b.start[0] > a.end[0])
    return not over_lines and not continued and not any(t.type == tokenize.COMMENT for t in tokens)
