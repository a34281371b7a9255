"""Rewritings that arrange or select the elements of an array on its way, and leave each what it is."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.rewriting.code import Block, Code, assigned_name, call, in_blocks, in_expressions, name
from tests.rewriting.variables import extract_variables


def arrays_changed(code: Code, changed: Callable[[ast.expr], ast.expr]) -> int:
    """Replace each result of a framework's function that is one array of numbers."""

    def change(e: ast.expr) -> ast.expr | None:
        return changed(e) if code.array_op(e) is not None else None

    return sum(in_expressions(function, change) for function, _ in code.functions())


def views(code: Code) -> int:
    """Results of functions are looked at through a view of all elements."""
    return arrays_changed(code, lambda e: ast.Subscript(e, ast.Constant(...), ast.Load()))


def indices(code: Code) -> int:
    """Results of functions get an axis more, of which the only element is taken."""

    def changed(e: ast.expr) -> ast.expr:
        more = ast.Subscript(e, ast.Constant(None), ast.Load())
        return ast.Subscript(more, ast.Constant(0), ast.Load())

    return arrays_changed(code, changed)


def selections(code: Code) -> int:
    """Each result of a function goes through a selection both sides of which are it."""
    extract_variables(code)

    def change(s: ast.stmt) -> Block | None:
        variable = assigned_name(s)
        if variable is None or not isinstance(s, ast.Assign):
            return None
        spelling = code.array_op(s.value)
        where = code.framework_function("where", spelling.framework) if spelling is not None else None
        if where is None:
            return None
        above = ast.Compare(name(variable), [ast.Gt()], [ast.Constant(0)])
        selected = call(where, above, name(variable), name(variable))
        return [s, ast.Assign([ast.Name(variable, ast.Store())], selected)]

    return sum(in_blocks(function, change) for function, _ in code.functions())
