"""The expression that a frame is at, and its value computed anew: only what reads names and computes with arrays.

Nothing of the program is called, so nothing happens twice.
"""

from __future__ import annotations

import ast
import functools
import linecache
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

import numpy as np

#: functions of NumPy, and methods of its arrays, that compute and do nothing else
# fmt: off
PURE = frozenset(
    (
        "abs", "all", "any", "arange", "argmax", "argmin", "array", "asarray", "astype", "average", "clip",
        "concatenate", "convolve", "copy", "corrcoef", "correlate", "cov", "cumprod", "cumsum", "det", "diag",
        "diff", "dot", "einsum", "expand_dims", "float16", "float32", "float64", "full", "full_like", "inner",
        "inv", "linspace", "max", "maximum", "mean", "median", "min", "minimum", "nan_to_num", "nanmean",
        "nansum", "norm", "ones", "ones_like", "outer", "prod", "ptp", "ravel", "reshape", "roll", "slogdet",
        "solve", "sqrt", "squeeze", "stack", "std", "sum", "swapaxes", "tensordot", "trace", "transpose", "var",
        "vdot", "where", "zeros", "zeros_like",
    )
)
# fmt: on

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_READ = frozenset(("T", "dtype", "imag", "ndim", "real", "shape", "size"))


class Unknown(Exception):
    """A value that cannot be had without running the program's code again."""


def expression_at(code: CodeType, instruction: int) -> ast.AST | None:
    """The call or operation that an instruction carries out; None where there is no source, or before Python 3.11."""
    if sys.version_info < (3, 11):
        return None
    line, end_line, column, end_column = tuple(code.co_positions())[instruction // 2]
    source = "".join(linecache.getlines(code.co_filename))
    return _nodes(source).get((line, column, end_line, end_column))


def operands_of(node: ast.AST) -> Sequence[ast.expr]:
    """What an expression computes with: both sides, or the arguments, the array of a method first."""
    if isinstance(node, ast.BinOp):
        return (node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return (node.operand,)
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*owner, *node.args]
    return ()


def value_of(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """The value of an expression. Raises Unknown."""
    try:
        return _value(node, names)
    except Unknown:
        raise
    except Exception as error:
        raise Unknown(str(error)) from None


def _value(node: ast.AST, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            if name not in names:
                raise Unknown(name)
            return names[name]
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return _BINARY[type(op)](_plain(_value(left, names)), _plain(_value(right, names)))
        case ast.UnaryOp(op, operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_plain(_value(operand, names)))
        case ast.Subscript(value, index):
            return _indexed(_value(value, names), _value(index, names))
        case ast.Slice(lower, upper, step):
            return slice(*(None if one is None else _value(one, names) for one in (lower, upper, step)))
        case ast.Tuple(elts):
            return tuple(_value(one, names) for one in elts)
        case ast.List(elts):
            return [_value(one, names) for one in elts]
        case ast.Attribute(value, name):
            return _attribute(_value(value, names), name)
        case ast.Call(function, arguments, keywords):
            return _called(function, arguments, keywords, names)
    raise Unknown(type(node).__name__)


def _plain(value: Any) -> Any:
    """A number or an array of NumPy's own: what else has operators may do anything in them."""
    if isinstance(value, int | float | complex | np.generic) or type(value) is np.ndarray:
        return value
    raise Unknown(type(value).__name__)


def _indexed(value: Any, index: Any) -> Any:
    if type(value) in (np.ndarray, list, tuple, dict):
        return value[index]
    raise Unknown(type(value).__name__)


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, ModuleType):
        return getattr(value, name)
    if type(value) is np.ndarray and name in _READ:
        return getattr(value, name)
    if name in getattr(value, "__dict__", ()):
        return value.__dict__[name]
    raise Unknown(name)


def _called(
    function: ast.expr, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword], names: Mapping[str, Any]
) -> Any:
    if any(keyword.arg in (None, "out", "where") for keyword in keywords):
        raise Unknown("writes into an array")
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        raise Unknown("starred")
    given = [_value(argument, names) for argument in arguments]
    named = {str(keyword.arg): _value(keyword.value, names) for keyword in keywords}
    if isinstance(function, ast.Attribute):
        owner = _value(function.value, names)
        if isinstance(owner, np.ndarray | np.generic) and type(owner).__module__ == "numpy":
            if function.attr not in PURE:
                raise Unknown(function.attr)
            return getattr(owner, function.attr)(*given, **named)
    called = _value(function, names)
    if isinstance(called, np.ufunc) and len(given) == called.nin:
        return called(*given, **named)
    module = str(getattr(called, "__module__", ""))
    if module.partition(".")[0] == "numpy" and getattr(called, "__name__", "") in PURE and not _foreign(given):
        return called(*given, **named)
    raise Unknown(ast.unparse(function))


def _foreign(given: Sequence[Any]) -> bool:
    """Whether an argument is neither a number, a plain array, nor a list or tuple of such."""
    parts = [part for one in given for part in (one if isinstance(one, list | tuple) else (one,))]
    known = (int, float, complex, str, list, tuple, np.generic, type, np.dtype, type(None))
    return any(not isinstance(part, known) and type(part) is not np.ndarray for part in parts)


@functools.lru_cache(maxsize=64)
def _nodes(source: str) -> dict[tuple[int | None, ...], ast.AST]:
    """The calls and operations of a source by where they stand; columns in bytes, as instructions have them."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return {
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset): node
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp)
    }
