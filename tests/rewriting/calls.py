"""Rewritings of calls of a framework: keyword and positional, method and function, aliases, operators."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable

from nanlint.ops.frameworks import load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling
from tests.rewriting.code import ROOTS, Code, at_place_of, call, in_expressions, name

#: classes of arrays that have methods, by framework
ARRAYS = {"torch": "torch.Tensor", "numpy": "numpy.ndarray", "jax": "jax.Array"}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
}
#: names of the first argument of a torch function that is a tensor
RECEIVERS = ("input", "x", "a", "self")


def everywhere(code: Code, change: Callable[[ast.expr], ast.expr | None]) -> int:
    return sum(in_expressions(function, change) for function, _ in code.functions())


def takes_names(spelling: Spelling) -> bool:
    """Whether the function of a framework has names for its arguments: ufuncs have none, others for some only."""
    native = spelling.framework in ("numpy", "scipy", "jax", "math", "builtins") and OPS[spelling.op].pointwise
    return not native and not any(p.startswith("*") for p in spelling.params) and not by_position(spelling.name)


def by_position(name: str) -> bool:
    """Whether NumPy takes some arguments of one of its functions by position only."""
    module, _, last = name.rpartition(".")
    if module != "numpy":
        return False
    try:
        parameters = inspect.signature(getattr(importlib.import_module(module), last)).parameters.values()
    except (ImportError, AttributeError, ValueError):
        return False
    return any(one.kind is one.POSITIONAL_ONLY for one in parameters)


def keywords(code: Code) -> int:
    """Arguments that are given by position are given by name."""

    def change(e: ast.expr) -> ast.expr | None:
        spelling = code.spelling(e)
        if spelling is None or not isinstance(e, ast.Call) or not e.args or not takes_names(spelling):
            return None
        if len(e.args) > len(spelling.params):
            return None
        named = [ast.keyword(p, a) for p, a in zip(spelling.params, e.args, strict=False)]
        return ast.Call(e.func, [], [*named, *e.keywords])

    return everywhere(code, change)


def positions(code: Code) -> int:
    """Arguments that are given by name are given by position, as far as there is one."""

    def change(e: ast.expr) -> ast.expr | None:
        spelling = code.spelling(e)
        if spelling is None or not isinstance(e, ast.Call) or not e.keywords:
            return None
        given = {spelling.aliases.get(k.arg or "", k.arg): k.value for k in e.keywords}
        args = list(e.args)
        while len(args) < len(spelling.params) and spelling.params[len(args)] in given:
            args.append(given.pop(spelling.params[len(args)]))
        if len(args) == len(e.args):
            return None
        return ast.Call(e.func, args, [ast.keyword(k, v) for k, v in given.items()])

    return everywhere(code, change)


def method_calls(code: Code) -> int:
    """f(x) is x.f()."""

    def change(e: ast.expr) -> ast.expr | None:
        spelling = code.spelling(e)
        if spelling is None or not isinstance(e, ast.Call) or not e.args or spelling.layer or spelling.rest:
            return None
        last = spelling.name.rpartition(".")[2]
        method = load().get(f"{ARRAYS.get(spelling.framework)}.{last}")
        is_array = isinstance(e.args[0], (ast.Name, ast.Call, ast.BinOp, ast.Attribute, ast.Subscript))
        home = spelling.name.rpartition(".")[0] in (*ROOTS.get(spelling.framework, ()), "torch.nn.functional")
        if method is None or method.op != spelling.op or not is_array or not home:
            return None
        if not {o for o, p in method.operands.items() if p == method.params[0]} & {
            o for o, p in spelling.operands.items() if p == spelling.params[0]
        }:
            return None
        return ast.Call(ast.Attribute(e.args[0], last, ast.Load()), e.args[1:], e.keywords)

    return everywhere(code, change)


def function_calls(code: Code) -> int:
    """x.f() is f(x), for a function of the framework's own module."""

    def change(e: ast.expr) -> ast.expr | None:
        if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Attribute) or code.dotted(e.func) is not None:
            return None
        root = e.func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and (root.id in code.imported or root.id in ("self", "cls")):
            return None
        for framework, owner in ARRAYS.items():
            method = load().get(f"{owner}.{e.func.attr}")
            function = code.framework_function(e.func.attr, framework)
            known = load().get(f"{ROOTS[framework][0]}.{e.func.attr}")
            if method and function and known and known.op == method.op and not (method.in_place or method.rest):
                if any(k.arg == "axis" for k in e.keywords) and framework == "torch":
                    return None
                return ast.Call(function, [e.func.value, *e.args], e.keywords)
        return None

    return everywhere(code, change)


def aliases(code: Code) -> int:
    """A function of a framework is called by a name of the module's own."""
    known: dict[str, str] = {}

    def change(e: ast.expr) -> ast.expr | None:
        if not isinstance(e, ast.Call) or not isinstance(e.func, ast.Attribute) or code.spelling(e) is None:
            return None
        written = ast.unparse(e.func)
        if written not in known:
            known[written] = code.fresh(f"own_{e.func.attr}")
        return ast.Call(name(known[written]), e.args, e.keywords)

    changes = everywhere(code, change)
    for written, own in known.items():
        code.define(f"{own} = {written}")
    return changes


def function_operators(code: Code) -> int:
    """a + b is add(a, b), a framework's own, where an operand is its array."""

    def change(e: ast.expr) -> ast.expr | None:
        if not isinstance(e, ast.BinOp) or type(e.op) not in OPERATORS:
            return None
        for operand in (e.left, e.right):
            spelling = code.array_op(operand)
            if spelling is None:
                continue
            if spelling.framework == "torch" and operand is e.right:
                return None
            function = code.framework_function(OPERATORS[type(e.op)], spelling.framework)
            return at_place_of(call(function, e.left, e.right), e) if function is not None else None
        return None

    return everywhere(code, change)
