"""Expressions that fixes write: templates over neutral ops, in the spelling of a framework and a file.

A template is Python: ``where(x != 0, sqrt(x), 0.0)``. The functions in it are ops of the catalogue (or have their full
dotted names), the names are operands, which stand there as they are written in their file: in parentheses only where
the template would mean something else without.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from nanlint.ops.control import CONTROL
from nanlint.ops.op import OPS
from nanlint.ops.writing import METHODS, OPERATORS, function_for
from nanlint.source.roots import FRAMEWORKS

#: comparisons, and those that hold where they do not, but for NaN, of which none holds but `!=`
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.Gt: ast.LtE}


class NotSpelled(Exception):
    """The framework, or the file, has no function for an op."""


def written(template: str, operands: Mapping[str, str], spelling: Spelling | None = None) -> str:
    """The source of a template with its operands. What goes over several lines, does. Raises NotSpelled."""
    holes: list[str] = []
    tree = ast.parse(template, mode="eval")
    if spelling is not None:
        tree = _Spelled(spelling, operands).visit(tree)
    numbered = ast.unparse(_Numbered(operands, holes).visit(tree)).replace("{", "{{").replace("}", "}}")
    numbered = re.sub(r"\bhole_(\d+)\b", r"{\1}", numbered)
    filled = [f"({text})" for text in holes]
    meant = meaning(numbered.format(*filled))
    for number, text in enumerate(holes):
        bare = [*filled[:number], text, *filled[number + 1 :]]
        if meaning(numbered.format(*bare)) == meant:
            filled = bare
    return numbered.format(*filled)


def negated(text: str) -> str:
    """Minus an expression: without a second minus, and a difference turned round."""
    e = ast.parse(f"({text}\n)", mode="eval").body
    first = e
    while isinstance(first, ast.BinOp) and isinstance(first.op, (ast.Mult, ast.Div)):
        first = first.left
    if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.USub) and text.startswith("-"):
        return text[1:].lstrip()
    if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub) and "\n" not in text and "#" not in text:
        left, right = (ast.get_source_segment(f"({text}\n)", side) or "" for side in (e.left, e.right))
        return written("b - a", {"a": left, "b": right})
    return f"-{text}" if meaning(f"-{text}") == meaning(f"-({text})") else f"-({text})"


def meaning(text: str) -> str | None:
    """What tells an expression from others, however it is written; None where it is none."""
    try:
        return ast.dump(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def has_names(text: str) -> bool:
    """Whether an expression is made of more than literals."""
    return any(isinstance(part, ast.Name) for part in ast.walk(ast.parse(text)))


@dataclass(frozen=True)
class Spelling:
    """How ops are written at a place: in the functions of a framework, which ``spell`` names as the file does.

    It gives None where a function cannot be named. ``functions``: ops that the file calls as functions, where its
    framework's users mostly write methods.
    """

    framework: str
    spell: Callable[[str], str | None]
    functions: Collection[str] = ()

    def op(self, op: str) -> ast.expr:
        """The function that computes an op."""
        name = function_for(op, self.framework)
        if name is None:
            raise NotSpelled(op)
        return self.named(name)

    def named(self, name: str) -> ast.expr:
        """A function by its full name."""
        text = self.spell(name)
        if text is None:
            raise NotSpelled(name)
        return ast.parse(text, mode="eval").body


class _Spelled(ast.NodeTransformer):
    """Ops as a framework writes them."""

    def __init__(self, spelling: Spelling, operands: Collection[str]) -> None:
        self.spelling = spelling
        self.operands = operands

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        dotted = ast.unparse(node)
        if dotted.partition(".")[0] in (*FRAMEWORKS, "math"):
            return self.spelling.named(dotted)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        found = [n for n in ast.walk(ast.Tuple([*node.args[1:], *node.args[:1]])) if self._is_operand(n)]
        like = min(found, key=lambda n: n.id != "x", default=None)
        self.generic_visit(node)
        op = node.func.id if isinstance(node.func, ast.Name) else ""
        if op not in OPS and op not in CONTROL:
            return node
        if op == "clamp" and len(node.keywords) == 1 and self.spelling.framework != "torch":
            # only one has a clamp with a single bound
            op = {"min": "maximum", "max": "minimum"}[str(node.keywords[0].arg)]
            node.args, node.keywords = [*node.args, node.keywords[0].value], []
        if op == "where" and self.spelling.framework == "torch" and op not in self.spelling.functions:
            return filled(node) or ast.Call(self.spelling.op(op), node.args, [])
        if op == "where" and self.spelling.framework == "tensorflow":
            node.args = [node.args[0], *(self._like(arg, like) for arg in node.args[1:])]
        if op in METHODS.get(self.spelling.framework, ()) and op not in self.spelling.functions:
            node.func = ast.Attribute(node.args.pop(0), op, ast.Load())
        else:
            node.func = self.spelling.op(op)
        return node

    def _like(self, e: ast.expr, like: ast.expr | None) -> ast.expr:
        """A number of the shape and dtype of an operand, x if there is one: TensorFlow makes float32 of numbers."""
        if not isinstance(e, ast.Constant) or e.value not in (0, 1) or like is None:
            return e
        name = "tensorflow.ones_like" if e.value else "tensorflow.zeros_like"
        return ast.Call(self.spelling.named(name), [like], [])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return self._operator(node.ops[0], node, [node.left, *node.comparators])

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._operator(node.op, node, [node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._operator(node.op, node, [node.operand])

    def _operator(self, operator: ast.AST, node: ast.expr, operands: list[ast.expr]) -> ast.expr:
        """An operator, or the function that a framework has to have for it."""
        name = OPERATORS.get((self.spelling.framework, type(operator).__name__))
        return node if name is None else ast.Call(self.spelling.named(name), operands, [])

    def _is_operand(self, node: ast.AST) -> TypeGuard[ast.Name]:
        return isinstance(node, ast.Name) and node.id in self.operands


def filled(where: ast.Call) -> ast.Call | None:
    """A selection of a literal as PyTorch's users write it; where something is not compared as it was, NaN is kept."""
    cond, a, b = where.args
    if isinstance(b, ast.Constant) and isinstance(cond, ast.Compare) and type(cond.ops[0]) in _OPPOSITE:
        cond = ast.Compare(cond.left, [_OPPOSITE[type(cond.ops[0])]()], cond.comparators)
        a, b = b, a
    if not isinstance(a, ast.Constant):
        return None
    return ast.Call(ast.Attribute(b, "masked_fill", ast.Load()), [cond, a], [])


class _Numbered(ast.NodeTransformer):
    """Operands as holes, by number; what each holds is noted."""

    def __init__(self, operands: Mapping[str, str], holes: list[str]) -> None:
        self.operands = operands
        self.holes = holes

    def _hole(self, text: str) -> ast.Name:
        self.holes.append(text)
        return ast.Name(f"hole_{len(self.holes) - 1}", ast.Load())

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = node.operand
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.Name) and operand.id in self.operands:
            return self._hole(negated(self.operands[operand.id]))
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._hole(self.operands[node.id]) if node.id in self.operands else node
