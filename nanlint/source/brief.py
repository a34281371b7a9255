"""An expression in a sentence: what is too long is shown with ``...`` for its inner parts, never cut in the middle."""

from __future__ import annotations

import ast
from typing import Any

LONGEST = 60  # characters of an expression in a sentence
_DEEPEST = 5


def brief(text: str, longest: int = LONGEST) -> str:
    """An expression on one line, its inner parts ``...`` if it is longer than ``longest``: ``F.softmax(...)``."""
    line = " ".join(text.split())
    for depth in range(_DEEPEST, -1, -1):
        if len(line) <= longest:
            break
        try:
            shown = ast.unparse(_Elided(depth).visit(ast.parse(text.strip(), mode="eval")))
        except SyntaxError:  # no expression: nothing can be left out
            break
        line = line if shown == "..." else shown
    return line


class _Elided(ast.NodeTransformer):
    """Replaces what lies deeper than ``depth`` in an expression by ``...``; names, numbers and what is called stay."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def visit(self, node: ast.AST) -> Any:
        return ast.Constant(...) if self.depth < 0 and isinstance(node, ast.expr) else super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        function = self.visit(node.func) if isinstance(node.func, ast.Attribute | ast.Call) else node.func
        self.depth -= 1
        shown = [self.visit(e) for e in (*node.args, *(keyword.value for keyword in node.keywords))]
        self.depth += 1
        if shown and all(map(_is_elided, shown)):
            return ast.Call(function, shown[:1], [])
        named = [ast.keyword(k.arg, v) for k, v in zip(node.keywords, shown[len(node.args) :], strict=True)]
        return ast.Call(function, shown[: len(node.args)], named)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        owner = self.visit(node.value)
        return ast.Attribute(ast.Name("(...)") if _is_elided(owner) else owner, node.attr)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ast.expr) or isinstance(node, ast.Name) or _is_number(node):
            return super().generic_visit(node)
        if self.depth <= 0:
            return ast.Constant(...)
        self.depth -= 1
        shown = super().generic_visit(node)
        self.depth += 1
        return shown


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes)


def _is_elided(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
