"""Place: what a codemod may ask of the source around its finding. What to write is its own business."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.breaking import side_by_side
from nanlint.fixes.imports import Spelled, same
from nanlint.fixes.quoting import comments, one_line
from nanlint.fixes.reading import Reading
from nanlint.ops.writing import function_for
from nanlint.source.roots import FRAMEWORKS

#: libraries of ops on another framework's tensors
_BUILT_ON = {
    **dict.fromkeys(("torch_geometric", "torch_scatter", "gpytorch", "botorch", "pyro", "lightning"), "torch"),
    **dict.fromkeys(("flax", "optax", "haiku", "equinox", "chex", "distrax", "numpyro"), "jax"),
    "tensorflow_probability": "tensorflow",
}
#: the selection of each framework


@dataclass(frozen=True)
class Place(Reading):
    """One finding in its file, and what may be written there; notes the imports that this asks for (``added``).

    Expressions are ``ast`` nodes where reasoned about, lossless ones where copied.
    """

    added: list[Edit] = field(default_factory=list)

    @cached_property
    def framework(self) -> str:
        """The framework whose functions belong here.

        ``keras.backend`` has few functions, and they belong to Keras 2: with TensorFlow in the file, TensorFlow's do;
        without, there are none ("").
        """
        found = self.facts.framework(self.node)
        found = _BUILT_ON.get(found, found)
        if found == "keras" and not any(i.target in ("keras", "keras.ops") for i in self.file.imports.all):
            return "tensorflow" if self.imports("tensorflow") else ""
        return found

    # Spelling

    def spell(self, function: str, *, from_module: str | None = None) -> str | None:
        """How the file writes a function (by dotted name) here; notes the import that has to be added for it."""
        found: Spelled | None = self.file.imports.spell(
            function, self.site, compat=self.compat, from_module=from_module
        )
        if found is None:
            return None
        self.added.extend(found.edits)
        return found.text

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
        if self.framework not in FRAMEWORKS or imports.takes_everything:
            return False
        roots = {same(i.target).partition(".")[0] for i in imports.all}
        alike = {"scipy": {"scipy", "numpy"}, "numpy": {"scipy", "numpy"}, "keras": {"keras", "tensorflow"}}
        return bool(roots) and {_BUILT_ON.get(r, r) for r in roots}.isdisjoint(
            alike.get(self.framework, {self.framework})
        )

    def comparison(self, e: str, sign: str) -> str | None:
        """``e == 0``, ``e != 0`` or ``e > 0`` element by element; TensorFlow 1 compares identities with ``==``."""
        if self.framework == "tensorflow" and sign in ("==", "!="):
            function = self.spell("tensorflow.equal" if sign == "==" else "tensorflow.not_equal")
            return f"{function}({e}, 0)" if function else None
        return f"{e} {sign} 0"

    def selection(self, cond: str, a: str, b: str, like: str) -> str | None:
        """``where(cond, a, b)`` in the framework; a number among a and b takes the shape and dtype of ``like``.

        PyTorch (since 1.12), JAX, NumPy and Keras take a Python number as it is and keep the tensor's dtype. TensorFlow
        makes float32 of it, and TensorFlow 1 wants equal shapes: there it becomes ``ones_like`` or ``zeros_like``.
        """
        function = self.function("where")
        if function is None:
            return None
        if self.framework == "tensorflow":
            tensors = [self._like(x, like) if re.fullmatch(r"[01](\.0)?", x) else x for x in (a, b)]
            if None in tensors:
                return None
            a, b = cast(list[str], tensors)
        return f"{function}({cond}, {a}, {b})"

    def _like(self, number: str, like: str) -> str | None:
        function = self.spell("tensorflow.ones_like" if float(number) else "tensorflow.zeros_like")
        return f"{function}({like})" if function else None

    # Writing

    def hoisted(self, e: ast.expr, *names: str) -> tuple[str, Edit] | None:
        """A new variable that holds an expression, assigned just before the statement it is in; the first free name.

        Only where that evaluates the expression once, as before, and not after anything it might have to come before.
        """
        outline = self.file.outline
        statement = outline.statement(e)
        if not isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
        ) or not self._leads(statement):
            return None
        path = [e, *(parent for parent, _ in outline.above(e))]
        for part in path[: path.index(statement)]:
            if not isinstance(part, ast.expr | ast.keyword) or isinstance(
                part, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.NamedExpr)
            ):
                return None
            if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await)):
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
        span, text = self.span(statement), self.argument(e)
        if "\n" in text:
            text = side_by_side(text) or text
        line = self.file.source.lines[span.row - 1]
        indent = line[: span.column - 1]
        value = f"({text})" if "\n" in text and not self._bracketed(e) else text
        return name, Edit(Span(span.row, span.column, span.row, span.column), f"{name} = {value}\n{indent}")

    def _bracketed(self, e: ast.expr) -> bool:
        """Whether an expression over several lines is one token of brackets after another on its own."""
        try:
            ast.parse(f"_ = {self.text(e)}")
        except SyntaxError:
            return False
        return True

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
    ) -> Fix | None:
        """The finished fix; without edits, for display, where a comment would be lost or the framework is guessed."""
        listed = sorted(dict.fromkeys((*edits, *self.added)), key=lambda edit: edit.span)
        message = message or f"replace with `{one_line(shown)}`"
        if self.is_foreign:
            return display(shown, message)
        written = "".join(edit.content for edit in listed)
        lost = (comment for edit in listed for comment in comments(self.file.source.segment(edit.span)))
        if any(comment not in written for comment in lost):
            return display(shown, message)
        return Fix(applicability, message, tuple(listed), one_line(shown), changes)

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
