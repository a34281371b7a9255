"""Wrong fixes, made of right ones: by a factor, of the other sign, without a term, along another axis, of another base.

None of them is made for a codemod: what a fix puts in the place of an expression is changed by its syntax.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from nanlint.diagnostic import Edit, Fix
from nanlint.source import Source
from nanlint.source.edits import edited
from nanlint.source.pairing import Pairing, Unpaired
from nanlint.source.text import Located

Wrong = Callable[[str], "str | None"]


class _Changed(ast.NodeTransformer):
    """Changes the first piece of syntax that fits."""

    def __init__(self, change: Callable[[ast.AST], ast.AST | None]) -> None:
        self.change = change
        self.done = False

    def visit(self, node: ast.AST) -> ast.AST:
        changed = None if self.done else self.change(node)
        if changed is not None:
            self.done = True
            return changed
        return self.generic_visit(node)


def by_syntax(change: Callable[[ast.AST], ast.AST | None]) -> Wrong:
    """An expression with the first part that fits changed; None where nothing does."""

    def wrong(text: str) -> str | None:
        visitor = _Changed(change)
        tree = visitor.visit(ast.parse(text, mode="eval"))
        return f"({ast.unparse(ast.fix_missing_locations(tree))})" if visitor.done else None

    return wrong


def without_term(node: ast.AST) -> ast.AST | None:
    return node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else None


def other_axis(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.keyword) or node.arg not in ("axis", "dim"):
        return None
    axis = ast.literal_eval(node.value) if isinstance(node.value, ast.Constant | ast.UnaryOp) else None
    return ast.keyword(node.arg, ast.Constant(1 if axis == 0 else 0)) if isinstance(axis, int) else None


def other_base(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Attribute) and node.attr == "log" and ast.unparse(node.value) != "math":
        return ast.Attribute(node.value, "log2", ast.Load())
    return None


WRONG: Mapping[str, Wrong] = {
    "factor": lambda text: f"(0.5 * ({text}))",
    "sign": lambda text: f"(-({text}))",
    "term": by_syntax(without_term),
    "axis": by_syntax(other_axis),
    "base": by_syntax(other_base),
}


def planted(source: Source, fix: Fix, wrong: Wrong) -> Iterator[Fix]:
    """Fixes that are wrong in one of the expressions that a fix replaces."""
    mended = edited(source, fix.edits)
    try:
        pairing = Pairing(source, mended, fix.edits)
    except Unpaired:
        return
    for old, new in pairing.exchanged:
        # which number a bound is, is a choice; what has a name is computed where it gets it
        if (
            not isinstance(old, ast.expr)
            or not isinstance(new, ast.expr)
            or is_number(new)
            or isinstance(new, ast.Name)
        ):
            continue
        span = source.span(cast(Located, old))
        text = wrong(mended.segment(mended.span(cast(Located, new))))
        others = tuple(
            edit
            for edit in fix.edits
            if not (span.row, span.column) <= (edit.span.row, edit.span.column) < (span.end_row, span.end_column)
        )
        if text is None:
            continue
        edits = tuple(sorted((*others, Edit(span, text)), key=lambda edit: edit.span))
        try:
            ast.parse(edited(source, edits).text)
        except SyntaxError:
            # the parts of an expression that edits put around it
            continue
        yield replace(fix, edits=edits)


def is_number(e: ast.expr) -> bool:
    """Whether an expression is a literal number."""
    return isinstance(e.operand if isinstance(e, ast.UnaryOp) else e, ast.Constant)
