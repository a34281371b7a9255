"""What lowering knows while it walks: functions, classes, the frame of one activation and its facts."""

from __future__ import annotations

import ast
from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from nanlint.graph.layers import Layers, gathered, laid, said_in
from nanlint.graph.node import Node, Region
from nanlint.graph.path import NOTHING, Known, PathCondition, common

FunctionAst: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

#: a name, or ("field", key of the object, attribute), ("item", key of the array, key of the index) for what was stored
Name: TypeAlias = Any


@contextmanager
def kept(owner: object, *names: str) -> Iterator[None]:
    """What something has under these names is as it was again behind a block."""
    before = [(name, getattr(owner, name)) for name in names]
    try:
        yield
    finally:
        for name, value in before:
            setattr(owner, name, value)


class Env(MutableMapping[Name, Node]):
    """Variables as a function runs. A copy is made at once, and costs no more than what was set since the last one."""

    __slots__ = ("_layers", "_order", "_own")

    def __init__(self, layers: Layers[Name, Node | None] = (), order: dict[Name, int] | None = None) -> None:
        self._layers = layers
        #: what was set since the last copy was made; None where it was deleted
        self._own: dict[Name, Node | None] = {}
        #: of all names that were ever set, on whatever path, when they were first set
        self._order = {} if order is None else order

    def __setitem__(self, name: Name, node: Node) -> None:
        self._own[name] = node
        self._order.setdefault(name, len(self._order))

    def __delitem__(self, name: Name) -> None:
        self[name]
        self._own[name] = None

    def get(self, name: Name, default: Any = None) -> Any:
        """What a name stands for."""
        found = self._own.get(name)
        if found is None and name not in self._own:
            found = said_in(self._layers, name)
        return default if found is None else found

    def __getitem__(self, name: Name) -> Node:
        found: Node | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def _all(self) -> dict[Name, Node]:
        return {name: node for name, node in gathered((*self._layers, self._own)).items() if node is not None}

    def __iter__(self) -> Iterator[Name]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def items(self) -> ItemsView[Name, Node]:
        """Names and what they stand for, as they are now."""
        return self._all().items()

    def values(self) -> ValuesView[Node]:
        """What names stand for now."""
        return self._all().values()

    def copy(self) -> Env:
        """The same variables, to be set to something else."""
        if self._own:
            self._layers, self._own = laid(self._layers, self._own), {}
        return Env(self._layers, self._order)

    def changed(self, since: Env) -> list[Name]:
        """The names that may have been set here or there since the paths parted, those first that were first set."""
        here, there = ((*env._layers, env._own) for env in (self, since))
        shared = set(map(id, here)) & set(map(id, there))
        own = {name for layer in (*here, *there) if id(layer) not in shared for name in layer}
        return sorted(own, key=self._order.__getitem__)


@dataclass(eq=False)
class ClassInfo:
    """A class: its body, bases by name, methods and class-level assignments."""

    name: str
    definition: ast.ClassDef
    bases: list[Node] = field(default_factory=list)
    methods: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    stores: Mapping[str, int] = field(default_factory=dict)
    scope: Frame | None = None
    #: the dicts among its class-level assignments that were asked for
    tables: dict[str, Node] = field(default_factory=dict)

    def mro(self) -> list[ClassInfo]:
        """This class and its bases whose code is seen, depth first; what several share comes after these."""
        found: list[ClassInfo] = []
        pending: list[ClassInfo] = [self]
        while pending and len(found) < 20:
            cls = pending.pop(0)
            found.append(cls)
            pending = [b.attrs["cls"] for b in cls.bases if "cls" in b.attrs] + pending
        return list(dict.fromkeys(reversed(found)))[::-1]

    def external_bases(self) -> list[str]:
        """Names of the bases that are not in this file, dotted where their code is not seen."""
        return [b.name for c in self.mro() for b in c.bases if "cls" not in b.attrs or b.external_site is not None]

    @property
    def is_record(self) -> bool:
        """Whether its objects are tuples of their fields."""
        return any(base.endswith("NamedTuple") for base in self.external_bases())

    @cached_property
    def raises(self) -> bool:
        """Whether the constructor raises itself on some of what it is given."""
        found = self.method("__init__")
        return found is not None and any(isinstance(n, ast.Raise | ast.Assert) for n in ast.walk(found[1]))

    def constant(self, name: str) -> tuple[ClassInfo, ast.expr] | None:
        """The class-level assignment an attribute finds, and the class that has it."""
        return next(((c, c.constants[name]) for c in self.mro() if name in c.constants), None)

    def method(self, name: str) -> tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef] | None:
        """The method a call finds, and the class that defines it."""
        return next(((c, c.methods[name]) for c in self.mro() if name in c.methods), None)


@dataclass(eq=False)
class Frame:
    """One activation of a function (or the module): its variables, facts, regions, returns.

    ``facts``: what the path taken says. ``returns``: the values returned, each with what the path to it said;
    ``exits``: what the path to any return said. ``declared``: names that are global or nonlocal here -> the frame they
    belong to. ``caller``: the frame whose code led to this one last; a module of another file has none.
    """

    parent: Frame | None = None
    caller: Frame | None = None
    function: FunctionAst | None = None
    env: Env = field(default_factory=Env)
    facts: PathCondition = NOTHING
    regions: tuple[Region, ...] = ()
    calls: tuple[ast.AST, ...] = ()
    returns: list[tuple[Node, PathCondition]] = field(default_factory=list)
    exits: list[PathCondition] = field(default_factory=list)
    yields: list[Node] = field(default_factory=list)
    live: bool = True
    depth: int = 0
    this: Node | None = None
    cls: ClassInfo | None = None
    breaks: list[tuple[Env, PathCondition]] = field(default_factory=list)
    declared: dict[str, Frame] = field(default_factory=dict)
    #: checks that all that leaves has passed, each with the number of nodes before it, and what it says
    checks: list[tuple[int, Known]] = field(default_factory=list)
    #: of a module: what its relative imports start from, and the frameworks that it imports by name
    package: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()

    @property
    def top(self) -> Frame:
        """The module that it is in, in the end."""
        frame = self
        while frame.parent is not None:
            frame = frame.parent
        return frame

    @property
    def facts_behind(self) -> PathCondition | None:
        """What holds once it has returned; None if it never does."""
        exits = [*self.exits, self.facts] if self.live else self.exits
        return common(exits) if exits else None

    def lookup(self, name: Any) -> Node | None:
        """The variable's value here or in an enclosing function or the module."""
        frame: Frame | None = self
        while frame is not None:
            found: Node | None = frame.env.get(name)
            if found is None and frame.parent is None and isinstance(name, str):
                found = frame.read(name)
            if found is not None:
                return found
            frame = frame.parent
        return None

    def read(self, name: str) -> Node | None:
        """What a module binds that has not been lowered yet."""
        return None
