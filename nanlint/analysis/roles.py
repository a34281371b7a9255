"""What the functions of a file are for: which are trained through, by what the code does with them and by their names.

A name is a belief: it may make a gradient doubtful, and never says that there is none.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePath

from nanlint.analysis.names import trained, untrained, words
from nanlint.disk import has_marker
from nanlint.frontend.callers import FunctionDef, words_of
from nanlint.frontend.formats import is_of_tests
from nanlint.frontend.lower import Lowering
from nanlint.frontend.modules import descendants, words_in
from nanlint.graph.node import PARAM, Node, reached
from nanlint.ops.frameworks.training import DENSITIES, FITTED, FORWARD, STEPS, TAKES, TRAINING
from nanlint.source.syntax import remembered

#: last words of the classes whose objects are run by being called
MODULES = frozenset({"module", "layer", "model"})
#: words of functions that differentiate what they are given
DIFFERENTIATE = frozenset(
    {"grad", "grads", "gradient", "gradients", "vjp", "jvp", "jacobian", "hessian", "jacrev", "jacfwd", "linearize"}
    | {"minimize", "minimise", "backward", "gradcheck", "gradgradcheck"}
)
#: and what else their names say
BESIDE = frozenset({"aux", "and", "check", "compute", "filter", "value"})
#: functions that are looked at, from one to its users, theirs, and so on
MAX_USERS = 40

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

    ``named``: only its name says that it is trained.
    """

    trained: bool
    why: str
    named: bool = False


class Roles:
    """What the functions and classes of one file are for."""

    def __init__(self, lowering: Lowering, tree: ast.Module, path: str) -> None:
        self.lowering = lowering
        self.tree = tree
        self.path = PurePath(path)
        self._elsewhere: dict[str, Roles] = {}
        self._users: dict[FunctionDef, str | None] = {}

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
                return Opinion(False, f"`{name}` {purpose}, judging by its name")
        return None

    def at(self, site: ast.AST | None) -> Opinion | None:
        """What the innermost definition around a place says that says anything, in this file or another."""
        home, row = self.lowering.graph.file_of(site), getattr(site, "lineno", 0)
        return (self if home is None else self.of_other(home)).around(row)

    def around(self, row: int) -> Opinion | None:
        """What the innermost definition around a row says that says anything."""
        found = [opinion for first, last, opinion in self.opinions if first <= row <= last]
        return found[-1] if found else None

    def of_other(self, path: str, tree: ast.Module | None = None) -> Roles:
        """The same of another file of the project, by its path; ``tree``: of one that may not be lowered."""
        if path not in self._elsewhere:
            lowered = getattr(self.lowering.modules.get(path), "tree", None)
            self._elsewhere[path] = Roles(self.lowering, tree or lowered or ast.Module([], []), path)
        return self._elsewhere[path]

    @cached_property
    def whole(self) -> bool:
        """Whether the whole project is seen, and takes the gradients itself that are taken of it.

        Not so of a library that only its tests differentiate, or whose tests are not there: anyone may.
        """
        view = self.lowering.view
        if view is None or not view.is_whole:
            return False
        files = view.files_mentioning(TAKES)
        return not all(map(is_of_tests, files)) if files else has_marker(view.top)

    @cached_property
    def is_imported(self) -> bool:
        """Whether another file of the project imports this one."""
        view = self.lowering.view
        return view is None or next(view.importers((), str(self.path)), None) is not None

    def may_train(self, node: Node) -> bool:
        """Whether what is given to the functions around a node may be learned: not where nothing trained uses them."""
        opinion = self.opinion(node)
        return not self.whole or (opinion is not None and opinion.trained) or self.user(node) is not None

    def function_of(self, node: Node) -> tuple[Roles, FunctionDef | None]:
        """The function of the top level, or the method, in which a node stands, and what the file's are for."""
        site = node.site or node.external_site
        home, row = self.lowering.graph.file_of(site), getattr(site, "lineno", 0)
        roles = self if home is None else self.of_other(home)
        around = (f for f in words_of(roles.tree).functions if f.lineno <= row <= (f.end_lineno or 0))
        return roles, next(around, None)

    def is_within(self, node: Node) -> bool:
        """Whether a node stands in a function that another has for itself."""
        _, function = self.function_of(node)
        row = getattr(node.site or node.external_site, "lineno", 0)
        inner = (d for d in descendants(function) if isinstance(d, DEFINITIONS)) if function is not None else ()
        return any(d is not function and d.lineno <= row <= (d.end_lineno or 0) for d in inner)

    def takes_a_step(self, node: Node) -> bool:
        """Whether the function around a node applies gradients that were taken, or made up, before."""
        roles, function = self.function_of(node)
        return function is not None and not STEPS.isdisjoint(words_of(roles.tree).functions[function].called)

    def is_option(self, node: Node) -> bool:
        """Whether a node is computed only under a condition on a setting, in a function that is called somewhere."""
        _, function = self.function_of(node)
        if function is None or node.calls or id(function) not in self.lowering.functions.inlined:
            return False
        conditions = [n for _, facts in node.facts.items() for _, n in facts if isinstance(n, Node)]
        return any(n.op == PARAM and "default" in n.args for n in reached(conditions, operands))

    def user(self, node: Node) -> str | None:
        """What the project trains, or differentiates, by means of the function around a node; None for nothing.

        A function by itself is judged by what its users in the project are, by their names and what they call.
        """
        roles, function = self.function_of(node)
        if function is None:
            return str(roles.path)
        if function not in self._users:
            self._users[function] = self._user(roles, function)
        return self._users[function]

    def _user(self, roles: Roles, function: FunctionDef) -> str | None:
        view = self.lowering.view
        assert view is not None
        pending = [(roles, function)]
        known = {function}
        for roles, f in pending:
            cls = words_of(roles.tree).functions[f].cls
            if (f.name in DENSITIES and cls) or trained(ast.get_docstring(f) or ""):
                return f.name
            names = {cls.name if cls is not None and f.name in (*FORWARD, "__call__", "__init__") else f.name}
            others = (self.of_other(module.path, module.tree) for module in view.importers(names, str(roles.path)))
            for other in (roles, *others):
                words_of_top, called, renamed = top_level(other.tree)
                at_top = not names.isdisjoint(words_of_top) and takes(called, renamed)
                if at_top or not names.isdisjoint(other.differentiated):
                    return str(other.path)
                for g, using in words_of(other.tree).functions.items():
                    if g in known or names.isdisjoint(using.words):
                        continue
                    if takes(using.called, renamed):
                        return g.name
                    # what a test computes, and differentiates nothing of, is only looked at
                    opinion = other.around(g.lineno)
                    tests = is_of_tests(str(other.path))
                    runs = using.cls is not None and bool(using.cls.bases) and g.name in FORWARD | TRAINING
                    if (runs or (opinion is not None and opinion.trained)) and not tests:
                        return g.name
                    if opinion is None and not tests and len(pending) < MAX_USERS:
                        known.add(g)
                        pending.append((other, g))
        return None

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
            return Opinion(False, f"`{name}` has a separate method for fitting")
        return Opinion(False, f"`{name}` {purpose}, judging by its name") if purpose is not None else None

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
    def differentiated(self) -> set[str]:
        """The names of the functions of which the file takes derivatives."""
        found: set[str] = set()
        for n in descendants(self.tree):
            if isinstance(n, ast.Call):
                given = (*n.args, *n.keywords) if differentiates(n.func) else filter(is_loss, n.keywords)
                found |= {name for one in given for name in names_in(one)}
            elif isinstance(n, ast.FunctionDef) and any(differentiates(d) for d in n.decorator_list):
                found.add(n.name)
        return found


def is_loss(keyword: ast.keyword) -> bool:
    """Whether a call takes an argument as what is trained on, or as what weights are held by, by its name."""
    return keyword.arg is not None and (trained(keyword.arg) or words(keyword.arg)[-1:] == ("regularizer",))


@remembered
def top_level(tree: ast.Module) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The names and attributes that a file's top level uses, those that it calls, and what it calls a differentiator.

    The last are names that it is imported by.
    """
    code = [n for s in tree.body if not isinstance(s, DEFINITIONS) for n in descendants(s)]
    imported = (alias for s in code if isinstance(s, ast.ImportFrom) for alias in s.names)
    renamed = {alias.asname for alias in imported if alias.asname and is_differentiator(alias.name)}
    return words_in(code), words_in([n.func for n in code if isinstance(n, ast.Call)]), frozenset(renamed)


def takes(called: Collection[str], renamed: Collection[str]) -> bool:
    """Whether a derivative is taken by what is called, under its own name or one that it is imported by."""
    return any(name in renamed or is_differentiator(name) for name in called)


@lru_cache(maxsize=4096)
def is_differentiator(name: str) -> bool:
    """Whether a function takes derivatives of what it is given, by its name."""
    parts = set(words(name))
    return bool(parts & DIFFERENTIATE) and parts <= DIFFERENTIATE | BESIDE


def operands(node: Node) -> Iterable[Node]:
    return node.args.values()


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
    return is_differentiator(last_name(function))
