"""The reverse of the spelling tables: how a framework writes an op. Which function a file calls it by is the file's."""

from __future__ import annotations

from functools import cache

from nanlint.ops.control import CONTROL
from nanlint.ops.frameworks import IN_MATH, load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling, is_method

#: operands that are arrays, and not settings
ARRAYS = frozenset({"x", "a", "b", "y", "cond"})
#: ops that a framework's users write as methods of their operand
METHODS = {"torch": frozenset({"clamp"})}
#: operators, by their nodes of syntax, for which a framework's arrays want a function
OPERATORS = {
    ("tensorflow", "Eq"): "tensorflow.equal",  # version 1 compares identities
    ("tensorflow", "NotEq"): "tensorflow.not_equal",
    ("tensorflow", "BitAnd"): "tensorflow.logical_and",
    ("tensorflow", "Invert"): "tensorflow.logical_not",
    ("keras", "Invert"): "keras.ops.logical_not",
}
#: since which version a package has a function, or all of a module, by release notes; one that is not here every
#: version has that is still in use. Where it is not known which was the first, a later one is said. Tests hold this
#: against what is installed, and against what its docstrings tell.
SINCE: dict[str, tuple[int, ...]] = {
    "tensorflow.math": (1, 10),
    "tensorflow.math.log_sigmoid": (1, 13),
    "tensorflow.math.divide_no_nan": (1, 13),
    "tensorflow.math.is_inf": (1, 13),
    "tensorflow.math.reciprocal_no_nan": (2,),
    "tensorflow.math.xlogy": (2,),
    "torch.hypot": (1, 7),
    "torch.logaddexp": (1, 6),
    "torch.linalg": (1, 9),
    "torch.special": (1, 9),
    "torch.special.log_ndtr": (1, 11),
    "torch.sinc": (1, 8),
    "torch.xlogy": (1, 8),
    "scipy.special.log_expit": (1, 8),
    "scipy.special.log_softmax": (1, 5),
    "scipy.special.softmax": (1, 2),
    "keras.ops": (3,),
}


def since(name: str) -> tuple[int, ...]:
    """The version of its package since which there is a function; none where every version has it."""
    parts = name.split(".")
    return next((SINCE[known] for n in range(len(parts), 1, -1) if (known := ".".join(parts[:n])) in SINCE), ())


def function_for(op: str, framework: str) -> str | None:
    """The dotted name, as the framework has it, of the function that computes an op in it; None if none does."""
    spelling = spelling_for(op, framework)
    return written(spelling.name) if spelling is not None else None


@cache
def spelling_for(op: str, framework: str) -> Spelling | None:
    """The function that computes an op, or has a control role, in a framework; None if it has none of that alone.

    It takes the operands of the op first and in their order. Of several it is the first in the framework's table;
    SciPy's where NumPy has none.
    """
    for root in ("numpy", "scipy") if framework in ("numpy", "scipy") else (framework,):
        plain: list[Spelling] = []
        for name in _functions().get((op, root), ()):
            if op in CONTROL:
                return load().control(name)
            usual = load().get(name)
            if usual is not None and _is_plain(usual, op):
                plain.append(usual)
        if plain:  # one that takes an axis, if any does
            return next((one for one in plain if "axis" in one.operands), plain[0])
    return None


@cache
def _functions() -> dict[tuple[str, str], list[str]]:
    """The names of the functions that compute an op, or have a role, by op and package."""
    found: dict[tuple[str, str], list[str]] = {}
    controls = ((spelling.name, spelling.op) for spelling in load().controls())
    for name, op in (*load().ops(), *controls):
        owner = name.rpartition(".")[0]
        if not is_method(name) and not load().knows(owner):
            found.setdefault((op, name.partition(".")[0]), []).append(name)
    return found


def _is_plain(spelling: Spelling, op: str) -> bool:
    """Whether a function computes an op and nothing else, of operands in their order."""
    if spelling.op != op or spelling.layer or spelling.in_place or spelling.rest or spelling.literals or spelling.sorts:
        return False
    arrays = [operand for operand in OPS[spelling.op].operands if operand in ARRAYS]
    return tuple(spelling.operands.get(operand) for operand in arrays) == spelling.params[: len(arrays)]


def written(name: str) -> str:
    """The name that the framework itself has for a function that the tables know by its canonical name."""
    root, _, rest = name.partition(".")
    return f"{root}.math.{rest}" if root == "tensorflow" and rest in IN_MATH else name
