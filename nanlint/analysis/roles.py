"""What the functions of a file are for: which are trained through, by what the code does with them and by their names.

A name is a belief: it may make a gradient doubtful, and never says that there is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from nanlint.analysis.names import trained, untrained, words
from nanlint.frontend.lower import Lowering
from nanlint.frontend.modules import descendants
from nanlint.graph.node import Node

#: methods that a model is run by, and those that train it
FORWARD = frozenset({"forward", "call"})
TRAINING = frozenset({"training_step", "train_step", "compute_loss"})
#: methods of what was fitted before
FITTED = frozenset({"transform", "inverse_transform", "predict"})
#: last words of the classes whose objects are run by being called
MODULES = frozenset({"module", "layer", "model"})
#: words of functions that differentiate the function they are given
DIFFERENTIATE = frozenset(
    {"grad", "grads", "gradient", "gradients", "vjp", "jvp", "jacobian", "hessian", "jacrev", "jacfwd", "linearize"}
    | {"minimize", "minimise"}
)
#: and how a text that takes derivatives in JAX has it
TAKES = frozenset({"jax.grad", "import grad", "value_and_grad", "vjp", "jvp", "jac", "hessian", "linearize", "minimi"})
#: and what else their names say
BESIDE = frozenset({"aux", "and", "compute", "filter", "value"})
#: last names of what takes an optimizer step, from derivatives that were taken or made up before
STEPS = frozenset({"apply_updates", "apply_gradients"})

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def is_test(definition: ast.AST) -> bool:
    """Whether a definition is a test: a function or a class that is named like one, or derived from one."""
    if isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return words(definition.name)[:1] == ("test",)
    if not isinstance(definition, ast.ClassDef):
        return False
    named = [definition.name, *(ast.unparse(base).rpartition(".")[2] for base in definition.bases)]
    return any("test" in words(name) for name in named)


@dataclass(frozen=True)
class Opinion:
    """What a definition says of the gradients in it: ``trained`` through, or not; why, as a phrase.

    ``purpose``: what it is for by its name instead, one of those in ``names.UNTRAINED``. ``named``: only its name says
    that it is trained.
    """

    trained: bool
    why: str
    purpose: str = ""
    named: bool = False


class Roles:
    """What the functions and classes of one file are for."""

    def __init__(self, lowering: Lowering, tree: ast.Module, path: str) -> None:
        self.lowering = lowering
        self.tree = tree
        self.path = PurePath(path)
        self._elsewhere: dict[str, Roles] = {}

    def opinion(self, node: Node) -> Opinion | None:
        """What the functions say in which a node stands and through which it is called: that of training, if any."""
        found = [o for site in (node.site, *reversed(node.calls)) if (o := self.at(site)) is not None]
        return next((o for o in found if o.trained), found[0] if found else self.of_file)

    @cached_property
    def of_tests(self) -> bool:
        """Whether a test runner collects the file: by its name, and by what it defines."""
        name = words(self.path.stem)
        return (
            bool(name)
            and not {"test", "tests"}.isdisjoint((name[0], name[-1]))
            and any(map(is_test, descendants(self.tree)))
        )

    @cached_property
    def of_file(self) -> Opinion | None:
        """What the names of the file, its package and the one around that say."""
        for name in reversed(self.path.with_suffix("").parts[-3:]):
            if trained(name):
                return None
            if (purpose := untrained(name)) is not None:
                return Opinion(False, f"`{name}` {purpose}, judging by its name", purpose)
        return None

    def at(self, site: ast.AST | None) -> Opinion | None:
        """What the innermost definition around a place says that says anything, in this file or another."""
        home, row = self.lowering.graph.file_of(site), getattr(site, "lineno", 0)
        roles = self if home is None else self.of_other(home)
        around = [opinion for first, last, opinion in roles.opinions if first <= row <= last]
        return around[-1] if around else None

    def of_other(self, path: str) -> Roles:
        """The same of another file of the project that was lowered, by its path."""
        if path not in self._elsewhere:
            tree = getattr(self.lowering.modules.get(path), "tree", None) or ast.Module([], [])
            self._elsewhere[path] = Roles(self.lowering, tree, path)
        return self._elsewhere[path]

    def may_train(self, node: Node) -> bool:
        """Whether what is given to the functions around a node may be learned, or enter a loss.

        Unless the whole project is seen, and nothing is trained here, nor where the functions are called.
        """
        view, opinion = self.lowering.view, self.opinion(node)
        return (opinion is not None and opinion.trained) or view is None or not view.is_whole or self.trains

    @cached_property
    def trains(self) -> bool:
        """Whether the file makes or trains a model: then what stands beside that is believed to be part of it."""
        learned = {"variable", "linear", "gradient"}
        nodes = (n for n in self.lowering.graph if n.site is not None)
        here = any(d.trained for _, _, d in self.opinions)
        return here or any(n.op in learned or n.attrs.get("requires_grad") for n in nodes)

    def is_here(self, site: ast.AST | None) -> bool:
        """Whether a place is in the file that is checked, not in another of the project."""
        return self.lowering.graph.file_of(site) is None

    @cached_property
    def opinions(self) -> list[tuple[int, int, Opinion]]:
        """First and last row of every definition that says something, an inner one after the one it is in."""
        found = []
        for d in descendants(self.tree):
            if isinstance(d, DEFINITIONS) and (opinion := self.of(d)) is not None:
                found.append((d.lineno, d.end_lineno or d.lineno, opinion))
            elif (
                isinstance(d, ast.Assign)
                and isinstance(d.value, ast.Lambda)
                and any(last_name(t) in self.differentiated for t in d.targets)
            ):
                opinion = Opinion(True, "a derivative is taken of this function")
                found.append((d.lineno, d.end_lineno or d.lineno, opinion))
        return found

    def of(self, definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Opinion | None:
        name = definition.name
        if name in self.differentiated:
            return Opinion(True, "a derivative is taken of this function")
        if id(definition) in self.passes:
            return Opinion(True, "a model is trained through this function")
        if trained(name):
            return Opinion(True, f"`{name}` is used for training, judging by its name", named=True)
        purpose = untrained(name)
        if purpose is None and isinstance(definition, ast.ClassDef):
            purpose = purpose_of_bases(map(ast.unparse, definition.bases))
        if purpose is None and isinstance(definition, ast.ClassDef) and is_estimator(definition):
            return Opinion(False, f"`{name}` has a separate method for fitting", "prepares data")
        return Opinion(False, f"`{name}` {purpose}, judging by its name", purpose) if purpose is not None else None

    @cached_property
    def passes(self) -> set[int]:
        """The methods by which models are run or trained."""
        found: set[int] = set()
        for cls in self.lowering.defined_classes:
            bases = cls.external_bases()
            model = any(words(base.rpartition(".")[2])[-1:] and words(base)[-1] in MODULES for base in bases)
            for name, method in cls.methods.items() if purpose_of_bases(bases) is None else ():
                if bases and (name in FORWARD or name in TRAINING or (model and name == "__call__")):
                    found.add(id(method))
        return found

    def drives(self, node: Node) -> bool:
        """Whether a node stands in, or is called from, a function that trains: it takes derivatives, or applies them.

        Or it has others do so.
        """
        rows = {getattr(site, "lineno", 0) for site in (node.site, *node.calls) if self.is_here(site)}
        return any(d.lineno <= row <= (d.end_lineno or 0) for d in self.drivers for row in rows)

    @cached_property
    def drivers(self) -> list[ast.FunctionDef]:
        """The functions that take derivatives or an optimizer's step, and those that call them."""
        calls: dict[ast.FunctionDef, set[str]] = {}
        found: list[ast.FunctionDef] = []
        for d in descendants(self.tree):
            if isinstance(d, ast.FunctionDef):
                called = [n.func for s in d.body for n in descendants(s) if isinstance(n, ast.Call)]
                calls[d] = {name for f in called if (name := last_name(f))}
                if any(differentiates(f) or last_name(f) in STEPS for f in called):
                    found.append(d)
        for driver in found:
            found += [d for d in calls if d not in found and driver.name in calls[d]]
        return found

    @cached_property
    def frozen(self) -> set[str]:
        """The attributes that the file declares as not trained: buffers, and weights that are not trainable."""
        found: set[str] = set()
        for n in descendants(self.tree):
            if isinstance(n, ast.Call) and last_name(n.func) == "register_buffer" and n.args:
                found |= {str(a.value) for a in n.args[:1] if isinstance(a, ast.Constant)}
            elif isinstance(n, ast.Assign) and any(untrainable(c) for c in descendants(n.value)):
                found |= {t.attr for t in n.targets if isinstance(t, ast.Attribute)}
        return found

    @cached_property
    def undifferentiated_project(self) -> bool:
        """Whether the whole project is seen, and none of its files writes of what takes derivatives."""
        view = self.lowering.view
        return view is not None and view.is_whole and not view.files_mentioning(TAKES)

    @cached_property
    def differentiated(self) -> set[str]:
        """The names of the functions of which the file takes derivatives."""
        found: set[str] = set()
        for n in descendants(self.tree):
            if isinstance(n, ast.Call) and differentiates(n.func):
                found |= {name for given in (*n.args, *n.keywords) for name in names_in(given)}
            elif isinstance(n, ast.FunctionDef) and any(differentiates(d) for d in n.decorator_list):
                found.add(n.name)
        return found


def purpose_of_bases(bases: Iterable[str]) -> str | None:
    """What a class is for by the names of its bases, if nothing is differentiated in what does so."""
    return next((purpose for base in bases if (purpose := untrained(base.rpartition(".")[2]))), None)


def is_estimator(cls: ast.ClassDef) -> bool:
    """Whether a class is fitted to data, and then transforms data or predicts, as those of scikit-learn do."""
    methods = {f.name for f in cls.body if isinstance(f, ast.FunctionDef)}
    return "fit" in methods and bool(methods & FITTED) and not methods & (FORWARD | TRAINING)


def names_in(given: ast.AST) -> Iterator[str]:
    """The names of functions that an argument may be, or call."""
    for n in descendants(given):
        if isinstance(n, ast.Name | ast.Attribute):
            yield n.id if isinstance(n, ast.Name) else n.attr


def last_name(function: ast.expr) -> str:
    """The last part of a function's dotted name."""
    return function.attr if isinstance(function, ast.Attribute) else str(getattr(function, "id", ""))


def untrainable(call: ast.AST) -> bool:
    """Whether a call makes a weight that is not trained, or lets no gradient to what it is called on."""
    if not isinstance(call, ast.Call):
        return False
    set_to = {k.arg: k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)}
    if last_name(call.func) == "requires_grad_" and call.args and isinstance(call.args[0], ast.Constant):
        return not call.args[0].value
    return set_to.get("trainable") is False or set_to.get("requires_grad") is False


def differentiates(function: ast.expr) -> bool:
    """Whether a function, by the last part of its dotted name, takes derivatives of the function it is given."""
    if isinstance(function, ast.Call):
        return any(differentiates(f) for f in (function.func, *function.args))
    parts = set(words(last_name(function)))
    return bool(parts & DIFFERENTIATE) and parts <= DIFFERENTIATE | BESIDE
