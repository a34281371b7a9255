"""Why a rule says nothing: the condition at which it returned, read off the rule itself as it runs.

A rule is a chain of early returns, so the first of them that holds *is* the reason; told from the running rule it
cannot disagree with what the rule does. A rule may say it in better words: a comment above a ``return`` takes the place
of the condition, and so does a string that is returned.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Generator
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from nanlint.graph.node import Node
from nanlint.rules.registry import Finding, Rule, confidence

if TYPE_CHECKING:
    from nanlint.analysis.facts import Facts
    from nanlint.analysis.hazards import Hazard

#: what rules ask of a hazard again and again, in words
KNOWN = {
    "guard is None": "no selection hides the value",
    "hazard.guard is None": "no selection hides the value",
    "hazard.guard is not None": "a selection further on hides the value",
    "hazard.pole.cls != 'zero'": "about the pole at 0 only",
    "hazard.pole.cls == 'zero'": "about what lies beyond the pole only",
    "not facts.differentiated(hazard.node)": "no gradient flows",
}


def listened(rule: Rule, subject: Hazard | Node, facts: Facts) -> tuple[list[Finding], str]:
    """What a rule says of a subject; where that is nothing, why."""
    code = getattr(rule.check, "__code__", None)
    last: list[FrameType] = []

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code is not code:
            return None
        last[:] = [frame]
        return trace

    found: list[Finding] = []
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        said = rule.check(subject, facts)
        said_last = exhausted(said, found) if isinstance(said, Generator) else None
        found.extend(said)
    finally:
        sys.settrace(before)
    if found:
        return found, ""
    if isinstance(said_last, str) and said_last:
        return found, said_last
    return found, reason(code, last[0]) if code is not None and last else ""


def exhausted(said: Generator[Finding, None, object], found: list[Finding]) -> object:
    """All that a generator yields goes to ``found``; what it returns."""
    while True:
        try:
            found.append(next(said))
        except StopIteration as end:
            return end.value


def reason(code: CodeType, frame: FrameType) -> str:
    """The condition at which a frame ended without a finding."""
    written = source_of(code)
    if written is None:
        return ""
    tree, lines, first = written
    row = frame.f_lineno - first + 1
    for test, ends in ways_out(tree):
        if ends.lineno <= row <= (ends.end_lineno or ends.lineno):
            comment = remark(lines, ends.lineno)
            return comment or told(tree, holding(test, frame, truth=True), frame)
    asked = [n for n in ast.walk(tree) if isinstance(n, ast.If) and n.test.lineno <= row <= (n.test.end_lineno or 0)]
    if asked:
        return f"`{ast.unparse(holding(asked[-1].test, frame, truth=False))}` does not hold"
    return "none of the forms that it looks for"


@lru_cache(maxsize=256)
def source_of(code: CodeType) -> tuple[ast.AST, tuple[str, ...], int] | None:
    """A function's tree, its lines and the row of the first of them."""
    try:
        lines, first = inspect.getsourcelines(code)
        text = textwrap.dedent("".join(lines))
        return ast.parse(text), tuple(text.splitlines()), first
    except (OSError, TypeError, SyntaxError):
        return None


def ways_out(tree: ast.AST) -> list[tuple[ast.expr, ast.Return]]:
    """The returns under a condition, each with the nearest one."""
    found: list[tuple[ast.expr, ast.Return]] = []

    def visit(statements: list[ast.stmt], test: ast.expr | None) -> None:
        for s in statements:
            if isinstance(s, ast.Return) and test is not None:
                found.append((test, s))
            elif isinstance(s, ast.If):
                visit(s.body, s.test)
                visit(s.orelse, ast.UnaryOp(ast.Not(), s.test) if s.orelse else None)
            else:
                visit(getattr(s, "body", []), test)

    for s in getattr(tree, "body", []):
        visit(getattr(s, "body", []), None)
    return found


def remark(lines: tuple[str, ...], row: int) -> str:
    """The comment right above a row, as a phrase."""
    found: list[str] = []
    for line in reversed(lines[: row - 1]):
        if not line.strip().startswith("#"):
            break
        found.insert(0, line.strip().lstrip("# "))
    return " ".join(found)


def holding(test: ast.expr, frame: FrameType, *, truth: bool) -> ast.expr:
    """The part of an ``or`` that holds (of an ``and`` that does not), which is what made the difference."""
    if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.Or) is not truth:
        return test
    for part in test.values:
        expression = ast.fix_missing_locations(ast.Expression(part))
        try:
            value = eval(compile(expression, "<rule>", "eval"), frame.f_globals, frame.f_locals)
        except Exception:
            return test
        if bool(value) is truth:
            return holding(part, frame, truth=truth)
    return test


def told(tree: ast.AST, test: ast.expr, frame: FrameType) -> str:
    """A condition that holds, in words where it asks whether something was found."""
    written = ast.unparse(test)
    if written in KNOWN:
        return KNOWN[written]
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and isinstance(test.ops[0], ast.Is)):
        return f"`{written}`"
    name = test.left.id
    made = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name]
    question = made[-1] if made else None
    if not isinstance(question, ast.Call):
        return KNOWN.get(f"{name} is None", f"`{written}`")
    if ast.unparse(question.func) == confidence.__name__:
        used = dict.fromkeys(n.id for n in ast.walk(question) if isinstance(n, ast.Name))
        true = [n for n in used if frame.f_locals.get(n) is True]
        return "its confidence is lowered below possible" + (f" ({', '.join(true)})" if true else "")
    return f"`{ast.unparse(question)}` finds nothing"
