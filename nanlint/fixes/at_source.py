"""Where a function returns what all its uses give to one op: the two become one where it is made, in whatever file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from nanlint.diagnostic import Applicability, Edit, Fix, Span
from nanlint.fixes.outline import Outline, Scope
from nanlint.fixes.place import Place
from nanlint.fixes.text import one_line
from nanlint.graph.node import Node, unrefined, uses
from nanlint.source.discovery import shown_path
from nanlint.source.project import View
from nanlint.source.project_files import MAX_FILES, all_files, files_with
from nanlint.source.syntax import parse_once
from nanlint.source.text import Source

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class AtSource:
    """``stable`` in the place of ``inner``, which another function returns, where ``outer`` is taken of each result.

    Unsafe: who calls the function where nobody sees it would get something else. Safe where all calls are seen.
    """

    place: Place
    outer: Node
    inner: Node
    stable: str

    def fix(self) -> Fix | None:
        """The fix, unless something else is done with a result, or may be."""
        function, outers = self.function, self.outers
        if function is None or outers is None or not self.has_stable:
            return None
        others = self.other_files(function)
        if others is None or not self.all_seen(function):
            return None
        edits = [edit for node in outers if (edit := self.without(node)) is not None]
        if len(edits) < len(outers):
            return None
        name = f"{self.class_of(function)}.{function.name}" if self.class_of(function) else function.name
        message = f"return `{one_line(self.stable_text)}` from `{name}`, and remove the {self.outer.op} here"
        applicability = Applicability.SAFE if self.closed(function, others) else Applicability.UNSAFE
        if self.home is None:
            return self.named(self.place.fix(applicability, [*edits, self.renamed], message, message))
        own = self.named(self.place.fix(applicability, edits, message, message))
        return replace(own, edits=(*own.edits, self.renamed)) if own is not None and own.edits else None

    def named(self, fix: Fix | None) -> Fix | None:
        """A fix that is shown by what it does: it is about two places."""
        return None if fix is None or not fix.edits else replace(fix, display="")

    # Where it is made

    @property
    def made(self) -> ast.AST | None:
        """The expression that the inner op is, in whatever file."""
        return self.inner.site or self.inner.external_site

    @property
    def home(self) -> str | None:
        """The path of the other file that it is in."""
        return self.place.facts.lowering.graph.file_of(self.made) if self.inner.site is None else None

    @property
    def source(self) -> Source | None:
        """The text of the file that it is in."""
        if self.home is None:
            return self.place.file.source
        return self.view.sources.get(self.home) if self.view is not None else None

    @property
    def view(self) -> View | None:
        return self.place.facts.lowering.view

    @cached_property
    def outline(self) -> Outline | None:
        """The outline of the file that it is in."""
        return self.place.file.outline if self.home is None else Outline(self.tree) if self.tree else None

    @property
    def tree(self) -> ast.Module | None:
        """The tree of that file, as it was lowered."""
        source = self.source
        if source is None:
            return None
        return source.tree if self.home is None else parse_once(source.text, source.path)

    @property
    def function(self) -> Function | None:
        """The function that returns it, and nothing else."""
        outline, made = self.outline, self.made
        if outline is None or made is None or made not in outline.parents:
            return None
        function = outline.function(made)
        if not isinstance(function, Function) or function is outline.function(self.place.site):
            return None
        returns = [n for n in own_nodes(outline, function) if isinstance(n, ast.Return | ast.Yield | ast.YieldFrom)]
        if len(returns) != 1 or not isinstance(returns[0], ast.Return):
            return None
        return function if self.is_result(outline, function, returns[0].value) else None

    def is_result(self, outline: Outline, function: Function, value: ast.expr | None) -> bool:
        """Whether what is returned is the op itself, or a variable that is nothing but it."""
        if not isinstance(value, ast.Name):
            return value is self.made
        found = outline.definition(value)
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == value.id]
        return found is not None and found[1] is self.made and len(names) == 2

    def class_of(self, function: Function) -> str:
        """The class that the function is a method of; empty if it is none."""
        parent = self.outline.parents.get(function) if self.outline is not None else None
        return parent.name if isinstance(parent, ast.ClassDef) else ""

    # What it becomes

    @property
    def has_stable(self) -> bool:
        """Whether the stable function has its place beside the one that is called."""
        spelling, made = self.inner.spelling, self.made
        if spelling is None or not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
            return False
        module, _, name = spelling.name.rpartition(".")
        beside = self.place.facts.lowering.spellings.get(f"{module}.{self.stable}")
        return name == made.func.attr and beside is not None and "layer" not in self.inner.attrs

    @property
    def renamed(self) -> Edit:
        """The call of the stable function in the place of the other."""
        made, source = self.made, self.source
        assert isinstance(made, ast.Call)
        assert isinstance(made.func, ast.Attribute)
        assert source is not None
        called = source.span(made.func)
        name = Span(called.end_row, called.end_column - len(made.func.attr), called.end_row, called.end_column)
        if self.home is None:
            return Edit(name, self.stable)
        lines = tuple((row, source.lines[row - 1]) for row in range(name.row, name.end_row + 1))
        return Edit(name, self.stable, shown_path(source.path), lines)

    @property
    def stable_text(self) -> str:
        """The call of the stable function, for reading."""
        made, source, name = self.made, self.source, self.renamed.span
        assert isinstance(made, ast.Call)
        assert source is not None
        span = source.span(made)
        before = Span(span.row, span.column, name.row, name.column)
        after = Span(name.end_row, name.end_column, span.end_row, span.end_column)
        return source.segment(before) + self.stable + source.segment(after)

    # What is done with it

    @cached_property
    def results(self) -> list[Node]:
        """The op in each run of the function that is known."""
        graph = self.place.facts.lowering.graph
        return [n for n in graph if n.op == self.inner.op and (n.site or n.external_site) is self.made]

    @property
    def outers(self) -> list[Node] | None:
        """The outer ops of this file, each once, if nothing but they are taken of what the function returns."""
        found: dict[int, Node] = {}
        for result in self.results:
            users = list(uses(result))
            if bool(users) is not bool(result.calls) or any(n.op != self.outer.op or n.site is None for n in users):
                return None
            found.update((id(n.site), n) for n in users)
        known = {n.index for n in self.results}
        same = (n for n in self.place.facts.lowering.graph if id(n.site) in found and n.op == self.outer.op)
        return list(found.values()) if all(unrefined(n["x"]).index in known for n in same) else None

    def without(self, outer: Node) -> Edit | None:
        """What the op is taken of in its place."""
        place = self.place.at(outer)
        written = place.written(outer)
        operand = written.operand("x") if written is not None else None
        if written is None or operand is None or not written.only("x") or not self.is_all(operand):
            return None
        if place.framework == "torch" and place.is_changed_in_place():
            return None
        return place.put(written.call, place.text(operand))

    def is_all(self, operand: ast.expr) -> bool:
        """Whether an operand of the outer op is a call of the function, or a variable that no one else reads."""
        outline = self.place.file.outline
        value = operand
        if isinstance(operand, ast.Name):
            found = outline.definition(operand)
            scope = outline.function(operand)
            names = [n for n in uses_of(operand.id, scope) if isinstance(n, ast.Name) and n is not operand]
            if found is None or any((b := outline.binding(n.id, n)) and b[0] is scope for n in names):
                return False
            value = found[1]
        return any(value is call for result in self.results for call in result.calls)

    def all_seen(self, function: Function) -> bool:
        """Whether each use of the function's name, in this file and its own, is one of the calls that were followed.

        What is done with objects of a class in the other file that has it is not known.
        """
        cls, tree = self.class_of(function), self.tree
        if cls and self.home is not None and tree is not None and any(True for _ in uses_of(cls, tree)):
            return False
        followed = {id(call.func) for n in self.results for call in n.calls if isinstance(call, ast.Call)}
        trees = {self.place.file.source.tree, tree or self.place.file.source.tree}
        return all(id(use) in followed for tree in trees for use in uses_of(function.name, tree))

    def other_files(self, function: Function) -> Collection[str] | None:
        """Further files whose text has the name; None if one of them imports it, or its class."""
        view = self.view
        if view is None:
            return ()
        name = self.class_of(function) or function.name
        notebooks = files_with(view.searched, frozenset([name]), ".ipynb")
        others = {*view.files_mentioning(frozenset([name])), *notebooks} - {view.path, self.home}
        around = View.of(self.home, view.unsaved) if self.home is not None else view
        return None if others.intersection(around.paths_with([name], around.path)) else others

    def closed(self, function: Function, others: Collection[str]) -> bool:
        """Whether nobody can call the function but who is seen."""
        inside = self.outline is not None and not isinstance(self.scope(function), ast.Module)
        private = function.name.startswith("_") and self.view is not None and not others
        whole = self.view is not None and len(all_files(self.view.searched)) < MAX_FILES
        return not self.class_of(function) and (inside or (private and whole))

    def scope(self, function: Function) -> Scope | None:
        """The scope in which the function has its name."""
        return next(self.outline.scopes(function), None) if self.outline is not None else None


def own_nodes(outline: Outline, function: Function) -> Iterator[ast.AST]:
    """The syntax of a function without that of functions inside it."""
    return (n for n in ast.walk(function) if n is not function and outline.function(n) is function)


def uses_of(name: str, tree: ast.AST) -> Iterator[ast.AST]:
    """Where a name is read in a file: by itself or as an attribute."""
    for node in ast.walk(tree):
        read = isinstance(getattr(node, "ctx", None), ast.Load)
        if read and (getattr(node, "id", None) == name or getattr(node, "attr", None) == name):
            yield node
