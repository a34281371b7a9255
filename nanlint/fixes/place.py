"""Place: what a codemod may ask of the source around its finding. What to write is its own business."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import cast

from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.imports import Spelled, same
from nanlint.fixes.outline import COMPREHENSIONS
from nanlint.fixes.reading import Reading
from nanlint.fixes.template import NotSpelled, Spelling, meaning, written
from nanlint.fixes.text import comments, flat, one_line
from nanlint.ops.spelling import BUILT_ON
from nanlint.ops.writing import METHODS, function_for, since
from nanlint.source import pins
from nanlint.source.roots import FRAMEWORKS

#: how long a line may be that can be read at a glance
GLANCE = 100
#: what the arrays of a framework are called
ARRAYS = {"torch": "torch.Tensor", "tensorflow": "tensorflow.Tensor", "jax": "jax.Array", "numpy": "numpy.ndarray"}
#: expressions in which it matters how tightly an operand binds
OPERATORS = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Attribute, ast.Subscript, ast.Call, ast.Await),
    *(ast.Starred, ast.NamedExpr, ast.Lambda),
)


@dataclass(frozen=True)
class Place(Reading):
    """One finding in its file, and what may be written there; notes the imports that this asks for (``added``)."""

    added: list[Edit] = field(default_factory=list)

    @cached_property
    def framework(self) -> str:
        """The framework whose functions belong here: that of the value, by all callers that are seen; "" where it is
        unknown, or one of several.

        ``keras.backend`` has few functions, and they belong to Keras 2: with TensorFlow in the file, TensorFlow's do;
        without, there are none ("").
        """
        spelling = self.node.spelling
        found = self.facts.framework(self.node) if spelling is not None and not spelling.is_method else self.maker
        found = BUILT_ON.get(found, found)
        if self.is_autograd:
            return "numpy"
        if found == "keras" and not any(i.target in ("keras", "keras.ops") for i in self.file.imports.all):
            return "tensorflow" if self.imports("tensorflow") else ""
        return found

    @cached_property
    def maker(self) -> str:
        """The framework that makes the value, as the function is called; by itself where no call of it is seen."""
        alike = [n for n in self.file.nodes_at.get(id(self.site), ()) if n.op == self.node.op] or [self.node]
        called = [n for n in alike if n.calls] or alike
        makers = {self.file.makers.maker(n) or self.file.makers.alone or "" for n in called}
        return makers.pop() if len(makers) == 1 else ""

    @cached_property
    def is_autograd(self) -> bool:
        """Whether arrays are Autograd's, which has NumPy's functions, and none of JAX."""
        return self.facts.framework(self.node) == "jax" and self.imports("autograd") and not self.imports("jax")

    # Spelling

    def spell(self, function: str, *, from_module: str | None = None) -> str | None:
        """How the file writes a function (by dotted name) here; notes the import that has to be added for it.

        None where some version does not have it that the project is made for.
        """
        if not self.has(function):
            return None
        own = self.is_autograd and function.partition(".")[0] in ("numpy", "scipy")
        found: Spelled | None = self.file.imports.spell(
            f"jax.{function}" if own else function, self.site, compat=self.compat, from_module=from_module
        )
        if found is None or (own and found.edits):
            return None
        self.added.extend(found.edits)
        return found.text

    def has(self, function: str) -> bool:
        """Whether every version of its package has a function that the project is made for."""
        first = since(function)
        return not first or pins.has(self.file.source, function.partition(".")[0], first)

    def function(self, op: str) -> str | None:
        """How the file writes the function of its framework that computes an op; None if there is no such function."""
        name = function_for(op, self.framework)
        return self.spell(name) if name is not None else None

    def imports(self, package: str) -> bool:
        """Whether the file imports anything of a package."""
        return package in self.file.imports.roots

    @property
    def is_foreign(self) -> bool:
        """Whether the file has nothing of the framework: then only names of methods say that its arrays come here."""
        imports = self.file.imports
        if self.framework not in FRAMEWORKS or imports.takes_everything or self.is_autograd:
            return False
        roots = {same(i.target).partition(".")[0] for i in imports.all}
        alike = {"scipy": {"scipy", "numpy"}, "numpy": {"scipy", "numpy"}, "keras": {"keras", "tensorflow"}}
        return bool(roots) and {BUILT_ON.get(r, r) for r in roots}.isdisjoint(
            alike.get(self.framework, {self.framework})
        )

    def write(self, template: str, framework: str | None = None, /, **operands: ast.expr | str) -> str | None:
        """A template over ops in the spelling of the file; None where the framework, or the file, has none for one.

        ``framework``: the one that is meant, where it is not that of the place. An operand is an expression of the
        file, or source. The imports that this takes are noted.
        """
        texts = {name: e if isinstance(e, str) else self.text(e) for name, e in operands.items()}
        before = len(self.added)
        try:
            return written(template, texts, self.spelling(framework))
        except NotSpelled:
            del self.added[before:]
            return None

    def spelling(self, framework: str | None = None) -> Spelling:
        """How ops are written here, in a framework or that of the place."""
        text = self.file.source.text
        methods = (*METHODS.get(self.framework, ()), "where")
        functions = {op for op in methods if re.search(rf"{self.framework}\.{op}\(", text)}
        return Spelling(self.framework if framework is None else framework, self.spell, functions)

    def shown(self, template: str, **operands: ast.expr | str) -> Fix | None:
        """A fix for reading only: what the file cannot name has its full name."""
        texts = {name: e if isinstance(e, str) else self.text(e) for name, e in operands.items()}
        try:
            return display(
                written(
                    template,
                    texts,
                    replace(self.spelling(), spell=lambda name: self.spell(name) or (name if self.has(name) else None)),
                )
            )
        except NotSpelled:
            return None

    def without_scipy(self, applicability: Applicability) -> Applicability:
        """Unsafe if what was written makes the file depend on SciPy."""
        new = any("scipy" in edit.content for edit in self.added) and not self.imports("scipy")
        return Applicability.UNSAFE if new and applicability is Applicability.SAFE else applicability

    # Writing

    def hoisted(self, e: ast.expr, *names: str, value: str = "") -> tuple[str, Edit] | None:
        """A new variable that holds an expression, assigned just before the statement it is in; the first free name.

        Only where that evaluates the expression once, as before, and not after anything it might have to come before.
        ``value``: what it holds is this, made of the expression.
        """
        outline = self.file.outline
        statement = outline.statement(e)
        if not isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
        ) or not self._leads(statement):
            return None
        path = [e, *(parent for parent, _ in outline.above(e))]
        # what is evaluated only sometimes, or again and again
        guarded = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, *COMPREHENSIONS)
        if not all(isinstance(part, ast.expr | ast.keyword) for part in path[: path.index(statement)]):
            return None
        if any(isinstance(part, guarded) for part in path[: path.index(statement)]):
            return None
        inside = {id(n) for n in ast.walk(e)}
        others = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and id(n) not in inside and n not in path]
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(statement)):
            return None
        if not self.pure(e) and not all(self.file.is_pure(n) for n in others):
            return None
        name = next((n for n in names if not outline.mentions(n, outline.function(e))), None)
        if name is None:
            return None
        span, text = self.span(statement), value or self.text(e)
        text = flat(text)
        if meaning(text) is None or text.startswith(("*", "yield")):
            text = f"({text})"
        indent = self.file.source.lines[span.row - 1][: span.column - 1]
        return name, Edit(Span(span.row, span.column, span.row, span.column), f"{name} = {text}\n{indent}")

    def named(self, e: ast.expr, *names: str) -> tuple[str, list[Edit]] | None:
        """An expression as a name to repeat, with the assignment that makes it one where it is not short."""
        if self.repeatable(e):
            return self.text(e), []
        found = self.hoisted(e, *names)
        if found is not None:
            return found[0], [found[1]]
        return (self.text(e), []) if self.pure(e) and self.cheap(e) else None

    def _leads(self, statement: ast.stmt) -> bool:
        """Whether a statement begins its line."""
        span = self.span(statement)
        line = self.file.source.lines[span.row - 1]
        continued = span.row > 1 and self.file.source.lines[span.row - 2].rstrip("\r\n").endswith("\\")
        return not line[: span.column - 1].strip() and not continued

    def fix(
        self,
        applicability: Applicability,
        edits: Iterable[Edit],
        shown: str,
        message: str = "",
        *,
        changes: bool = False,
        style: str = "",
    ) -> Fix:
        """The finished fix; without edits, for display, where a comment would be lost or the framework is guessed."""
        listed = sorted(dict.fromkeys((*edits, *self.added)), key=lambda edit: edit.span)
        self.added.clear()
        message = message or f"replace with `{one_line(shown)}`"
        if self.is_foreign:
            return display(shown, message)
        written = "".join(edit.content for edit in listed)
        lost = (comment for edit in listed for comment in comments(self.file.source.segment(edit.span)))
        if any(comment not in written for comment in lost):
            return display(shown, message)
        return Fix(applicability, message, tuple(listed), one_line(shown), changes, style)

    def put(self, e: ast.AST, text: str) -> Edit:
        """``text`` in the place of an expression: in parentheses if it has to be, without those it does not need."""
        span, text, source = self.span(e), flat(text), self.file.source
        if not isinstance(e, ast.expr):
            return Edit(span, text)
        whole: ast.expr = e
        for parent, child in self.file.outline.above(e):
            if not isinstance(parent, OPERATORS) or (isinstance(parent, ast.Call) and parent.func is not child):
                break
            if isinstance(parent, ast.Subscript) and parent.value is not child:
                break
            whole = cast(ast.expr, parent)
        around = self.span(whole)
        before = source.segment(Span(around.row, around.column, span.row, span.column))
        old = source.segment(span)
        after = source.segment(Span(span.end_row, span.end_column, around.end_row, around.end_column))
        meant = meaning(f"_({before}({text}){after})")
        if meaning(f"_({before}{text}{after})") != meant:
            return Edit(span, f"({text})")
        line = source.lines[span.row - 1]
        left, right = line[: span.column - 1], line[span.end_column - 1 :]
        if span.row != span.end_row or not (left.endswith("(") and right.startswith(")")):
            return Edit(span, text)
        if re.search(r"[\w)\]'\"]\($", left) or re.match(r"\)\w", right):
            return Edit(span, text)  # they are those of a call, or keep two words apart
        if before:
            needed = meaning(f"({before[:-1]}{old}{after[1:]})") != meaning(f"({before}{old}{after})")
            spare = needed and meaning(f"({before[:-1]}{text}{after[1:]})") == meaning(f"({before}({text}){after})")
        else:
            spare = isinstance(e, ast.BinOp) and (meaning(text) or "").startswith("Expression(body=Call(")
        return Edit(Span(span.row, span.column - 1, span.end_row, span.end_column + 1) if spare else span, text)

    def plus(self, e: ast.expr, text: str) -> Edit:
        """``text`` added to an expression, which stays as it is laid out where that needs no parentheses."""
        source, span, around = self.file.source, self.span(e), self.span(self.file.outline.parents[e])
        before = source.segment(Span(around.row, around.column, span.row, span.column))
        after = source.segment(Span(span.end_row, span.end_column, around.end_row, around.end_column))
        own = source.segment(span)
        bare, meant = (meaning(f"({before}{one}{after})") for one in (f"{own} + {text}", f"(({own}) + {text})"))
        return Edit(span, f"{own} + {text}") if bare == meant else self.put(e, f"{self.text(e)} + {text}")

    def with_operand(self, e: ast.expr, text: str, whole: ast.expr | None = None) -> str:
        """The expression of the finding, or ``whole``, with ``text`` in the place of a part."""
        source, around, span = self.file.source, self.span(whole or self.site), self.span(e)
        before = source.segment(Span(around.row, around.column, span.row, span.column))
        after = source.segment(Span(span.end_row, span.end_column, around.end_row, around.end_column))
        while before.endswith("(") and not before.strip("( \n") and after.startswith(")"):
            before, after = before[:-1], after[1:]  # what stands alone needs no parentheses
        bare, bracketed = f"{before}{text}{after}", f"{before}({text}){after}"
        return bare if meaning(f"({bare})") == meaning(f"({bracketed})") else bracketed

    def call(
        self,
        call: ast.Call,
        function: str,
        replacing: Mapping[int, str] = MappingProxyType({}),
        *,
        without: str = "",
        more: Iterable[str] = (),
    ) -> str:
        """A call with another function, some arguments (by identity) rewritten, one left out, more at the end."""
        parts = [replacing.get(id(a)) or self.text(a) for a in call.args]
        named = [k for k in call.keywords if k.arg != without]
        parts += [f"{k.arg}={replacing.get(id(k.value)) or self.text(k.value)}" for k in named]
        return f"{function}({', '.join([*parts, *more])})"

    def excess(self, edits: Iterable[Edit]) -> int:
        """By how much a line that edits change is longer than can be read at a glance, than the project's, and was."""
        source, lines = self.file.source, dict[int, str]()
        most = min(GLANCE, self.file.width)
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            if edit.path:
                return 0
            if edit.span.row != edit.span.end_row:
                lines[edit.span.row] = edit.content if "\n" in edit.content else " " * edit.span.column + edit.content
                continue
            line = lines.get(edit.span.row, source.lines[edit.span.row - 1])
            lines[edit.span.row] = line[: edit.span.column - 1] + edit.content + line[edit.span.end_column - 1 :]
        longer = (
            len(part) - max(most, len(source.lines[row - 1].rstrip()))
            for row, line in lines.items()
            for part in line.splitlines()
        )
        return max(0, *longer) if lines else 0

    def helper(self, name: str, purpose: str, *body: str | None) -> list[Edit] | None:
        """A function of x, put before the first one of the file unless it is there; None where its name is taken."""
        tree, lines = self.file.source.tree, self.file.source.lines
        named = [s for s in tree.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
        if not named or None in body:
            return None
        inner = next((s for s in named[0].body if s.lineno > named[0].lineno), None)
        indent = lines[inner.lineno - 1][: inner.col_offset] if inner is not None else "    "
        text = "".join(f"{indent}{line}\n" for line in (f'"""{purpose}"""', *body))
        kind = self.spell(ARRAYS.get(self.framework, "")) if any(getattr(s, "returns", None) for s in named) else None
        text = f"def {name}(x: {kind}) -> {kind}:\n{text}" if kind else f"def {name}(x):\n{text}"
        if any(ast.dump(s) == ast.dump(ast.parse(text).body[0]) for s in named if s.name == name):
            return []
        if self.file.outline.mentions(name, tree):
            return None
        row = min([named[0].lineno, *(d.lineno for d in named[0].decorator_list)])
        while row > 1 and lines[row - 2].startswith("#"):
            row -= 1
        return [Edit(Span(row, 1, row, 1), f"{text}\n\n")]

    def after(self, edits: Iterable[Edit]) -> str:
        """The expression of the finding as it is after edits, for reading."""
        span, text, start = self.span(self.site), self.text(self.site), self.file.source.offset
        first = start(span.row, span.column)
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            a, b = start(edit.span.row, edit.span.column), start(edit.span.end_row, edit.span.end_column)
            if first <= a and b <= first + len(text):
                text = text[: a - first] + edit.content + text[b - first :]
        return text

    def also_given(self, call: ast.Call, argument: str) -> Edit:
        """One more argument at the end of a call."""
        last = max((self.span(a) for a in (*call.args, *(k.value for k in call.keywords))), default=None)
        if last is not None:
            return Edit(Span(last.end_row, last.end_column, last.end_row, last.end_column), f", {argument}")
        end = self.span(call)
        return Edit(Span(end.end_row, end.end_column - 1, end.end_row, end.end_column - 1), argument)


def display(shown: str, message: str = "") -> Fix:
    """A fix that needs a person: only what it would look like."""
    return Fix(Applicability.DISPLAY, message or f"consider `{one_line(shown)}`", (), one_line(shown))
