"""A first answer while the user types: what an edit inside of functions changes there, all else as it was before.

    text ── what differs from the text that was checked last? ── a few definitions
         ── they, what they use, and the module level, each at its place ── diagnose ── findings in what differs
         ── findings elsewhere, moved with their lines

What was checked last may be a first answer itself, so of edits that follow each other only the newest is looked at.
What other definitions make of the changed ones is not: a check of everything, once typing pauses, has the last word.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from nanlint.config import Config
from nanlint.diagnostic import Annotation, Diagnostic, Edit, Span
from nanlint.lint.one_file import diagnose_source
from nanlint.rules.diagnose import frameworks_of
from nanlint.source import Source
from nanlint.source.suppression import UNUSED

#: lines from which on it is worth while
LONG = 300
Placed = TypeVar("Placed", Annotation, Edit)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Part:
    """A statement of the module level with what stands above it: rows first to last. Several, if they share a row."""

    statements: tuple[ast.stmt, ...]
    first: int
    last: int
    text: str = ""

    @property
    def is_definition(self) -> bool:
        """Whether running it does nothing but bind a name."""
        return len(self.statements) == 1 and isinstance(self.statements[0], _DEFINITIONS)

    @property
    def reads(self) -> frozenset[str]:
        """The names that it reads."""
        walked = (n for statement in self.statements for n in ast.walk(statement))
        return frozenset(n.id for n in walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))

    @property
    def binds(self) -> Iterator[str]:
        """The names that it binds at the module level, and perhaps some of functions in it."""
        for statement in self.statements:
            for n in [statement] if isinstance(statement, _DEFINITIONS) else ast.walk(statement):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                    yield n.id
                elif isinstance(n, _DEFINITIONS):
                    yield n.name


def hurried(before: Source, known: Iterable[Diagnostic], after: Source, config: Config) -> list[Diagnostic] | None:
    """The findings of ``after``, from those of ``before`` and of what differs; None where only a full check will do."""
    if before.failures or after.failures or len(after.lines) < LONG:
        return None
    old, new = parts_of(before), parts_of(after)
    head = shared(old, new)
    tail = shared(old[head:][::-1], new[head:][::-1])
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    if not all(part.is_definition for part in (*gone, *come)) or rest(before, old) != rest(after, new):
        return None
    move = Move(
        above=old[head - 1].last if head else 0,
        gone=range(gone[0].first, gone[-1].last + 1) if gone else range(0),
        down=len(after.lines) - len(before.lines),
    )
    fresh = diagnose_source(excerpt(after, new, come), config) if come else []
    rows = {row for part in come for row in range(part.first, part.last + 1)}
    # whether a comment is of use may be up to definitions, or files, that are not looked at here
    found = [one for one in fresh if one.span.row in rows and one.code != UNUSED]
    for one in known:
        span = move.span(one.span)
        if span is None:
            continue
        moved = move.diagnostic(one, span)
        if moved is None:  # what was edited is a cause of it
            return None
        found.append(moved)
    return sorted(found, key=Diagnostic.sort_key)


def parts_of(source: Source) -> list[Part]:
    parts: list[Part] = []
    for node in source.tree.body:
        last = node.end_lineno or node.lineno
        if parts and node.lineno <= parts[-1].last:
            shared = parts.pop()
            parts.append(Part((*shared.statements, node), shared.first, last))
        else:
            parts.append(Part((node,), parts[-1].last + 1 if parts else 1, last))
    return [replace(part, text="".join(source.lines[part.first - 1 : part.last])) for part in parts]


def rest(source: Source, parts: Sequence[Part]) -> str:
    """What comes after the last statement: comments, perhaps."""
    return "".join(source.lines[parts[-1].last if parts else 0 :])


def shared(old: Sequence[Part], new: Sequence[Part]) -> int:
    """How many parts are the same at the beginning."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one.text != other.text:
            break
        count += 1
    return count


@dataclass(frozen=True, eq=False)
class Excerpt(Source):
    """A source without some of its statements, whose tree need not be read again."""

    statements: tuple[ast.stmt, ...] = ()

    @cached_property
    def tree(self) -> ast.Module:
        """The statements that are left, at their places."""
        return ast.Module(list(self.statements), [])


def excerpt(source: Source, parts: Sequence[Part], changed: Sequence[Part]) -> Source:
    """The source without definitions that ``changed`` has nothing to do with, all else at its place."""
    kept = set(map(id, concerned(parts, changed)))
    lines = list(source.lines)
    statements: list[ast.stmt] = []
    for part in parts:
        if part.is_definition and id(part) not in kept and "file-ignore" not in part.text:
            for row in range(part.first, part.last + 1):
                lines[row - 1] = "\n"
        else:
            statements += part.statements
    # which frameworks there are is read off the whole text
    text = f"{''.join(lines)}\n# {' '.join(frameworks_of(source))}\n"
    return Excerpt(source.path, text, statements=tuple(statements))


def concerned(parts: Sequence[Part], changed: Sequence[Part]) -> Iterator[Part]:
    """The changed parts, what they use, directly or not, and who uses what is private among them."""
    binders: dict[str, list[Part]] = {}
    for part in parts:
        for name in part.binds:
            binders.setdefault(name, []).append(part)
    private = {name for part in changed for name in part.binds if name.startswith("_")}
    users = [part for part in parts if part.is_definition and private and part.reads & private]
    pending = list({id(part): part for part in (*changed, *users)}.values())
    seen = set(map(id, pending))
    while pending:
        part = pending.pop()
        yield part
        for name in part.reads:
            for binder in binders.get(name, ()):
                if id(binder) not in seen:
                    seen.add(id(binder))
                    pending.append(binder)


@dataclass(frozen=True)
class Move:
    """Where places go when rows are exchanged: those ``above`` stay, those ``gone`` are lost, others go ``down``."""

    above: int
    gone: range
    down: int

    def span(self, span: Span) -> Span | None:
        """Where a span is now; None if it is no more."""
        if span.end_row <= self.above:
            return span
        if any(row in self.gone for row in (span.row, span.end_row)):
            return None
        return Span(span.row + self.down, span.column, span.end_row + self.down, span.end_column)

    def moved(self, one: Placed) -> Placed | None:
        """A cause or an edit where it is now: in another file where it was. None if it is no more."""
        span = one.span if one.path else self.span(one.span)
        return None if span is None else replace(one, span=span)

    def diagnostic(self, one: Diagnostic, span: Span) -> Diagnostic | None:
        """A finding that is at ``span`` now; None if it speaks of what is gone."""
        causes = [place for cause in one.causes if (place := self.moved(cause)) is not None]
        edits = one.fix.edits if one.fix is not None else ()
        kept = [now for edit in edits if (now := self.moved(edit)) is not None]
        if len(causes) < len(one.causes) or len(kept) < len(edits):
            return None
        fix = None if one.fix is None else replace(one.fix, edits=tuple(kept))
        return replace(one, span=span, causes=tuple(causes), fix=fix)
