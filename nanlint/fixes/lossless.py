"""Lossless nodes of the parts of a file that fixes look at: a statement is parsed by libcst when first asked for, once.

The whole file is never parsed: finding the positions of all its nodes costs more than the rest of the check.
Without libcst there are none, and a fix leaves the parentheses that it finds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from nanlint.diagnostic import Span
from nanlint.fixes.outline import Outline
from nanlint.source import Source
from nanlint.source.text import Located

if TYPE_CHECKING:
    import libcst as cst


class Lossless:
    """The lossless nodes of one file, by span."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self.source = source
        self.outline = outline
        self._pieces: dict[tuple[int, int], Mapping[Span, cst.CSTNode]] = {}

    def _piece(self, node: ast.AST) -> tuple[int, int] | None:
        """Rows of the smallest part of the file around a node that parses by itself: lines of whole statements."""
        statement = self.outline.statement(node)
        while statement is not None:
            rows = self._rows(statement)
            if rows is not None:
                return rows
            parent = self.outline.parents.get(statement)
            statement = (
                self.outline.statement(parent) if parent is not None and not isinstance(parent, ast.Module) else None
            )
        return None

    def _rows(self, statement: ast.stmt) -> tuple[int, int] | None:
        block = cast(Sequence[ast.stmt], self.outline.block(statement))
        if not block:
            return None
        at = self.outline.place_in_block(statement)
        first, last = _first_row(block[at]), _last_row(block[at])
        before, after = at, at
        while before > 0 and _last_row(block[before - 1]) >= first:
            before -= 1
            first = _first_row(block[before])
        while after + 1 < len(block) and _first_row(block[after + 1]) <= last:
            after += 1
            last = _last_row(block[after])
        lines = self.source.lines
        opening = block[before]
        column = opening.col_offset if _first_row(opening) == opening.lineno else 0
        indent = lines[first - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")
        continued = first > 1 and lines[first - 2].rstrip("\r\n").endswith("\\")
        elif_ = isinstance(opening, ast.If) and lines[first - 1][len(indent) :].startswith("elif")
        return None if indent.strip() or continued or elif_ else (first, last)

    def find(self, node: ast.AST) -> cst.CSTNode | None:
        """The lossless node of an expression; None where libcst cannot read what is around it, or is not installed."""
        rows, read = self._piece(node), reader()
        if rows is None or read is None or not hasattr(node, "lineno"):
            return None
        if rows not in self._pieces:
            self._pieces[rows] = read(self.source.lines, *rows)
        return self._pieces[rows].get(self.source.span(cast(Located, node)))

    def reads(self, node: ast.AST) -> bool:
        """Whether what is around an expression can be read, by libcst too where it is installed."""
        return self.find(node) is not None or (reader() is None and self._piece(node) is not None)


def reader() -> Callable[[Sequence[str], int, int], Mapping[Span, cst.CSTNode]] | None:
    """Reads rows of a file with libcst, which is imported by the first fix; None where it is not installed."""
    try:
        from nanlint.fixes.concrete import expressions
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "libcst":
            raise
        return None
    return expressions


def _first_row(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _last_row(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno
