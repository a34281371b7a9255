"""Whose arrays values are: what a framework's function makes is its array, and what is given to one has to be.

That a file imports one framework says whose an unknown value is only where nothing in it makes other objects that have
operators: arrays of another library, lazy matrices, trees.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from nanlint.frontend.modules import descendants
from nanlint.frontend.syntax import last_name
from nanlint.graph.node import CONST, INSTANCE, PARAM, Node, unrefined, uses, walk
from nanlint.ops.frameworks import AGNOSTIC, ARRAYS_OF, MODELS, MODELS_OF_OTHERS, WITH_OPERATORS
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling, Spellings

#: operators behind each other that a value goes through: -(1 - x) / 2, and no whole formula
MAX_OPERATORS = 3
#: methods by which a class has operators
OPERATORS = frozenset({"__truediv__", "__rtruediv__", "__mul__", "__rmul__", "__add__", "__sub__"})


class Makers:
    """What may be asked of the values of one file. ``apart``: uses that say nothing of a value."""

    def __init__(
        self, tree: ast.Module, spellings: Spellings, apart: Callable[[Node], bool] = lambda user: False
    ) -> None:
        self.tree = tree
        self.spellings = spellings
        self.apart = apart
        self._known: dict[int, str | None] = {}

    def maker(self, node: Node) -> str | None:
        """The framework whose array a value is; None where nothing says so."""
        node = unrefined(node)
        if node.index not in self._known:
            # operands come first: sums of thousands are deeper than calls may be
            for one in sorted(walk(node, self._unknown), key=lambda n: n.index):
                self._known[one.index] = None
                self._known[one.index] = None if is_own(one) else self._made(one) or self._used(one)
        return self._known[node.index]

    def _unknown(self, node: Node) -> Iterator[Node]:
        """The operands that decide what a value is, and of which that is not known yet."""
        of = (unrefined(node[name]) for name in deciding(node) if node[name].index < node.index)
        return (one for one in of if one.index not in self._known)

    @cached_property
    def alone(self) -> str | None:
        """The framework of the file, if its values cannot well be anything else."""
        roots = self.roots & WITH_OPERATORS
        classes = (n for n in descendants(self.tree) if isinstance(n, ast.ClassDef))
        own = {f.name for c in classes for f in c.body if isinstance(f, ast.FunctionDef)}
        trees = any("tree" in name for name in imported(self.tree))
        if not own.isdisjoint(OPERATORS) or trees:
            return None
        return "tensorflow" if roots == {"tensorflow", "keras"} else roots.pop() if len(roots) == 1 else None

    @cached_property
    def roots(self) -> set[str]:
        """The packages that the file imports."""
        return {name.partition(".")[0] for name in imported(self.tree)}

    def takes(self, framework: str, maker: str | None) -> bool:
        """Whether the functions of a framework take an array; keras.ops and TensorFlow do where both are there."""
        maker = maker or self.alone
        both = {framework, maker} == {"tensorflow", "keras"} and "tensorflow" in self.roots
        return maker == ARRAYS_OF.get(framework, framework) or both

    def _made(self, node: Node) -> str | None:
        """By what makes it."""
        if node.op == CONST:
            return None
        spelling = node.spelling
        if spelling is not None and not spelling.is_method and spelling.framework not in AGNOSTIC:
            return whose(spelling)
        if spelling is not None and spelling.name.endswith(".numpy"):
            return "numpy"
        if node.op == PARAM:
            return ARRAYS_OF.get(node.framework or "", node.framework) or self._of_model(node)
        found = [self.maker(node[name]) for name in deciding(node) if node[name].index < node.index]
        return next((f for f in found if f is not None), None)

    def _of_model(self, parameter: Node) -> str | None:
        """By the class that it is given to a method of: a model of PyTorch's."""
        _, cls = parameter.attrs.get("of", (None, None))
        bases = {last_name(base) for base in getattr(cls, "bases", ())}
        return None if bases.isdisjoint(MODELS) or not self.roots.isdisjoint(MODELS_OF_OTHERS) else "torch"

    def _used(self, node: Node, depth: int = MAX_OPERATORS) -> str | None:
        """By the function of a framework, or a method of one alone, that it, or -it, or it + 1 is given to."""
        for user in uses(node):
            others = (arg for arg in user.args.values() if unrefined(arg) is not node)
            alone = user.spelling is None and user.op in OPS and all(arg.op == CONST for arg in others)
            if alone and OPS[user.op].pointwise and depth and (owner := self._used(user, depth - 1)) is not None:
                return owner
            if self.apart(user) or user.spelling is None or user.spelling.framework in AGNOSTIC:
                continue
            if user.spelling.is_method:
                receiver = unrefined(next(iter(user.args.values()))) is node
                owner = self.spellings.owner(user.spelling.name.rpartition(".")[2]) if receiver else None
            else:
                owner = whose(user.spelling)
            if owner is not None:
                return ARRAYS_OF.get(owner, owner)
        return None


def deciding(node: Node) -> Iterable[str]:
    """The operands by which it is known whose array a value is."""
    return node.args if node.spelling is None else [name for name in ("x",) if name in node.args]


def is_own(node: Node) -> bool:
    """Whether a value is an object of a class that is seen, or made of one element by element: of the same class then.

    So NumPy's functions do it, and the operators of such objects.
    """
    made = walk(unrefined(node), lambda n: n.args.values() if n.op in OPS and OPS[n.op].pointwise else ())
    return any(one.op == INSTANCE for one in made)


def whose(spelling: Spelling) -> str | None:
    """The framework whose arrays a function gives."""
    return ARRAYS_OF.get(spelling.framework, spelling.framework)


def imported(tree: ast.Module) -> Iterator[str]:
    """The dotted names that a file imports, anywhere."""
    for node in descendants(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
