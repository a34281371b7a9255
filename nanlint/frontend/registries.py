"""Tables of functions that functions fill, such as registries: who is in them is told in other files, by decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanlint.frontend.callers import Called, Uses, names_of_other, words_of
from nanlint.frontend.modules import DEFINITIONS, ModuleFrame, descendants, words_in
from nanlint.frontend.nodes import MAX_ALTERNATIVES
from nanlint.graph.node import CLASS, CONST, DICT, INSTANCE, Node
from nanlint.source.project import Module
from nanlint.source.syntax import remembered

if TYPE_CHECKING:
    from nanlint.frontend.lower import Lowering


def kept_in_tables(lowering: Lowering, tree: ast.Module) -> Iterator[Called]:
    """The tables that functions were put in, by file, and what reads them there. ``tree``: the file that is lowered."""
    for path, names in holders_of(lowering):
        frame = lowering.modules[path]
        home = home_of_frame(frame) if isinstance(frame, ModuleFrame) else Module("", path, tree, frame.package)
        words = words_of(home.tree)
        made = [statement for statement, targets, _ in words.names if not names.isdisjoint(targets)]
        yield Called(home, [*made, *readers(home.tree, names)], kept=True)


def fill(lowering: Lowering, table: Node, key: Node) -> None:
    """Put into a table of another file what decorators put there under a key: functions and classes of all files.

    Where the key is not known, that is any of them, if these are few.
    """
    for path, names in holders_of(lowering, table):
        frame = lowering.modules[path]
        if lowering.view is None or not isinstance(frame, ModuleFrame):
            continue
        home = home_of_frame(frame)
        registrars = names | {function.name for function in readers(home.tree, names)}
        found: list[tuple[ModuleFrame, str]] = []
        for module in (home, *lowering.view.importers(registrars, path)):
            other = lowering.project.loaded(module)
            if not isinstance(other, ModuleFrame) or not decorated_in(module.tree):
                continue
            known = (registrars, set()) if module is home else names_of_other(lowering, other, home, registrars)
            uses = Uses(frozenset(known[0]), frozenset(known[1]), registrars)
            found += (
                (other, one.name) for one in decorated_in(module.tree) if uses.of(one.words) and one.is_under(key)
            )
        for other, name in found if key.op == CONST or len(found) <= MAX_ALTERNATIVES else ():
            other.read(name)


def holders_of(lowering: Lowering, table: Node | None = None) -> Iterator[tuple[str, frozenset[str]]]:
    """The names of top levels that stand for tables that functions have put others in, or for one, by file."""
    for path, frame in list(lowering.modules.items()):
        bound = frame.bound if isinstance(frame, ModuleFrame) else frame.env
        held = ((name, value) for name, value in bound.items() if isinstance(name, str))
        names = frozenset(name for name, value in held if holds(value, table))
        if names:
            yield path, names


def holds(value: Node, table: Node | None) -> bool:
    """Whether a value is a table, the one asked for or one that has grown, or a table, object or class that has it."""
    if value.op == DICT:
        found = value is table if table is not None else "grows" in value.attrs
        return found or any(one.op == DICT and holds(one, table) for one in value.args.values())
    if value.op not in (INSTANCE, CLASS):
        return False
    held = [
        *(value.attrs.get("fields") or {}).values(),
        *(t for c in value.attrs["cls"].mro() for t in c.tables.values()),
    ]
    return any(one.op == DICT and holds(one, table) for one in held)


def home_of_frame(frame: ModuleFrame) -> Module:
    """The file of a top level."""
    return Module("", frame.path, frame.tree, frame.package)


def readers(tree: ast.Module, names: frozenset[str]) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a file that use some of its names."""
    return [function for function, body in words_of(tree).functions.items() if not names.isdisjoint(body.words)]


@dataclass(frozen=True)
class Decorated:
    """A function or class of a top level that is decorated, with the names and the literals that are used for that."""

    name: str
    words: frozenset[str]
    literals: tuple[object, ...]

    def is_under(self, key: Node) -> bool:
        """Whether it may be what a table has under a key."""
        return key.op != CONST or key.attrs["value"] in (self.name, *self.literals)


@remembered
def decorated_in(tree: ast.Module) -> list[Decorated]:
    """The functions and classes of a file that are decorated."""
    found = []
    for statement in tree.body:
        if isinstance(statement, DEFINITIONS) and statement.decorator_list:
            code = [node for decorator in statement.decorator_list for node in descendants(decorator)]
            literals = tuple(node.value for node in code if isinstance(node, ast.Constant))
            found.append(Decorated(statement.name, words_in(code), literals))
    return found


@remembered
def sets_items(tree: ast.Module) -> bool:
    """Whether functions of a file set items of anything."""
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        for definition in tree.body
        if isinstance(definition, DEFINITIONS)
        for node in descendants(definition)
    )
