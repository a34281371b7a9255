"""Statements that a GradientTape should have recorded move into its ``with``."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.outline import root_of
from nanlint.fixes.place import Place, display
from nanlint.graph.node import Node, Region


@dataclass(frozen=True)
class MoveIntoTape:
    """The assignment that computes ``outside``, and what depends on it, into the tape whose ``gradient`` needs it.

    From above to the top of the body, from below to its end. Unsafe: the gradient changes, which is the point. Only
    plain assignments of the same block move, past nothing that reads or changes what they use; else for display.
    """

    outside: Node
    inside: Node
    gradient: Node

    def rewrite(self, place: Place) -> Fix | None:
        regions: list[Region] = self.gradient["tape"].attrs.get("regions", [])
        statements = [r.statement for r in regions if isinstance(r.statement, ast.With)]
        for tape in statements:
            computed = self.computed(place, tape)
            if computed is None:
                continue
            statement = place.file.outline.statement(computed)
            shown = place.text(computed)
            edits = self.moved(place, tape, statement) if statement is not None else None
            if edits is not None:
                message = f"move `{_first_line(place.text(statement or computed))}` into the tape"
                return Fix(Applicability.UNSAFE, message, tuple(edits), message)
            return display(shown, f"compute `{_first_line(shown)}` inside the tape")
        return None

    def computed(self, place: Place, tape: ast.With) -> ast.expr | None:
        """The expression outside, as it stands in the tape's own function: the op, or a call that leads to it."""
        outline = place.file.outline
        sites = [s for s in (*self.outside.calls, self.outside.site) if isinstance(s, ast.expr)]
        inside = [s for s in sites if outline.function(s) is outline.function(tape)]
        beside = [s for s in inside if outline.statement(s) in outline.block(tape)]
        return next(iter(beside), None) or self.passed_in(place, tape) or next(iter(inside), None)

    def passed_in(self, place: Place, tape: ast.With) -> ast.expr | None:
        """The one call whose result the op inside takes from a variable: the op itself is a layer made elsewhere."""
        outline, inside = place.file.outline, self.inside.site
        if not isinstance(inside, ast.expr) or outline.function(inside) is not outline.function(tape):
            return None
        names = [n for n in ast.walk(inside) if isinstance(n, ast.Name)]
        found = [outline.definition(n) for n in names]
        calls = {
            value
            for d in found
            if d is not None and d[0] in outline.block(tape)
            for value in [d[1]]
            if isinstance(value, ast.Call)
        }
        return calls.pop() if len(calls) == 1 else None

    def moved(self, place: Place, tape: ast.With, statement: ast.stmt) -> list[Edit] | None:
        """Edits that take the statement, and what must go with it, into the tape; None where that is not certain."""
        block = [s for s in place.file.outline.block(tape) if isinstance(s, ast.stmt)]
        at = next((i for i, s in enumerate(block) if s is tape), None)
        start = next((i for i, s in enumerate(block) if s is statement), None)
        if at is None or start is None or tape.body[0].lineno == tape.lineno:
            return None
        above = start < at
        stretch = block[start:at] if above else block[at + 1 : start + 1]
        going = _with_dependents(stretch) if above else _with_sources(stretch)
        staying = [s for s in stretch if s not in going]
        if not all(isinstance(s, (ast.Assign, ast.AnnAssign)) and _stores_names(s) for s in going):
            return None
        if not self.independent(place, going, staying) or any(_names(i) & _stored(going) for i in tape.items):
            return None
        if not above and isinstance(tape.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return None
        row = self.entrance(tape) if above else (tape.body[-1].end_lineno or 0) + 1
        return self.edits(place, tape, going, row)

    def independent(self, place: Place, going: Sequence[ast.stmt], staying: Sequence[ast.stmt]) -> bool:
        """Whether statements may change places: neither changes what the other has, nor have both effects."""
        outline = place.file.outline
        for mine in going:
            for other in staying:
                if any(outline.changes(other, name) for name in _names(mine)):
                    return False
                if _stored([mine]) & _names(other):
                    return False
                if not place.pure_statement(mine) and not place.pure_statement(other):
                    return False
        return True

    def entrance(self, tape: ast.With) -> int:
        """The row above which moved statements go: the top of the body, after what it watches."""
        for statement in tape.body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            watches = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "watch"
            if not watches and not (isinstance(call, ast.Constant) and isinstance(call.value, str)):
                return statement.lineno
        return (tape.body[-1].end_lineno or 0) + 1

    def edits(self, place: Place, tape: ast.With, going: Sequence[ast.stmt], row: int) -> list[Edit] | None:
        """Whole lines, with the comments above them, cut out and put in under the indentation of the body."""
        source = place.file.source
        indent = source.lines[tape.lineno - 1][: tape.col_offset]
        inner = source.lines[tape.body[0].lineno - 1][: tape.body[0].col_offset]
        if indent.strip() or inner.strip() or not inner.startswith(indent) or row > len(source.lines):
            return None
        removed: list[Edit] = []
        added: list[str] = []
        for statement in going:
            rows = self.rows(place, statement, indent)
            if rows is None:
                return None
            lines = source.lines[rows[0] - 1 : rows[1]]
            if not lines[-1].endswith(("\n", "\r")):
                lines = [*lines[:-1], lines[-1] + "\n"]
            added += [
                inner + line[len(indent) :] if line.startswith(indent) and line.strip() else line for line in lines
            ]
            removed.append(Edit(Span(rows[0], 1, rows[1] + 1, 1), ""))
        last = source.lines[row - 2]
        text = "".join(added)
        if not last.endswith(("\n", "\r")):
            return None
        return sorted([*removed, Edit(Span(row, 1, row, 1), text)], key=lambda edit: edit.span)

    def rows(self, place: Place, statement: ast.stmt, indent: str) -> tuple[int, int] | None:
        """First and last row of a statement with the comments directly above; None where it shares its lines."""
        lines = place.file.source.lines
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        text = "".join(lines[first - 1 : last])
        if (
            lines[first - 1][: statement.col_offset] != indent
            or _tail(lines[last - 1], statement)
            or _long_strings(text)
        ):
            return None
        if first > 1 and lines[first - 2].rstrip("\r\n").endswith("\\"):
            return None
        while first > 1 and lines[first - 2].startswith(f"{indent}#"):
            first -= 1
        return first, last


def _with_dependents(stretch: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The first statement, and those after it that read what those before them assign."""
    going = [stretch[0]]
    for statement in stretch[1:]:
        if _names(statement) & _stored(going):
            going.append(statement)
    return going


def _with_sources(stretch: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The last statement, and those before it that assign what those after them read."""
    going = [stretch[-1]]
    for statement in reversed(stretch[:-1]):
        if _stored([statement]) & {n for s in going for n in _names(s)}:
            going.insert(0, statement)
    return going


def _names(node: ast.AST) -> set[str]:
    """Names that occur."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _stored(statements: Iterable[ast.stmt]) -> set[str]:
    """Names that are assigned, or changed in part."""
    found: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
                found.add(root_of(node))
    return found


def _stores_names(statement: ast.stmt) -> bool:
    """Whether all that an assignment assigns are variables."""
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AnnAssign)
        else []
    )
    parts = [n for t in targets for n in ast.walk(t)]
    return all(isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)) for n in parts)


def _tail(line: str, statement: ast.stmt) -> str:
    """What follows a statement on its last line, other than a comment."""
    end = statement.end_col_offset or 0
    rest = line.encode("utf-8", "surrogatepass")[end:].decode("utf-8", "replace").strip()
    return "" if rest.startswith("#") else rest


def _long_strings(text: str) -> bool:
    """Whether a string goes over a line's end: indenting it would change it."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text.lstrip()).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(t.start[0] != t.end[0] and t.type not in (tokenize.NEWLINE, tokenize.NL) for t in tokens)


def _first_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    return f"{first.rstrip()} …" if rest else first
