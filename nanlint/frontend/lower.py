"""Source to graph: the parts of the front end, and what they share."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection
from contextlib import nullcontext, suppress

from nanlint.frontend.builder import Builder
from nanlint.frontend.callers import callers_elsewhere
from nanlint.frontend.calls import Calls
from nanlint.frontend.classes import Classes
from nanlint.frontend.containers import Containers
from nanlint.frontend.expressions import Expressions
from nanlint.frontend.formats import default_format
from nanlint.frontend.frames import ClassInfo, Frame, Name
from nanlint.frontend.functions import Functions
from nanlint.frontend.inference import Inference
from nanlint.frontend.modules import descendants, functions_of
from nanlint.frontend.operations import Operations
from nanlint.frontend.parameters import Parameters
from nanlint.frontend.project import Project
from nanlint.frontend.registries import kept_in_tables
from nanlint.frontend.scopes import Scopes
from nanlint.frontend.statements import Statements
from nanlint.frontend.worth import breaks_at_top_level, interesting, joins, leading_to
from nanlint.graph.node import Graph, Node
from nanlint.interrupt import OutOfBudget
from nanlint.ops.floats import FLOAT32
from nanlint.ops.spelling import Spellings
from nanlint.source.project import Module, View


class Lowering:
    """A file that is being lowered, then its graph. One per file: the parts that lower it, and what they share."""

    def __init__(
        self,
        spellings: Spellings,
        frameworks: tuple[str, ...],
        package: tuple[str, ...] = (),
        view: View | None = None,
    ) -> None:
        self.graph = Graph(view.path if view is not None else "")
        self.spellings = spellings
        self.frameworks = frameworks
        self.package = package
        self.view = view
        #: that of numbers of which nothing else is said
        self.format = FLOAT32
        self.frame = self.module = Frame()
        self.module.package = package or (view.package if view is not None else ())
        #: top levels of files of the project, by path
        self.modules: dict[str, Frame] = {view.path: self.module} if view is not None else {}
        self.defined_classes: list[ClassInfo] = []
        #: functions that are lowered for themselves once the module level is
        self.deferred: list[tuple[Node, Frame]] = []
        #: rows whose expressions are remembered, with their node in each activation (which its calls tell)
        self.watched: Collection[int] = ()
        self.readings: dict[ast.expr, list[tuple[tuple[ast.AST, ...], Node]]] = {}
        #: nodes that leave the code that computes them -> how (RETURNED, KEPT on an object, or OTHER ways)
        self.escapes: dict[int, str] = {}
        #: nodes that functions were given that are followed: what these do not use waits for no use
        self.given: set[int] = set()
        #: functions that transform gradients; rules of derivatives, and which of their parameters holds tangents
        self.without_gradient: set[int] = set()
        self.derivative_rules: dict[int, int | None] = {}
        self.builder = Builder(self)
        self.scopes = Scopes(self)
        self.containers: Containers = Containers(self)
        self.operations = Operations(self)
        self.classes = Classes(self)
        self.project = Project(self)
        self.parameters = Parameters(self)
        self.functions: Functions = Functions(self)
        self.calls: Calls = Calls(self)
        self.expressions = Expressions(self)
        self.statements = Statements(self)

    def release(self) -> None:
        """Let go of the graph, and of the frames, which hold each other: nothing is asked any more."""
        self.graph.release()
        vars(self).clear()


def lower(
    tree: ast.Module,
    spellings: Spellings,
    frameworks: tuple[str, ...],
    words: frozenset[str],
    package: tuple[str, ...] = (),
    watched: Collection[int] = (),
    view: View | None = None,
    *,
    alone: bool = False,
) -> Lowering:
    """The graph of a file: its module level, then every function worth it with unknown parameters.

    ``words``: last names of calls that make a function worth it. ``package``: the file's own, for its relative imports.
    ``watched``: rows whose functions are worth it in any case, and whose ``readings`` are kept; ``alone``: these
    and those that may come to them, and no others. ``view``: the other files of the project.
    """
    lowering = Lowering(spellings, frameworks, package, view)
    lowering.watched = watched
    if view is not None:
        lowering.project.inference = Inference(view, Module("", view.path, tree, lowering.module.package))
    lowering.format = default_format(tree, frameworks, view)
    imported = lowering.project.numeric_names(tree, words)
    wanted = interesting(tree, words, imported)
    if not (wanted or watched or breaks_at_top_level(tree, words | imported) or (view is not None and joins(tree))):
        return lowering
    # a file that takes all names of one that takes all of its own has some now
    lowering.project.exports.clear()
    # what was lowered when the time is up is checked
    with nullcontext() if alone else suppress(OutOfBudget):
        lower_all(lowering, tree, words, wanted, watched, alone=alone)
    lowering.graph.frozen = True
    return lowering


def lower_all(
    lowering: Lowering,
    tree: ast.Module,
    words: frozenset[str],
    wanted: set[ast.AST],
    watched: Collection[int],
    *,
    alone: bool,
) -> None:
    """The module level of a file, and the functions of it that are wanted."""
    lowering.statements.block(tree.body)
    lowering.frame.live = True
    for s in descendants(tree):
        if isinstance(s, ast.Global):
            lowering.scopes.forget_globals(lowering.module, s.names, s)
    lowering.scopes.forget_attributes(tree)
    if watched:
        rows = sorted(watched)
        first = ((f, bisect_left(rows, f.lineno)) for f, _ in functions_of(tree))
        inside = {f for f, at in first if at < len(rows) and rows[at] <= (f.end_lineno or 0)}
        wanted = leading_to(tree, inside) if alone else wanted | inside
    private = list(lowering.functions.methods_by_themselves(wanted))
    callers = callers_elsewhere(lowering, tree, wanted, words, kept_in_tables(lowering, tree))
    while True:
        named: dict[Node, list[Name]] = {}
        for name, value in lowering.module.env.items() if lowering.deferred else ():
            named.setdefault(value, []).append(name)
        while lowering.deferred:
            node = lowering.deferred.pop(0)[0]
            definition = node.attrs["definition"]
            names = named.get(node, [])
            if names and not isinstance(definition, ast.Lambda) and definition not in wanted:
                continue
            if all(str(name).startswith("_") for name in names):
                private.append(node)
            else:
                lowering.functions.standalone(node)
        for caller in callers:
            lowering.functions.standalone(caller)
        if not lowering.deferred and not private:
            break
        # what is private to the file is known by its calls; only what nothing calls is lowered with unknown arguments
        if not lowering.deferred and id((node := private.pop(0)).attrs["definition"]) not in lowering.functions.inlined:
            lowering.functions.standalone(node)
