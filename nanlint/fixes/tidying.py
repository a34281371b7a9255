"""What fixes leave behind: names that nothing reads any more.

Removed is only what was read before, and is of no use and no effect now: assignments of local variables and imports.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TypeAlias, cast

from nanlint.fixes.outline import Outline
from nanlint.fixes.text import comments
from nanlint.source.project import view_of
from nanlint.source.syntax import definitions
from nanlint.source.text import Located, Source

#: comments that tell a tool something about their line
_TO_TOOLS = re.compile(r"#\s*(noqa|nosec|fmt:|type:|pragma|\w*(lint|pyright|mypy|ruff):)")
Change: TypeAlias = "tuple[int, int, str]"
Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Assignment: TypeAlias = "ast.Assign | ast.AnnAssign"
#: what may read variables by names that stand nowhere
_READS_ALL = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})


def tidied(before: Source, after: Source, outlined: Callable[[Source], Outline]) -> Source:
    """``after`` without what the fixes that made it of ``before`` left behind; ``outlined``: tells what has effects."""
    if before.failures or after.failures:
        return after
    for _ in count():
        changes = [*unread_assignments(before, after, outlined), *unread_imports(before, after)]
        if not changes:
            break
        after = after.replaced(sorted(changes))
    return after


# Names that nothing reads


def unread_assignments(before: Source, after: Source, outlined: Callable[[Source], Outline]) -> Iterator[Change]:
    """Assignments to local variables that were read before and are not any more, if they have no effect."""
    known = functions(before.tree)
    found: list[tuple[Assignment, ast.expr]] = []
    for path, own in functions(after.tree).items():
        for function, old in zip(own, known.get(path, ()), strict=False):
            if before.lines[old.lineno - 1 : old.end_lineno] == after.lines[function.lineno - 1 : function.end_lineno]:
                continue
            lost = read(old) - read(function) - {"_"}
            if lost and not read(function) & _READS_ALL:
                found += (pair for name in sorted(lost) for pair in assignments(function, name))
    if not found:
        return
    outline = outlined(after)
    twins = {place(n): n for n in ast.walk(outline.tree) if isinstance(n, ast.expr)}
    useless: dict[Assignment, list[ast.expr]] = {}
    for statement, value in found:
        twin = twins.get(place(value))
        if twin is not None and has_no_effect(twin, outline):
            useless.setdefault(statement, []).append(value)
    homes = blocks(after.tree)
    for statement, values in useless.items():
        rest = [pair for pair in pairs(statement) if not any(pair[1] is value for value in values)]
        yield from shortened(after, statement, rest) if rest else removed(after, statement, homes[statement])


def pairs(statement: Assignment) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment and what each is given: of ``a, b = x, y`` both, if it names no others."""
    assert statement.value is not None
    targets, value = statement.targets if isinstance(statement, ast.Assign) else [statement.target], statement.value
    if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple):
        both = targets[0].elts, value.elts
        if len(both[0]) == len(both[1]) and all(isinstance(t, ast.Name) for t in both[0]):
            return list(zip(*both, strict=True))
    return [(target, value) for target in targets]


def shortened(source: Source, statement: Assignment, rest: Sequence[tuple[ast.expr, ast.expr]]) -> Iterator[Change]:
    """The change that leaves some of what a statement assigns, each once, on one line."""
    start, end = extent(source, statement)
    text = source.text[start:end]
    if "\n" not in text:
        written = ([source.text[slice(*extent(source, e))] for e in one] for one in zip(*rest, strict=True))
        yield start, end, " = ".join(map(", ".join, written))


def extent(source: Source, node: ast.stmt | ast.expr) -> tuple[int, int]:
    """Where a piece of syntax begins and ends in its text."""
    span = source.span(cast(Located, node))
    return source.offset(span.row, span.column), source.offset(span.end_row, span.end_column)


def functions(tree: ast.Module) -> dict[str, list[Function]]:
    """The functions of a file by their qualified names, in order."""
    found: dict[str, list[Function]] = {}
    for name, definition in definitions(tree):
        if not isinstance(definition, ast.ClassDef):
            found.setdefault(name, []).append(definition)
    return found


def read(node: ast.AST) -> set[str]:
    """Names that are read somewhere in a piece of syntax, or looked up around it."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)}
    outside = (n.names for n in ast.walk(node) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return found.union(*outside)


def assignments(function: Function, name: str) -> list[tuple[Assignment, ast.expr]]:
    """The assignments of a variable of a function; none if anything else binds it, or changes what it holds."""
    found: list[tuple[Assignment, ast.expr]] = []
    binders = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    targets = 0
    for statement in ast.walk(function):
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            own = pairs(statement)
            here = [(target, value) for target, value in own if target in binders]
            # of a = b = x all have to be unread
            if here and (len(here) == len(own) or len({id(value) for _, value in own}) == len(own)):
                targets += len(here)
                found += dict.fromkeys((statement, value) for _, value in here)
    return found if targets == len(binders) else []


def has_no_effect(e: ast.expr, outline: Outline) -> bool:
    """Whether nothing is lost if an expression is not evaluated."""
    effects = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Starred)
    parts = list(ast.walk(e))
    calls = (part for part in parts if isinstance(part, ast.Call))
    return not any(isinstance(part, effects) for part in parts) and all(map(outline.is_pure, calls))


def unread_imports(before: Source, after: Source) -> Iterator[Change]:
    """Names of imports that were read before and are not any more, if no other file and no string asks for them."""
    if re.search(r"__init__\.pyi?$|\.ipynb$", after.path):
        return  # others may take them from there, or what is run later
    lost = read(before.tree) - read(after.tree)
    if not lost or read(after.tree) & _READS_ALL:
        return
    strings = " ".join(
        n.value for n in ast.walk(after.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )
    words = set(re.findall(r"\w+", strings))
    bodies = [after.tree, *(f for own in functions(after.tree).values() for f in own)]
    for statement in (s for body in bodies for s in body.body if isinstance(s, (ast.Import, ast.ImportFrom))):
        bound = {a: a.asname or a.name.partition(".")[0] for a in statement.names}
        gone = [a for a, name in bound.items() if name in lost - words and a.asname != a.name]
        gone = [a for a in gone if not asked_for(after, bound[a])]
        if gone and len(gone) == len(statement.names):
            yield from removed(after, statement, blocks(after.tree)[statement])
        elif gone and len(gone) == 1:
            yield from without_name(after, statement, gone[0])


def asked_for(source: Source, name: str) -> bool:
    """Whether another file of the project takes a name from this one."""
    view = view_of(source)
    if view is None:
        return False
    stem = os.path.splitext(os.path.basename(view.path))[0]
    return any(takes(module.tree, stem, name) for module in view.importers([name], view.path))


def takes(tree: ast.Module, stem: str, name: str) -> bool:
    """Whether a file imports a name, or everything, from modules called ``stem``, or reads it as their attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == stem:
            if any(alias.name in (name, "*") for alias in node.names):
                return True
        elif isinstance(node, ast.Attribute) and node.attr == name:
            owner = node.value
            if stem in (getattr(owner, "id", None), getattr(owner, "attr", None)):
                return True
    return False


def without_name(source: Source, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Iterator[Change]:
    """The change that takes one of several names out of an import, with a comma beside it."""
    spans = [source.span(cast(Located, a)) for a in statement.names]
    index = statement.names.index(alias)
    starts = [source.offset(s.row, s.column) for s in spans]
    ends = [source.offset(s.end_row, s.end_column) for s in spans]
    last = index == len(spans) - 1
    start, end = (ends[index - 1], ends[index]) if last else (starts[index], starts[index + 1])
    if "#" not in source.text[start:end]:
        yield start, end, ""


def removed(source: Source, statement: ast.stmt, block: Sequence[ast.stmt]) -> Iterator[Change]:
    """The change that takes a statement away with its lines, if they hold nothing else and it is not all there is."""
    rows = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    shared = any(s is not statement and {s.lineno, s.end_lineno} & {*rows} for s in block)
    start, end = source.offset(rows[0], 1), source.offset(rows[-1] + 1, 1)
    first, last = extent(source, statement)
    remark = source.text[last:end].strip()
    alone = not source.text[start:first].strip() and remark[:1] in ("", "#")
    if len(block) > 1 and alone and not shared and not comments(source.text[first:last]):
        # what is said to a tool goes with the line
        yield (
            (start, end, "")
            if not remark or _TO_TOOLS.match(remark)
            else (first, last + len(source.text[last:end].partition("#")[0]), "")
        )


def blocks(tree: ast.AST) -> dict[ast.stmt, Sequence[ast.stmt]]:
    """The runs of statements that those of a tree are in."""
    fields = (field for node in ast.walk(tree) for _, field in ast.iter_fields(node) if isinstance(field, list))
    return {s: field for field in fields for s in field if isinstance(s, ast.stmt)}


def place(node: ast.expr) -> tuple[object, ...]:
    """What tells an expression of one tree from the others, and is the same in another tree of the text."""
    return type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
