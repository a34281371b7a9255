"""A program as its rewritings see it: its functions, its imports, what its calls mean, names that are still free.

Every node remembers the rows on which it was written (``origin``), through copies and moves, so that a finding in a
variant can be told to be the one in the original.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from nanlint.ops.frameworks import canonical, load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling

Function = ast.FunctionDef
Block = list[ast.stmt]

#: scopes of their own
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: expressions that compute something, and may stand anywhere
COMPUTED = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)
#: what cannot leave the place where it stands
BOUND_TO_ITS_PLACE = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
#: the function that runs a program; it stays as it is
WITNESS = "witness"


class Code:
    """One program, to be rewritten in place."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.expr, ast.stmt)):
                node.origin = frozenset(range(node.lineno, (node.end_lineno or node.lineno) + 1))  # type: ignore[union-attr]
        self.imported = dict(imports(self.tree))
        self._taken = {name for node in ast.walk(self.tree) for name in names_in(node)}
        heads = [i for i, s in enumerate(self.tree.body) if isinstance(s, (ast.Import, ast.ImportFrom))]
        self._next = 1 + max(heads, default=0)

    def functions(self) -> list[tuple[Function, tuple[Function, ...]]]:
        """Each function but the one that runs the program, and the functions around it, innermost last."""
        found: list[tuple[Function, tuple[Function, ...]]] = []

        def visit(node: ast.AST, around: tuple[Function, ...]) -> None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.FunctionDef):
                    if child.name != WITNESS:
                        found.append((child, around))
                        visit(child, (*around, child))
                else:
                    visit(child, around)

        visit(self.tree, ())
        return found

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        for number in itertools.count(1):
            name = f"{stem}_{number}"
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise AssertionError

    def define(self, source: str) -> None:
        """Add statements behind the imports of the program, and behind what was added before."""
        body = self.tree.body
        for statement in ast.parse(source).body:
            body.insert(self._next, statement)
            self._next += 1

    def define_function(self, name: str, parameters: Sequence[str], value: ast.expr) -> None:
        """Add ``def name(parameters): return value``."""
        self.define(f"def {name}({', '.join(parameters)}):\n    return None")
        body = self.tree.body
        made = next(s for s in body if isinstance(s, ast.FunctionDef) and s.name == name)
        made.body = [ast.Return(value)]

    # ── what calls mean ─────────────────────────────────────────────────────────────────────────────────────────────

    def dotted(self, e: ast.expr) -> str | None:
        """The canonical dotted name of what is imported, or None."""
        parts: list[str] = []
        while isinstance(e, ast.Attribute):
            parts.append(e.attr)
            e = e.value
        if not isinstance(e, ast.Name) or e.id not in self.imported:
            return None
        return canonical(".".join([self.imported[e.id], *reversed(parts)]))

    def spelling(self, e: ast.expr) -> Spelling | None:
        """What a call of a framework's function means; None for anything else."""
        if not isinstance(e, ast.Call) or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        name = self.dotted(e.func)
        if name is None or any(k.arg is None for k in e.keywords):
            return None
        sorts = [self.sort(a) for a in e.args]
        return load().choose(name, sorts, {k.arg: self.sort(k.value) for k in e.keywords if k.arg})

    def sort(self, e: ast.expr) -> str:
        """The sort of an argument, by which signatures are chosen."""
        inner = e.operand if isinstance(e, ast.UnaryOp) else e
        elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if elements and all(isinstance(i, ast.Constant) and type(i.value) is int for i in elements):
            return "int"
        return "dtype" if (self.dotted(e) or "").rpartition(".")[2].startswith(("float", "int", "bool")) else ""

    def array_op(self, e: ast.expr) -> Spelling | None:
        """The meaning of a call that gives one array of floating-point numbers, as far as its op says."""
        spelling = self.spelling(e)
        if spelling is None or spelling.layer or spelling.in_place or spelling.rest:
            return None
        op = OPS[spelling.op]
        numeric = op.pointwise or spelling.op in ("softmax", "log_softmax", "sum", "mean", "norm", "std", "var")
        return spelling if numeric and spelling.op not in NOT_FLOATS and spelling.framework != "math" else None

    def framework_function(self, name: str, framework: str) -> ast.expr | None:
        """How the program would write a function of a framework, by the module aliases that it has."""
        for alias, module in self.imported.items():
            if canonical(module) in ROOTS.get(framework, ()):
                return ast.parse(f"{alias}.{name}", mode="eval").body
        return None


#: ops whose result is not an array of floating-point numbers
NOT_FLOATS = frozenset(
    {
        "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "any", "all", "isnan", "isinf", "isfinite", "isclose",
        "argmax", "argsort", "argmin", "cast", "integer", "size", "one_hot", "tensor",
    }
)  # fmt: skip
#: the module of a framework in which its functions of arrays are
ROOTS = {
    "torch": ("torch",),
    "tensorflow": ("tensorflow",),
    "jax": ("jax.numpy",),
    "numpy": ("numpy",),
    "scipy": ("numpy",),
    "keras": ("keras.ops",),
}


def imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, what is imported under it) of the imports at the head of a program."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                yield alias.asname or alias.name, f"{statement.module}.{alias.name}"


def names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]


# ── scopes ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def parameters(function: Function) -> list[str]:
    a = function.args
    spread = [p.arg for p in (a.vararg, a.kwarg) if p is not None]
    return [*(p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)), *spread]


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function that are evaluated in its own scope."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            pending.extend(ast.iter_child_nodes(node))


def local_names(function: Function, around: Iterable[Function] = ()) -> set[str]:
    """Names that a function, or one around it, binds; not those that it declares to be another's."""
    found: set[str] = set()
    for scope in (function, *around):
        found.update(parameters(scope))
        declared: set[str] = set()
        for node in own_nodes(scope):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Global):
                declared.update(node.names)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update(a.asname or a.name.partition(".")[0] for a in node.names)
        found -= declared
    return found


def uses(tree: ast.AST, name: str) -> list[ast.Name]:
    """Where a name is read."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]


def free_locals(e: ast.expr, local: set[str]) -> list[str]:
    """The local names that an expression reads, in order, without those that are its own."""
    own = {
        name
        for n in ast.walk(e)
        for name in (
            [t.id for g in n.generators for t in ast.walk(g.target) if isinstance(t, ast.Name)]
            if isinstance(n, COMPREHENSIONS)
            else [a.arg for a in n.args.args]
            if isinstance(n, ast.Lambda)
            else []
        )
    }
    read = [n.id for n in ast.walk(e) if isinstance(n, ast.Name) and n.id in local]
    return list(dict.fromkeys(name for name in read if name not in own))


def movable(e: ast.expr | None) -> bool:
    """Whether an expression computes something, and may do so at another place of its scope."""
    return isinstance(e, COMPUTED) and not any(
        isinstance(n, BOUND_TO_ITS_PLACE) or (isinstance(n, ast.Name) and n.id == "super") for n in ast.walk(e)
    )


# ── changing ────────────────────────────────────────────────────────────────────────────────────────────────────────


def at_place_of(new: ast.expr, old: ast.AST) -> ast.expr:
    """An expression that stands for another one: what is found there is found at the place of the old one."""
    new.origin = getattr(old, "origin", frozenset())  # type: ignore[attr-defined]
    return new


def name(identifier: str) -> ast.Name:
    return ast.Name(identifier, ast.Load())


def call(function: ast.expr | str, *args: ast.expr) -> ast.Call:
    return ast.Call(name(function) if isinstance(function, str) else function, list(args), [])


def in_blocks(function: Function, change: Callable[[ast.stmt], Block | None]) -> int:
    """Replace statements of a function, in all of its blocks; ``change`` says None of what is to stay."""
    changes = 0

    def block(body: Block) -> Block:
        nonlocal changes
        result: Block = []
        for statement in body:
            new = None if isinstance(statement, SCOPES) else change(statement)
            if new is not None:
                changes += 1
                result.extend(new)
                continue
            if not isinstance(statement, SCOPES):
                for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                    for where in ("body", "orelse", "finalbody"):
                        if getattr(part, where, None):
                            setattr(part, where, block(getattr(part, where)))
            result.append(statement)
        return result

    function.body = block(function.body)
    return changes


def simple_value(statement: ast.stmt) -> ast.expr | None:
    """The value that a statement assigns or returns."""
    if isinstance(statement, (ast.Assign, ast.Return, ast.AugAssign, ast.AnnAssign)):
        return statement.value
    return None


def assigned_name(statement: ast.stmt) -> str | None:
    """The name of ``name = value``, where the value computes something."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and movable(statement.value):
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None


class Expressions(ast.NodeTransformer):
    """Replaces expressions of one scope, inner ones first: ``change`` says None of what is to stay."""

    def __init__(self, change: Callable[[ast.expr], ast.expr | None]) -> None:
        self.change = change
        self.changes = 0

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, SCOPES) and not isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.JoinedStr):
            return node
        self.generic_visit(node)
        if not isinstance(node, ast.expr):
            return node
        new = self.change(node)
        if new is None:
            return node
        self.changes += 1
        return at_place_of(new, node)


def in_expressions(function: Function, change: Callable[[ast.expr], ast.expr | None]) -> int:
    """Replace expressions in the body of a function."""
    transformer = Expressions(change)
    for statement in function.body:
        transformer.visit(statement)
    return transformer.changes


def rewritten(text: str, rewrite: Callable[[Code], int]) -> tuple[str, Origins] | None:
    """The text of a variant and where its expressions come from; None where the rewriting does not apply."""
    code = Code(text)
    if not rewrite(code):
        return None
    tree = ast.fix_missing_locations(code.tree)
    new = ast.unparse(tree)
    return new, Origins(tree, ast.parse(new), new)


class Origins:
    """The rows of the original from which the expressions of a variant come."""

    def __init__(self, tree: ast.Module, reread: ast.Module, text: str) -> None:
        self._lines = text.splitlines()
        self._places: list[tuple[tuple[int, int], tuple[int, int], frozenset[int]]] = []
        for old, new in paired(tree, reread):
            rows = getattr(old, "origin", None)
            if rows and isinstance(new, (ast.expr, ast.stmt)):
                end = (new.end_lineno or new.lineno, new.end_col_offset or new.col_offset)
                self._places.append(((new.lineno, new.col_offset), end, rows))

    def of(self, start: tuple[int, int], end: tuple[int, int]) -> frozenset[int]:
        """The rows from which what stands there comes: of the innermost expression around it that is not new."""
        around = [(p, rows) for *p, rows in self._places if p[0] <= start and end <= p[1]]
        if not around:
            return frozenset()
        _, rows = min(around, key=lambda found: (found[0][1][0] - found[0][0][0], found[0][1][1] - found[0][0][1]))
        return rows


def paired(one: ast.AST, other: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The nodes of two trees of one text, as far as they have the same form."""
    yield one, other
    if type(one) is type(other):
        for a, b in zip(ast.iter_child_nodes(one), ast.iter_child_nodes(other), strict=False):
            yield from paired(a, b)


def copied(e: ast.expr) -> ast.expr:
    return copy.deepcopy(e)
