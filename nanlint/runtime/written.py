"""Which infinities and nan a program writes itself, as its text says: masks of -inf, ``best = inf``, missing values.

Asked only where something that is not finite was kept, printed or saved: may it be that, and unchanged? The text is
followed by names, wherever they stand: what is assigned to one, what a function of this name returns or is given.
"""

from __future__ import annotations

import ast
import linecache
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from nanlint.ops.floats import class_of
from nanlint.reaching import reached
from nanlint.runtime.health import Kinds

#: a number that is not finite, as Python, NumPy, the frameworks and JSON print it
TOKEN = re.compile(
    r"(?<![\w.-])(-?)(?:(nan|inf)|(?<=[:,\[] )(NaN|Infinity)|(?<=[:,\[])(NaN|Infinity))(?![\w(]|\.[a-zA-Z])"
)
#: the same in what a program reads: a field of a table, or of JSON, and no word of a sentence
DATA = re.compile(
    r"(?:^|[,;\t\[:|]|(?<=\d)[ ])[ ]*(-?)\+?(nan|inf(?:inity)?)[ ]*(?=$|[,;\t\]}|]|[ ][-+\d.])",
    re.IGNORECASE | re.MULTILINE,
)
#: what a text calls the numbers that follow, within so many characters: ``best=inf``, ``'limits': (-inf, inf)``
NAMED, NEAR = re.compile(r"([A-Za-z_]\w*)['\"]?[ ]*[=:]"), 200
#: what makes an object, and does not change it
MAKES = frozenset({"__init__", "__new__", "__post_init__"})
#: what stands in a text for what is formatted into it
FORMAT = re.compile(r"%[-+ #0-9.]*[a-z]|\{[^}]*\}")
#: names of constants
NAMES = {"inf": math.inf, "infty": math.inf, "infinity": math.inf, "pinf": math.inf, "ninf": -math.inf, "nan": math.nan}
#: methods that put their arguments into what they are called on, beside those that end in an underscore
PUT = frozenset({"append", "extend", "insert", "update", "add", "fill", "put", "setdefault"})
BOTH = {"pinf": "ninf", "ninf": "pinf"}


def kinds_in(text: str, token: re.Pattern[str] = TOKEN) -> Kinds:
    """The kinds of non-finite number that a text shows."""
    return frozenset(map(_kind, token.finditer(text)))


def _kind(found: re.Match[str]) -> str:
    sign, *words = found.groups("")
    return "nan" if "".join(words)[0] in "nN" else "ninf" if sign else "pinf"


class Written:
    """What the user's files say of their names; ``files``: those that are loaded now, ``texts``: of what is no file."""

    def __init__(self, files: Callable[[], Iterable[str]], texts: dict[str, str]) -> None:
        self._files = files
        self._texts = texts
        self._trees: dict[str, ast.Module] = {}
        self._values: dict[str, list[ast.expr]] = defaultdict(list)
        self._known: dict[tuple[str, int], Kinds] = {}
        self._lines: dict[str, tuple[str, int]] = {}
        #: names that are stored into, or read again where a loop begins anew
        self._states: set[tuple[str, str]] = set()
        self._reads: set[tuple[str, str]] = set()
        #: attributes that are stored into after their object is made
        self._changed: set[str] = set()
        #: what is printed as a label, and holds a word that looks like a number
        self._labels: list[str] = []

    def kinds(self, *names: str) -> Kinds:
        """The kinds that the program may have written into these names."""
        self._read()
        return self._reaching(list(names), frozenset())

    def kinds_at(self, path: str, line: int) -> Kinds:
        """The same of all that the statement at a line holds."""
        if (path, line) not in self._known:
            self._known[path, line] = self._kinds_at(path, line)
        return self._known[path, line]

    def _kinds_at(self, path: str, line: int) -> Kinds:
        self._read(path)
        statements = _statements_at(self._trees[path], line) if path in self._trees else []
        parts = [part for statement in statements for part in _expressions(statement)]
        kinds = Kinds().union(*map(literals, parts))
        return self._reaching([name for part in parts for name in _names_read(part)], kinds)

    def unwritten(self, text: str) -> Kinds:
        """The kinds that a text shows, without what stands in the program just so, or is written into what it names."""
        self._read()
        for label in self._labels:
            text = text.replace(label, " ")
        shown = [
            (_kind(one), NAMED.findall(text, max(one.start() - NEAR, 0), one.start())) for one in TOKEN.finditer(text)
        ]
        return frozenset(kind for kind, names in shown if not names or kind not in self.kinds(names[-1]))

    def is_kept(self, name: str, path: str) -> bool:
        """Whether the value of a variable is there to stay: stored into, carried on by a loop, or used by nothing."""
        self._read()
        return (path, name) in self._states or (path, name) not in self._reads

    def changes(self, attribute: str) -> bool:
        """Whether an attribute is stored into after its object was made."""
        self._read()
        return attribute in self._changed

    def line(self, name: str) -> tuple[str, int] | None:
        """Where a name is last given a value."""
        self._read()
        return self._lines.get(name)

    def _reaching(self, names: list[str], kinds: Kinds) -> Kinds:
        def read(name: str) -> Iterator[str]:
            return (one for value in self._values.get(name, ()) for one in _names_read(value))

        given = (value for name in reached(names, read) for value in self._values.get(name, ()))
        return kinds.union(*map(literals, given))

    def _read(self, *more: str) -> None:
        for path in (*self._files(), *more):
            if path not in self._trees:
                try:
                    tree = ast.parse(self._texts.get(path) or "".join(linecache.getlines(path)))
                except (SyntaxError, ValueError, RecursionError):
                    tree = ast.Module([], [])
                self._trees[path] = tree
                self._gather(tree, path)

    def _gather(self, tree: ast.Module, path: str) -> None:
        functions = {
            owner: [one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg not in ("self", "cls")]
            for owner, node in _functions(tree)
        }
        making = {part for _, one in _functions(tree) if one.name in MAKES for part in ast.walk(one)}
        for node in ast.walk(tree):
            for target, value in _assigned(node, functions):
                for name in _names_stored(target):
                    self._values[name].append(value)
                    self._lines[name] = path, value.lineno
                    if not isinstance(target, (ast.Name, ast.Tuple, str)):
                        self._states.add((path, name))
                        self._changed |= set() if node in making else {name}
            if isinstance(node, (ast.For, ast.While)):
                self._states |= {(path, name) for name in _carried(node.body)}
            if isinstance(node, (ast.Nonlocal, ast.Global)):
                self._states |= {(path, name) for name in node.names}
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._reads.add((path, node.id))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _number(node) is None:
                self._labels += [part for part in FORMAT.split(node.value) if kinds_in(part)]


def literals(e: ast.AST, sign: int = 1) -> Kinds:
    """The kinds of non-finite number that stand in an expression; of one that is computed with, of both signs."""
    number = _number(e)
    if number is not None:
        kind = class_of(number * sign)
        return frozenset((kind,)) if kind in (*BOTH, "nan") else frozenset()
    sign = -sign if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub) else sign
    found = Kinds().union(*(literals(part, sign) for part in ast.iter_child_nodes(e)))
    return found.union(BOTH.get(kind, kind) for kind in found) if isinstance(e, ast.BinOp) else found


def _number(e: ast.AST) -> float | None:
    if isinstance(e, (ast.Name, ast.Attribute)):
        return NAMES.get((e.id if isinstance(e, ast.Name) else e.attr).lower())
    value = e.value if isinstance(e, ast.Constant) else None
    if isinstance(value, str) and value.strip().lstrip("+-").lower() in NAMES:  # as ``float`` is given it
        return math.copysign(NAMES[value.strip().lstrip("+-").lower()], -1 if "-" in value else 1)
    return value if isinstance(value, float) else None


def _assigned(node: ast.AST, functions: dict[str, list[str]]) -> Iterator[tuple[ast.expr | str, ast.expr]]:
    """What a node gives values to, and of what: names, parameters by those who call, what is put into something."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        own = (one for one in ast.walk(node) if isinstance(one, (ast.Return, ast.Yield)))
        yield from ((node.name, one.value) for one in own if one.value is not None)
        plain = [*node.args.posonlyargs, *node.args.args]
        given = zip(reversed(plain), reversed(node.args.defaults), strict=False)
        yield from ((one.arg, value) for one, value in given)
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from ((one.arg, value) for one, value in named if value is not None)
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from ((k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str))
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        yield from ((one.arg, one.value) for one in node.keywords if one.arg is not None)
        yield from zip(functions.get(name, ()), node.args, strict=False)
        named_here = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        yield from ((text, one) for text in named_here for one in node.args if not isinstance(one, ast.Constant))
        if isinstance(node.func, ast.Attribute) and (name in PUT or name.endswith("_")):
            yield from ((ast.Subscript(node.func.value, node), one) for one in node.args)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a file, by what they are called as: a class is called for its ``__init__``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            made = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
            yield from ((node.name, one) for one in made)


def _names_stored(target: ast.expr | str) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield target.attr
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _names_stored(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for one in target.elts:
            yield from _names_stored(one)


def _names_read(e: ast.AST) -> Iterator[str]:
    for node in ast.walk(e):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value)


def _carried(body: list[ast.stmt]) -> set[str]:
    """The names that a loop reads before it gives them a value: what it has left there is for the next time."""
    given: set[str] = set()
    early: set[str] = set()
    for statement in body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        early |= {one.id for one in names if isinstance(one.ctx, ast.Load)} - given
        given |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
    return early & given


def _statements_at(tree: ast.Module, line: int) -> list[ast.stmt]:
    """The innermost statements that a line is of."""
    there = [one for one in ast.walk(tree) if isinstance(one, ast.stmt) and one.lineno <= line <= (one.end_lineno or 0)]
    last = max((one.lineno for one in there), default=0)
    return [one for one in there if one.lineno == last]


def _expressions(statement: ast.stmt) -> list[ast.expr]:
    """What a statement itself evaluates, without those inside of it."""
    found = [one for one in ast.iter_child_nodes(statement) if isinstance(one, (ast.expr, ast.withitem))]
    return [part for one in found for part in ([one] if isinstance(one, ast.expr) else [one.context_expr])]
