"""The outline of a file: which names are bound where, what may run between two places of a function. Only syntax."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | Comprehension

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")

#: methods whose result shares memory with the receiver
_VIEWS = frozenset(
    (
        *(
            "view",
            "reshape",
            "transpose",
            "permute",
            "swapaxes",
            "t",
            "squeeze",
            "unsqueeze",
            "flatten",
            "ravel",
            "expand",
        ),
        *("expand_as", "detach", "numpy", "to", "contiguous", "narrow", "select", "diagonal", "asarray"),
    )
)
#: what is called for its effect elsewhere and leaves its arguments alone
_HARMLESS = frozenset(
    (
        *("print", "write", "append", "log", "debug", "info", "warning", "error", "exception", "critical"),
        *("add_scalar", "add_histogram"),
    )
)


class Outline:
    """Parents, scopes and blocks of one syntax tree. ``is_pure`` tells calls that have no effect."""

    def __init__(self, tree: ast.Module, is_pure: Callable[[ast.Call], bool] = lambda call: False) -> None:
        self.tree = tree
        self.is_pure = is_pure
        self.parents: dict[ast.AST, ast.AST] = {}
        #: of what stands in a block: which block of its parent, and at which place
        self._places: dict[ast.AST, tuple[str, int]] = {}
        pending: list[ast.AST] = [tree]
        while pending:
            node = pending.pop()
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
                pending.append(child)
            for field in _BLOCKS:
                block = getattr(node, field, None)
                if isinstance(block, list):
                    self._places.update((child, (field, at)) for at, child in enumerate(block))
        # what was asked once, by scope or piece of syntax
        self._bound: dict[ast.AST, dict[str, list[ast.AST]]] = {}
        self._mentioned: dict[ast.AST, frozenset[str]] = {}
        self._targeted: dict[ast.AST, frozenset[tuple[str, bool]]] = {}
        self._changing: dict[ast.AST, list[ast.stmt]] = {}
        self._others: dict[ast.AST, list[ast.AST]] = {}
        self._aliases: dict[ast.AST, dict[str, set[str]]] = {}

    # Where a node stands

    def above(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Pairs (parent, child) from the node up to the module."""
        while (parent := self.parents.get(node)) is not None:
            yield parent, node
            node = parent

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that holds a node."""
        if isinstance(node, ast.stmt):
            return node
        return next((parent for parent, _ in self.above(node) if isinstance(parent, ast.stmt)), None)

    def block(self, statement: ast.AST) -> Sequence[ast.AST]:
        """The statements among which a statement stands."""
        if statement not in self._places:
            return ()
        block: Sequence[ast.AST] = getattr(self.parents[statement], self._places[statement][0])
        return block

    def _in_body(self, child: ast.AST) -> bool:
        return self._places.get(child, ("", 0))[0] == "body"

    def scopes(self, node: ast.AST) -> Iterator[Scope]:
        """Scopes whose names a node sees, innermost first; a function's own defaults and decorators are outside it."""
        innermost = True
        for parent, child in self.above(node):
            if isinstance(parent, ast.Module):
                yield parent
            elif isinstance(parent, ast.ClassDef):
                if innermost and self._in_body(child):
                    yield parent
                    innermost = False
            elif isinstance(parent, ast.Lambda):
                if child is parent.body:
                    yield parent
                    innermost = False
            elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if self._in_body(child):
                    yield parent
                    innermost = False
            elif isinstance(parent, COMPREHENSIONS) and not self._first_iterable(parent, child, node):
                yield parent
                innermost = False

    def _first_iterable(self, comprehension: Comprehension, child: ast.AST, node: ast.AST) -> bool:
        """Whether a node stands in the iterable of the first ``for``, which the enclosing scope evaluates."""
        first = comprehension.generators[0]
        if child is not first:
            return False
        return any(c is first.iter for c in (node, *(child for _, child in self.above(node))))

    def function(self, node: ast.AST) -> Scope:
        """The innermost function, lambda or module whose run a node is part of."""
        for scope in self.scopes(node):
            if isinstance(scope, (ast.Module, *_FUNCTIONS)):
                return scope
        return self.tree

    # Names

    def bound(self, scope: Scope) -> dict[str, list[ast.AST]]:
        """Names a scope binds, with the nodes that bind them."""
        found = self._bound.get(scope)
        if found is None:
            found = self._bound[scope] = _bindings(scope)
        return found

    def binding(self, name: str, at: ast.AST) -> tuple[Scope, list[ast.AST]] | None:
        """The scope in which a name is looked up from a place, and what binds it there; None for a builtin."""
        for scope in self.scopes(at):
            found = self.bound(scope).get(name)
            if found:
                return scope, found
        return None

    def given(self, binder: ast.AST, name: str) -> ast.expr | None:
        """What a name is given where it is bound: the default of a parameter, or the value of an assignment."""
        arguments = self.parents.get(binder)
        if not isinstance(arguments, ast.arguments):
            statement = self.statement(binder)
            return assigned(statement, name) if statement is not None else None
        last = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(reversed(last), reversed(arguments.defaults), strict=False)]
        pairs += zip(arguments.kwonlyargs, (d or ast.Constant(None) for d in arguments.kw_defaults), strict=True)
        return next((default for one, default in pairs if one is binder), None)

    def mentions(self, name: str, scope: ast.AST) -> bool:
        """Whether a name occurs in a scope or in scopes inside it, in whatever role."""
        if scope not in self._mentioned:
            self._mentioned[scope] = frozenset(named for node in ast.walk(scope) for named in _mentioned_by(node))
        return name in self._mentioned[scope]

    # What names stand for, and what changes that

    def definition(self, name: ast.Name) -> tuple[ast.stmt, ast.expr] | None:
        """The last assignment to a local variable above a place, and the expression assigned.

        Whether it is the one that reaches there is for the graph to say.
        """
        scope, here = self.binding(name.id, name), self.statement(name)
        if scope is None or scope[0] is not self.function(name) or here is None:
            return None
        binding = (statement for one in scope[1] if (statement := self.statement(one)) is not None)
        above = [one for one in binding if (one.end_lineno, one.end_col_offset) <= (here.lineno, here.col_offset)]
        last = max(above, key=lambda one: one.lineno, default=None)
        value = assigned(last, name.id) if last is not None else None
        return (last, value) if last is not None and value is not None else None

    def changes(self, region: ast.AST, name: str) -> bool:
        """Whether running a node may rebind a variable or change what it holds."""
        return (name, False) in self._changes(region) or self.changes_in_place(region, name)

    def changes_in_place(self, region: ast.AST, name: str) -> bool:
        """Whether running a node may change what a variable holds, under this or another name."""
        changed = {target for target, in_place in self._changes(region) if in_place and target}
        return name in changed or not changed.isdisjoint(self.aliases(name, region))

    def others_between(self, e: ast.AST, at: ast.AST) -> Iterator[ast.AST]:
        """Where code that is not seen runs after an expression and before a place of its function, or in between turns.

        That is whoever takes what is yielded, other tasks, and what is called back.
        """
        first, last = sorted((e, at), key=_start)
        around = {parent for parent, _ in self.above(first)}
        turns = [
            p for p, _ in self.above(last) if isinstance(p, (ast.For, ast.AsyncFor, ast.While)) and p not in around
        ]
        end = _end(turns[-1]) if turns else _start(last)
        scope = self.function(at)
        if scope not in self._others:
            inside = (node for node in ast.walk(scope) if self.function(node) is scope)
            self._others[scope] = [node for node in inside if self._runs_others(node)]
        return (node for node in self._others[scope] if _end(first) <= _end(node) <= end)

    def _runs_others(self, node: ast.AST) -> bool:
        """Whether a node hands the run on to what is not seen: a parameter, or an attribute that is called for that."""
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(node, ast.Call) or self.is_pure(node):
            return False
        if isinstance(node.func, ast.Name):
            found = self.binding(node.func.id, node)
            return found is not None and any(isinstance(one, ast.arg) for one in found[1])
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        held = called not in _HARMLESS and root_of(node.func) in ("self", "cls")
        return held and isinstance(self.parents.get(node), ast.Expr)

    def changing(self, scope: Scope) -> list[ast.stmt]:
        """The statements in a scope, and in scopes inside it, that change what a variable holds in place."""
        if scope not in self._changing:
            statements = (one for one in ast.walk(scope) if isinstance(one, (ast.Expr, ast.Assign, ast.AugAssign)))
            changed = (one for one in statements if any(in_place for _, in_place in self._changes(one)))
            self._changing[scope] = list(changed)
        return self._changing[scope]

    def _changes(self, region: ast.AST) -> frozenset[tuple[str, bool]]:
        """(variable, whether in place) that running a node rebinds or changes."""
        if region not in self._targeted:
            self._targeted[region] = frozenset(target for node in ast.walk(region) for target in self._targets(node))
        return self._targeted[region]

    def _targets(self, node: ast.AST) -> Iterator[tuple[str, bool]]:
        """(variable, whether in place) that a node rebinds or changes."""
        for name in _bound_by(node):
            yield name, False
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            yield root_of(node), True
        elif isinstance(node, ast.AugAssign):
            yield root_of(node.target), True
        elif isinstance(node, ast.Call):
            if (
                isinstance(node.func, ast.Attribute)
                and node.func.attr.endswith("_")
                and not node.func.attr.endswith("__")
            ):
                yield root_of(node.func.value), True
            for keyword in node.keywords:
                if keyword.arg == "out":
                    yield root_of(keyword.value), True
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not self.is_pure(node.value):
            # A call whose result nobody takes is made for its effect.
            call = node.value
            called = (
                call.func.attr
                if isinstance(call.func, ast.Attribute)
                else call.func.id
                if isinstance(call.func, ast.Name)
                else ""
            )
            if called not in _HARMLESS and not called.startswith(("assert", "check", "_check", "validate")):
                if isinstance(call.func, ast.Attribute):
                    yield root_of(call.func.value), True
                for argument in (*call.args, *(k.value for k in call.keywords)):
                    yield root_of(argument), True

    def aliases(self, name: str, at: ast.AST) -> set[str]:
        """Variables of the function that may share memory with a variable."""
        scope = self.function(at)
        if scope not in self._aliases:
            found = self._aliases[scope] = {}
            for statement in ast.walk(scope):
                if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                    continue
                target, source = statement.targets[0], shares_memory_with(statement.value)
                if source and isinstance(target, ast.Name):
                    found.setdefault(source, set()).add(target.id)
                    found.setdefault(target.id, set()).add(source)
        return self._aliases[scope].get(name, set())


def _mentioned_by(node: ast.AST) -> Iterable[str]:
    """The names that a node mentions itself, in whatever role."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0],)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    return (name,) if isinstance(name := getattr(node, "name", None), str) else ()


def _bindings(scope: Scope) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    outside: set[str] = set()
    pending: list[ast.AST]
    if isinstance(scope, COMPREHENSIONS):
        pending = [g.target for g in scope.generators]
    elif isinstance(scope, ast.Lambda):
        pending = [scope.body]
    else:
        pending = list(scope.body)
    if isinstance(scope, _FUNCTIONS):
        a = scope.args
        for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
            if arg is not None:
                found.setdefault(arg.arg, []).append(arg)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
        for name in _bound_by(node):
            found.setdefault(name, []).append(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            pending.extend(node.decorator_list)
        elif isinstance(node, COMPREHENSIONS):
            pending.extend(n for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        elif not isinstance(node, ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    for name in outside:
        found.pop(name, None)
    return found


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def root_of(e: ast.AST) -> str:
    """The variable at the root of a chain of attributes, items and calls; "" where there is none."""
    while True:
        if isinstance(e, (ast.Attribute, ast.Subscript, ast.Starred)):
            e = e.value
        elif isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
            e = e.func.value
        else:
            return e.id if isinstance(e, ast.Name) else ""


def shares_memory_with(e: ast.expr) -> str:
    """The variable of which an expression may be a view; "" for new values."""
    while True:
        if isinstance(e, ast.Name):
            return e.id
        if isinstance(e, (ast.Subscript, ast.Attribute)):
            e = e.value
        elif isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr in _VIEWS:
            e = e.args[0] if e.func.attr == "asarray" and e.args else e.func.value
        else:
            return ""


def assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    """The expression that a plain assignment gives a variable; None if it does not assign it, or not so simply."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.value if statement.target.id == name else None
    if not isinstance(statement, ast.Assign):
        return None
    found = [value for target in statement.targets for value in _matched(target, statement.value, name)]
    return found[0] if len(found) == 1 else None


def _matched(target: ast.expr, value: ast.expr, name: str) -> Iterable[ast.expr]:
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        parts = (*target.elts, *value.elts)
        if len(target.elts) == len(value.elts) and not any(isinstance(p, ast.Starred) for p in parts):
            pairs = zip(target.elts, value.elts, strict=True)
            return [found for t, v in pairs for found in _matched(t, v, name)]
    return []
