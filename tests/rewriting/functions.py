"""Rewritings that compute a value in a function of its own: a helper, a lambda, a partial, a method, an object."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from tests.rewriting.code import (
    Block,
    Code,
    Function,
    at_place_of,
    call,
    free_locals,
    in_blocks,
    local_names,
    movable,
    name,
    own_nodes,
    parameters,
    simple_value,
)


def helpers(code: Code) -> int:
    """What a statement assigns or returns is computed by a function of the module."""
    return values_by_functions(code, lambda helper, arguments: call(helper, *arguments))


def partials(code: Code) -> int:
    """As by a helper, whose first argument is bound by ``functools.partial``."""

    def bound(helper: str, arguments: list[ast.expr]) -> ast.expr:
        partial = ast.Attribute(name("functools"), "partial", ast.Load())
        return call(call(partial, name(helper), *arguments[:1]), *arguments[1:])

    changes = values_by_functions(code, bound)
    if changes:
        code.define("import functools")
    return changes


def helpers_by_keyword(code: Code) -> int:
    """As by a helper, whose arguments are given by keyword, last first."""

    def named(helper: str, arguments: list[ast.expr]) -> ast.expr:
        keywords = [ast.keyword(a.id, a) for a in arguments if isinstance(a, ast.Name)]
        return ast.Call(name(helper), [], keywords[::-1])

    return values_by_functions(code, named)


def values_by_functions(code: Code, called: Callable[[str, list[ast.expr]], ast.expr]) -> int:
    changes = 0
    for function, around in code.functions():
        local = local_names(function, around)

        def change(s: ast.stmt, local: set[str] = local) -> Block | None:
            value = simple_value(s)
            if not movable(value) or (isinstance(value, ast.Call) and not value.args and not value.keywords):
                return None
            assert value is not None
            helper, given = code.fresh("_helper"), free_locals(value, local)
            code.define_function(helper, given, value)
            new = called(helper, [name(n) for n in given])
            s.value = at_place_of(new, value)  # type: ignore[attr-defined]
            return [s]

        changes += in_blocks(function, change)
    return changes


def operand_helpers(code: Code) -> int:
    """The operands of what a statement assigns or returns are computed by functions of the module."""
    changes = 0
    for function, around in code.functions():
        local = local_names(function, around)

        def operand(e: ast.expr, local: set[str] = local) -> ast.expr:
            nonlocal changes
            if not movable(e) or (isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant)):
                return e
            changes += 1
            helper, given = code.fresh("_operand"), free_locals(e, local)
            code.define_function(helper, given, e)
            return at_place_of(call(helper, *(name(n) for n in given)), e)

        def change(s: ast.stmt, operand: Callable[[ast.expr], ast.expr] = operand) -> Block | None:
            value = simple_value(s)
            if not movable(value):
                return None
            if isinstance(value, ast.BinOp):
                value.left, value.right = operand(value.left), operand(value.right)
            elif isinstance(value, ast.Call):
                value.args = [a if isinstance(a, ast.Starred) else operand(a) for a in value.args]
                if isinstance(value.func, ast.Attribute):
                    value.func.value = operand(value.func.value)
            return [s]

        in_blocks(function, change)
    return changes


def lambdas(code: Code) -> int:
    """What a statement assigns or returns is computed by a lambda that is called at once."""

    def change(s: ast.stmt) -> Block | None:
        value = simple_value(s)
        if not movable(value):
            return None
        assert value is not None
        nothing = ast.arguments([], [], None, [], [], None, [])
        s.value = at_place_of(ast.Call(ast.Lambda(nothing, value), [], []), value)  # type: ignore[attr-defined]
        return [s]

    return sum(in_blocks(function, change) for function, _ in code.functions())


def plain_functions(code: Code) -> list[Function]:
    """Functions of the module that return, with parameters that may be given by position."""
    return [
        f
        for f, around in code.functions()
        if not around
        and f in code.tree.body
        and not (f.args.vararg or f.args.kwarg or f.args.kwonlyargs or f.args.posonlyargs)
        and not any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Global)) for n in ast.walk(f))
    ]


def methods(code: Code) -> int:
    """What a function does is done by a method of a class; the function calls it."""
    found = plain_functions(code)
    for function in found:
        cls, given = code.fresh("Owner"), parameters(function)
        inner = ast.parse(f"def run(self, {', '.join(given)}):\n    pass").body[0]
        moved_into_class(code, function, cls, [inner], call(call(cls), *(name(p) for p in given)))
    return len(found)


def objects(code: Code) -> int:
    """What a function is given are attributes of an object, whose method does what the function did."""
    found = [f for f in plain_functions(code) if parameters(f) and not shadowed(f)]
    for function in found:
        cls, given = code.fresh("Task"), parameters(function)
        kept = "\n    ".join(f"self.{p} = {p}" for p in given)
        made = ast.parse(f"def __init__(self, {', '.join(given)}):\n    {kept}\ndef run(self):\n    pass").body
        body = ast.Module(function.body, [])
        Attributes(set(given)).visit(body)
        moved_into_class(code, function, cls, made, call(call(cls, *(name(p) for p in given))))
    return len(found)


def moved_into_class(code: Code, function: Function, cls: str, methods: list[ast.stmt], called: ast.Call) -> None:
    """Give the body of a function to the last one of the methods of a new class, and let the function call it."""
    run = methods[-1]
    assert isinstance(run, ast.FunctionDef)
    run.body = function.body
    definition = ast.parse(f"class {cls}:\n    pass").body[0]
    assert isinstance(definition, ast.ClassDef)
    definition.body = methods
    code.tree.body.insert(code.tree.body.index(function), definition)
    called.func = ast.Attribute(called.func, "run", ast.Load())
    function.body = [ast.Return(called)]


def shadowed(function: Function) -> bool:
    """Whether something within a function binds a name of its parameters anew, or deletes one."""
    given = set(parameters(function))
    inner = {a.arg for n in ast.walk(function) if n is not function for a in arguments_of(n)}
    targets = {
        n.id
        for c in ast.walk(function)
        if isinstance(c, ast.comprehension)
        for n in ast.walk(c.target)
        if isinstance(n, ast.Name)
    }
    deleted = any(isinstance(n, (ast.Delete, ast.Nonlocal)) for n in own_nodes(function))
    return bool(given & (inner | targets)) or deleted


def arguments_of(node: ast.AST) -> list[ast.arg]:
    return [*node.args.args, *node.args.kwonlyargs] if isinstance(node, (ast.FunctionDef, ast.Lambda)) else []


class Attributes(ast.NodeTransformer):
    """Makes names attributes of ``self``."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        return at_place_of(ast.Attribute(name("self"), node.id, copy.copy(node.ctx)), node)
