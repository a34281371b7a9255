"""The format of the numbers of a file of which nothing else is said."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nanlint.frontend.modules import descendants
from nanlint.ops.floats import FLOAT32, FLOAT64, Format
from nanlint.ops.frameworks import DOUBLE_PRECISION, DOUBLE_SWITCHES, SINGLE_PRECISION

if TYPE_CHECKING:
    from nanlint.source.project import View


def default_format(tree: ast.Module, frameworks: Iterable[str], view: View | None) -> Format:
    """Double precision where no framework of the file computes in single precision, or where it is switched to double.

    The switch may be anywhere in the file, and at the top level of the modules of its project, tests apart.
    """
    imported = {root for statement in tree.body for root in roots_of(statement)}
    single = SINGLE_PRECISION.intersection(frameworks)
    if not single or (imported & DOUBLE_PRECISION and not imported & SINGLE_PRECISION):
        return FLOAT64
    words = frozenset(word for framework in single for word in DOUBLE_SWITCHES.get(framework, ()))
    if not words or not SINGLE_PRECISION & imported <= DOUBLE_SWITCHES.keys():
        return FLOAT32
    if any(switches(node, words) for node in descendants(tree)):
        return FLOAT64
    elsewhere = view.mentioning(words) if view is not None and not view.installed else ()
    modules = (module for module in elsewhere if not is_of_tests(module.path))
    found = any(switches(node, words) for module in modules for node in at_top_level(module.tree))
    return FLOAT64 if found else FLOAT32


def roots_of(statement: ast.stmt) -> Iterable[str]:
    """The packages that a statement imports from."""
    if isinstance(statement, ast.Import):
        return [alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return [(statement.module or "").partition(".")[0]]
    return ()


def switches(node: ast.AST, words: frozenset[str]) -> bool:
    """Whether something is set to true under one of some names: by a call, as an attribute, in the environment."""
    if isinstance(node, ast.Call):
        if any(keyword.arg in words and is_true(keyword.value) for keyword in node.keywords):
            return True
        if named(node.func, words):
            return all(map(is_true, node.args))
        return len(node.args) == 2 and named(node.args[0], words) and is_true(node.args[1])
    if not isinstance(node, ast.Assign) or not is_true(node.value):
        return False
    keys = (target.slice if isinstance(target, ast.Subscript) else target for target in node.targets)
    return any(named(key, words) for key in keys)


def named(node: ast.AST, words: frozenset[str]) -> bool:
    """Whether a string, or an attribute, is one of some names."""
    if isinstance(node, ast.Attribute):
        return node.attr in words
    return isinstance(node, ast.Constant) and node.value in words


def is_true(node: ast.expr) -> bool:
    """Whether a literal says yes, also as the environment has it."""
    return isinstance(node, ast.Constant) and str(node.value).lower() in ("true", "1")


def at_top_level(tree: ast.Module) -> Iterable[ast.AST]:
    """What runs when a module is imported."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return (node for statement in tree.body if not isinstance(statement, kinds) for node in descendants(statement))


def is_of_tests(path: str) -> bool:
    """Whether a file belongs to the tests of a project, by its name or a directory's."""
    *directories, name = os.path.normpath(path).split(os.sep)
    own = name.removesuffix(".py").split("_")
    return name == "conftest.py" or "test" in own or not {"test", "tests"}.isdisjoint(directories)
