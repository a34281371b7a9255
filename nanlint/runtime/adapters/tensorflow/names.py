"""What the user calls a variable or a tensor of which a gradient is asked."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import tensorflow as tf
from tensorflow.python.ops import resource_variable_ops as _resource

from nanlint.runtime.adapter import Watch
from nanlint.runtime.adapters.tensorflow.places import Place, Places
from nanlint.runtime.hooks import Hooks

#: variables whose place is remembered
REMEMBERED = 10_000

#: what TensorFlow calls a variable that nobody has named
_UNNAMED = "Variable"


class Names:
    """Remembers where variables were made; a name is what is assigned to there, or what is written in the call."""

    def __init__(self, watch: Watch, places: Places) -> None:
        self._watch = watch
        self._places = places
        self._made: dict[str, Place] = {}
        self._hooks = Hooks(watch)

    def start(self) -> None:
        """Remember the places of variables from now on."""
        if not self._hooks:
            self._hooks.around(_resource.BaseResourceVariable, "__init__", self._make, "a TensorFlow variable")

    def stop(self) -> None:
        """Remember no more."""
        self._hooks.take_away()

    def _make(self, original: Callable[..., None], variable: Any, *args: Any, **kwargs: Any) -> None:
        original(variable, *args, **kwargs)
        if not isinstance(variable, _resource._UnreadVariable):  # which stands for one after a write in a graph
            self._remember(variable)

    def _remember(self, variable: Any) -> None:
        frames = self._places.frames() if str(variable.name).startswith(_UNNAMED) else ()
        if frames:
            self._made[variable._unique_id] = (frames[0].path, frames[0].line, frames[0].function)
            if len(self._made) > REMEMBERED:
                del self._made[next(iter(self._made))]

    def of(self, source: Any, i: int) -> str:
        """The name of a source of the gradient that is being asked for, which is number ``i`` of them."""
        named = getattr(source, "path", None) or (source.name if isinstance(source, tf.Variable) else None)
        if named is not None and not str(named).startswith(_UNNAMED):
            return str(named).removesuffix(":0")
        made = self._made.get(getattr(source, "_unique_id", ""))
        asked = next(iter(self._places.frames()), None)
        found = _assigned(made[0], made[1]) if made is not None else None
        found = found or (_asked(asked.path, asked.line, i) if asked is not None else None)
        if found is not None:
            return found
        if named is not None:
            return str(named).removesuffix(":0")
        return f"the tensor of shape {tuple(source.shape)}" if hasattr(source, "shape") else type(source).__name__


@lru_cache(maxsize=32)
def _tree(path: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return None


def _around(path: str, line: int, kinds: tuple[type[ast.AST], ...]) -> Iterator[Any]:
    """The nodes of some kinds that a line is part of, smaller ones first."""
    tree = _tree(path)
    found: list[Any] = [node for node in ast.walk(tree) if isinstance(node, kinds)] if tree is not None else []
    there = [(node.end_lineno - node.lineno, node) for node in found if node.lineno <= line <= node.end_lineno]
    yield from (node for _, node in sorted(there, key=lambda one: one[0]))


def _assigned(path: str, line: int) -> str | None:
    """What the result of a call on a line is assigned to, if that is one thing."""
    for node in _around(path, line, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if isinstance(node.value, ast.Call) and not isinstance(targets[0], (ast.Tuple, ast.List)):
            return ast.unparse(targets[0])
        return None
    return None


def _asked(path: str, line: int, i: int) -> str | None:
    """How source number ``i`` is written in the call on a line that asks for gradients."""
    for node in _around(path, line, (ast.Call,)):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "gradient":
            given = {word.arg: word.value for word in node.keywords}
            sources = given.get("sources", node.args[1] if len(node.args) > 1 else None)
            many = sources.elts if isinstance(sources, (ast.Tuple, ast.List)) else [sources] if sources else []
            one = many[i] if i < len(many) else None
            if isinstance(sources, (ast.Tuple, ast.List)) or i == 0:
                return ast.unparse(one) if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)) else None
            return None
    return None
