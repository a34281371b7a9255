"""A rewriting into another framework: each call is the call of a function that means the same there.

NumPy is none of them: it computes in float64, and differentiates nothing.

What a function means is what the spelling tables say. A program with a call, an attribute of a module or a layer that
has no counterpart stays as it is. The function that runs the program is left out: its arrays are the other framework's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from nanlint.ops.frameworks import load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Literal, Spelling
from tests.rewriting.code import WITNESS, Code, in_expressions
from tests.rewriting.order import SEQUENCES

IMPORTS = {
    "torch": "import torch",
    "tensorflow": "import tensorflow as tf",
    "jax": "import jax\nimport jax.numpy as jnp",
}
#: where functions of arrays are looked for, the usual place first, and how it is written
MODULES = {
    "torch": {"torch": "torch", "torch.nn.functional": "torch.nn.functional"},
    "tensorflow": {"tensorflow": "tf", "tensorflow.nn": "tf.nn", "tensorflow.linalg": "tf.linalg"},
    "jax": {"jax.numpy": "jnp", "jax.nn": "jax.nn", "jax.numpy.linalg": "jnp.linalg", "jax.lax": "jax.lax"},
}
#: functions that the tables have as tf's own, and TensorFlow 2 in tf.math only
IN_TF_MATH = frozenset(
    {
        "log", "log1p", "expm1", "softplus", "erf", "erfc", "lgamma", "digamma", "rsqrt", "reciprocal", "is_nan",
        "is_inf", "is_finite", "xlogy", "reduce_std", "reduce_variance", "reduce_logsumexp", "reduce_euclidean_norm",
        "log_sigmoid", "count_nonzero", "divide_no_nan", "floormod",
    }
)  # fmt: skip
#: functions that are there, but take something else, or are of TensorFlow 1
AVOIDED = frozenset({"tensorflow.add_n", "tensorflow.softmax", "tensorflow.log_softmax", "tensorflow.clip_by_value"})
KEEPING = {"torch": "keepdim", "tensorflow": "keepdims", "jax": "keepdims"}
#: the classes whose methods are looked for
ARRAYS = {"torch": "torch.Tensor", "jax": "jax.Array"}


class Untranslatable(Exception):
    """Something of a program has no counterpart in the other framework."""


def into(target: str) -> Callable[[Code], int]:
    """The rewriting into a framework."""

    def rewrite(code: Code) -> int:
        source = {m.partition(".")[0] for m in code.imported.values()} & {*IMPORTS, "keras", "numpy", "scipy"}
        if not source <= IMPORTS.keys() or target in source or len(source) != 1:
            return 0
        if any(isinstance(s, ast.ClassDef) or getattr(s, "decorator_list", ()) for s in code.tree.body):
            return 0
        try:
            changes = sum(in_expressions(f, lambda e: translated(code, e, target)) for f, _ in code.functions())
            body = [s for s in code.tree.body if getattr(s, "name", "") != WITNESS]
            names = {a for a, m in code.imported.items() if m.partition(".")[0] in source}
            code.tree.body = [s for s in body if not (isinstance(s, (ast.Import, ast.ImportFrom)) and about(s, source))]
            if any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(code.tree)):
                return 0
        except Untranslatable:
            return 0
        code.tree.body[1:1] = ast.parse(IMPORTS[target]).body
        return changes

    rewrite.__doc__ = f"Every function of a framework is one of {target}."
    return rewrite


def about(s: ast.Import | ast.ImportFrom, frameworks: set[str]) -> bool:
    modules = [s.module or ""] if isinstance(s, ast.ImportFrom) else [a.name for a in s.names]
    return any(m.partition(".")[0] in frameworks for m in modules)


def translated(code: Code, e: ast.expr, target: str) -> ast.expr | None:
    """A call in the other framework; None of what is no call of a framework."""
    if isinstance(e, ast.Attribute) and code.dotted(e) in ("torch.inf", "jax.numpy.inf"):
        return ast.Call(ast.Name("float", ast.Load()), [ast.Constant("inf")], [])
    if not isinstance(e, ast.Call):
        return None
    spelling, args = code.spelling(e), list(e.args)
    if spelling is None and isinstance(e.func, ast.Attribute) and code.dotted(e.func) is None:
        spelling, args = method(code, e.func.attr), [e.func.value, *args]
        if spelling is None:
            raise Untranslatable(e.func.attr)
    if spelling is None:
        if code.dotted(e.func) is not None:
            raise Untranslatable(ast.unparse(e.func))
        return None
    if spelling.layer or spelling.rest or spelling.in_place:
        raise Untranslatable(spelling.name)
    given = {p.lstrip("*"): a for p, a in zip(spelling.params, args, strict=False)}
    given |= {spelling.aliases.get(k.arg or "", k.arg or ""): k.value for k in e.keywords}
    keeping = [given.pop(k) for k in ("keepdim", "keepdims") if k in given]
    operands: dict[str, ast.expr | Literal] = dict(spelling.literals)
    if spelling.op in ("softmax", "log_softmax"):
        operands["axis"] = ast.parse("-1", mode="eval").body
    operands |= {o: given.pop(p.lstrip("*")) for o, p in spelling.operands.items() if p.lstrip("*") in given}
    if given or any(isinstance(o, SEQUENCES) for o in operands.values()):
        raise Untranslatable(spelling.name)
    for other in counterparts(spelling.op, target):
        call = called(other, operands)
        if call is not None:
            call.keywords += [ast.keyword(KEEPING[target], k) for k in keeping]
            return call
    raise Untranslatable(spelling.name)


def method(code: Code, name: str) -> Spelling | None:
    roots = {m.partition(".")[0] for m in code.imported.values()}
    found = (load().get(f"{owner}.{name}") for framework, owner in ARRAYS.items() if framework in roots)
    return next((s for s in found if s is not None), None)


def counterparts(op: str, target: str) -> Iterator[Spelling]:
    """The functions of a framework that are an op."""
    for module in MODULES[target]:
        for spelling in load():
            owner, _, _ = spelling.name.rpartition(".")
            if spelling.name in AVOIDED or owner != module or spelling.op != op:
                continue
            if not (spelling.layer or spelling.rest or spelling.in_place):
                yield spelling


def called(spelling: Spelling, operands: dict[str, ast.expr | Literal]) -> ast.Call | None:
    """The call of a function with these operands; None if it has not got all of them."""
    needed = {o for o in OPS[spelling.op].operands if o in operands}
    if any(operands.get(o) != literal for o, literal in spelling.literals.items()):
        return None
    if not set(operands) <= {*spelling.operands, *spelling.literals} or any(o not in operands for o in needed):
        return None
    given: dict[str, ast.expr] = {}
    for operand, param in spelling.operands.items():
        value = operands.get(operand)
        if isinstance(value, ast.expr):
            given[param] = value
        elif value is not None:
            given[param] = ast.Constant(value)
    args = []
    for param in spelling.params:
        if param not in given or param.startswith("*"):
            break
        args.append(given.pop(param))
    owner, _, last = spelling.name.rpartition(".")
    framework = spelling.name.partition(".")[0]
    written = MODULES[framework][owner] + (".math" if owner == "tensorflow" and last in IN_TF_MATH else "")
    if any(not p.isidentifier() for p in given):
        return None
    function = ast.parse(f"{written}.{last}", mode="eval").body
    return ast.Call(function, args, [ast.keyword(p, a) for p, a in given.items()])
