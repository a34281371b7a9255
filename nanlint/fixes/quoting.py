"""The source of a finding's expressions as it is written, in the parentheses that a new place for it wants."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, cast

from nanlint.analysis.facts import Facts
from nanlint.diagnostic import Edit, Span
from nanlint.fixes.file import File
from nanlint.graph.node import Node
from nanlint.source.text import Located

if TYPE_CHECKING:
    import libcst as cst

Same = TypeVar("Same", bound="Quoting")

#: expressions that a method can be called on as they are, beside those that ``_is_primary`` adds
_PRIMARY = (
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.Subscript,
    ast.List,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
#: expressions that are to be in parentheses as an argument of a call
_BARE = (ast.Tuple, ast.GeneratorExp, ast.NamedExpr, ast.Yield, ast.YieldFrom)
#: expressions that bind less tightly than a comparison, or as tightly
_LOOSER_THAN_COMPARISON = (*_BARE, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.Await)


@dataclass(frozen=True)
class Quoting:
    """One finding in its file, and what stands there: expressions as arguments, factors, sides of a comparison."""

    file: File
    node: Node

    @property
    def facts(self) -> Facts:
        return self.file.facts

    @property
    def site(self) -> ast.AST:
        """The expression (or augmented assignment) of the finding."""
        return cast(ast.AST, self.node.site)

    def at(self: Same, node: Node) -> Same:
        """The place of another op of the same file."""
        return self if node is self.node else replace(self, node=node)

    def span(self, node: ast.AST) -> Span:
        """Where an expression stands, without parentheses around it."""
        return self.file.source.span(cast(Located, node))

    def text(self, node: ast.AST) -> str:
        """The source of an expression as it is written, without parentheses around it."""
        return self.file.source.segment(self.span(node))

    def lossless(self, node: ast.AST) -> cst.CSTNode | None:
        """The lossless node of an expression; None where there is none, as without libcst."""
        return self.file.lossless.find(node)

    def argument(self, e: ast.expr) -> str:
        """An expression as an argument of a call."""
        return f"({self.text(e)})" if isinstance(e, _BARE) else self.text(e)

    def primary(self, e: ast.expr) -> str:
        """An expression that a method can be called on."""
        return self.text(e) if _is_primary(e) else f"({self.text(e)})"

    def compared(self, e: ast.expr) -> str:
        """An expression on a side of a comparison."""
        loose = isinstance(e, _LOOSER_THAN_COMPARISON) or (isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not))
        return f"({self.text(e)})" if loose or "\n" in self.text(e) else self.text(e)

    def multiplicand(self, e: ast.expr) -> str:
        """An expression as a factor of a product, which is worked out first."""
        return self.text(e) if _is_tight(e) and "\n" not in self.text(e) else f"({self.text(e)})"

    def negated(self, e: ast.expr) -> str:
        """Minus an expression, for an argument."""
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            return self.argument(e.operand)
        text = self.text(e)
        if _leads_with_minus(e) and text.startswith("-"):
            return text[1:].lstrip()
        if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub) and "\n" not in text and not comments(text):
            return f"{self.factor(e.right)} - {self.factor(e.left)}"
        return f"-{text}" if _is_tight(e) else f"-({text})"

    def factor(self, e: ast.expr) -> str:
        """An expression in front of an operator that binds as tightly as a multiplication, or looser."""
        tight = isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Mult, ast.Div, ast.Pow, ast.MatMult))
        whole = tight or isinstance(e, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant))
        return self.text(e) if whole and "\n" not in self.text(e) else f"({self.text(e)})"

    def arguments(self, call: ast.Call, replacing: Mapping[int, str] = MappingProxyType({}), without: str = "") -> str:
        """The arguments of a call as they are written, those in ``replacing`` (by identity) rewritten, one left out."""
        parts = [replacing.get(id(a)) or self.argument(a) for a in call.args]
        named = [k for k in call.keywords if k.arg != without]
        return ", ".join(parts + [f"{k.arg}={replacing.get(id(k.value)) or self.argument(k.value)}" for k in named])

    def put(self, node: ast.AST, text: str) -> Edit:
        """``text`` in the place of an expression, without parentheses around it that a call no longer needs."""
        span = self.span(node)
        #: parentheses around it; an augmented assignment has none
        around = getattr(self.lossless(node), "lpar", ())
        if self._loosens(node, text) and not around:
            return Edit(span, f"({text})")
        alone = len(around) == 1 and not _is_primary(node)
        line = self.file.source.lines[span.row - 1]
        before, after = line[: span.column - 1], line[span.end_column - 1 :]
        if not alone or span.row != span.end_row or not _is_call(text) or not before.endswith("(") or after[:1] != ")":
            return Edit(span, text)
        if before[-2:-1].isidentifier() or after[1:2].isidentifier() or before[-2:-1] in (")", "]", "'", '"'):
            return Edit(span, text)
        return Edit(Span(span.row, span.column - 1, span.end_row, span.end_column + 1), text)

    def _loosens(self, node: ast.AST, text: str) -> bool:
        """Whether text binds less tightly than the expression in whose place it comes, and that is an operand there."""
        parent = self.file.outline.parents.get(node)
        operand = isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Await, ast.Compare))
        operand = operand or (isinstance(parent, ast.Call) and parent.func is node)
        return operand and isinstance(node, ast.expr) and _binding(_parsed(text)) < _binding(node)


def _is_primary(e: ast.AST) -> bool:
    """Whether a method can be called on an expression as it is written: not on a whole number, whose point it takes."""
    return isinstance(e, _PRIMARY) or (isinstance(e, ast.Constant) and isinstance(e.value, bool | float | None))


def _is_tight(e: ast.expr) -> bool:
    """Whether an expression binds more tightly than a minus sign or a product."""
    power = isinstance(e, ast.BinOp) and isinstance(e.op, ast.Pow)
    return power or _is_primary(e) or (isinstance(e, ast.Constant) and isinstance(e.value, int))


def _leads_with_minus(e: ast.expr) -> bool:
    """Whether an expression is a product that begins with a minus sign: the minus of all of it."""
    while isinstance(e, ast.BinOp) and isinstance(e.op, (ast.Mult, ast.Div)):
        e = e.left
    return isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub)


def _parsed(text: str) -> ast.expr | None:
    """Text as an expression; None for one in parentheses, or over several lines without."""
    try:
        parsed = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return None if text.startswith("(") and parsed.col_offset else parsed


def _binding(e: ast.expr | None) -> int:
    """How tightly an expression binds: 0 for a sum, the most for what needs no parentheses anywhere."""
    if isinstance(e, ast.BinOp):
        return 0 if isinstance(e.op, (ast.Add, ast.Sub)) else 3 if isinstance(e.op, ast.Pow) else 1
    return 2 if isinstance(e, ast.UnaryOp) else 4


def _is_call(text: str) -> bool:
    """Whether text on one line binds as tightly as a call."""
    try:
        return "\n" not in text and isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except SyntaxError:
        return False


def one_line(text: str) -> str:
    """Text over several lines on one, without its comments."""
    if "\n" not in text and "\r" not in text:
        return text
    for comment in comments(text):
        text = text.replace(comment, "")
    text = " ".join(text.split())
    return re.sub(r",? (?=[)\]}])", "", re.sub(r"(?<=[(\[{]) ", "", text))


def comments(text: str) -> list[str]:
    """The comments in a piece of source."""
    if "#" not in text:
        return []
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        # A piece may end inside brackets: what was read until then counts.
        pass
    return found
