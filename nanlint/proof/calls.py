"""Calling an op as its framework spells it: the catalogue says which function, and which argument is which operand."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from nanlint.ops.frameworks import CANONICAL, load
from nanlint.ops.spelling import Spelling
from nanlint.proof.backend import Unsupported

#: functions of an op that are tried before it counts as one the framework does not have
MAX_SPELLINGS = 6


def places(name: str) -> Iterator[str]:
    """Where a canonical name may be found: the tables leave out what only groups."""
    yield name
    root, _, rest = name.partition(".")
    if root == "tensorflow":
        owner, _, last = rest.rpartition(".")
        if owner == "Tensor":
            yield f"tensorflow.Variable.{last}"
            yield f"tensorflow.RaggedTensor.{last}"
        yield f"tensorflow.math.{rest}"
        yield f"tensorflow.compat.v1.{rest}"
        yield f"tensorflow.compat.v1.math.{rest}"
    if name.startswith("keras.backend."):
        yield name.replace("keras.backend.", "keras.src.legacy.backend.")
    if name.startswith("jax.Array."):
        yield name.replace("jax.Array.", "jaxlib._jax.ArrayImpl.")
    for prefix, known in CANONICAL:
        if name.startswith(known + ".") and prefix.startswith(("jax._src.", "torch._C._Variable")):
            yield prefix + name[len(known) :]


@cache
def resolve(name: str) -> Any:
    """The object of a dotted name of the catalogue; AttributeError if what is installed has none."""
    for place in places(name):
        parts = place.split(".")
        for n in range(len(parts), 0, -1):
            try:
                found: Any = importlib.import_module(".".join(parts[:n]))
            except ImportError:
                continue
            try:
                for part in parts[n:]:
                    found = getattr(found, part)
            except AttributeError:
                break
            return found
    raise AttributeError(name)


@cache
def spelled(name: str, op: str) -> tuple[Spelling, ...]:
    """The signatures of a function that mean this op."""
    return tuple(s for s in load().overloads(name) if s.op == op)


@cache
def functions_of(op: str, roots: tuple[str, ...]) -> tuple[Spelling, ...]:
    """Functions of the frameworks that compute an op, the plainest first: no layers, no methods, no old names."""
    found = [s for s in load() if s.op == op and s.name.partition(".")[0] in roots and not s.layer and not s.in_place]
    plain = [s for s in found if not s.is_method]

    def oddness(s: Spelling) -> tuple[bool, int, int]:
        return s.name.rpartition(".")[2] != op, len(s.literals), s.name.count(".")

    return tuple(sorted(plain or found, key=oddness))[:MAX_SPELLINGS]


def call(
    op: str,
    name: str | None,
    operands: Mapping[str, Any],
    roots: tuple[str, ...],
    forms: Sequence[Callable[[Any], Any]],
) -> Any:
    """``op`` of ``operands``, by the function ``name`` if it is one of ``roots``, else by any of theirs.

    ``forms``: what is made of each operand before a call, tried in order (as it is, as an array, as a batch of one).

    Raises:
        Unsupported: if no function takes these operands.
    """
    mine = name is not None and name.partition(".")[0] in roots
    tried = [*(spelled(name, op) if mine and name is not None else ()), *functions_of(op, roots)]
    for spelling in tried:
        if not set(operands) <= {*spelling.operands, *spelling.literals}:
            continue
        for form in forms:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return apply(spelling, {k: form(v) for k, v in operands.items()})
            except Exception:  # the next form, the next function
                continue
    raise Unsupported(op)


#: arguments that want True or False where the op has a number
FLAGS = frozenset({"unbiased", "zero_infinity", "from_logits"})


def flag(x: Any) -> Any:
    """A number as the flag that it stands for."""
    return bool(x) if isinstance(x, (int, float)) else x


def same(x: Any, default: Any) -> bool:
    """Whether an operand is just what the function takes without it."""
    return isinstance(x, (bool, int, float)) and x == default


def apply(spelling: Spelling, operands: Mapping[str, Any]) -> Any:
    """Call a function, a method on its receiver, or a layer on its input; of several results the first."""
    given = {
        argument: flag(operands[operand]) if argument in FLAGS else operands[operand]
        for operand, argument in spelling.operands.items()
        if operand in operands
        and not (operand in spelling.defaults and same(operands[operand], spelling.defaults[operand]))
    }
    x = given.pop("$", None)
    if "axis" in spelling.operands and not (spelling.layer and x is None):
        given.setdefault(spelling.operands["axis"], 0)
    positional: list[Any] = []
    for param in spelling.params:
        if param.startswith("*"):
            rest = given.pop(param, None)
            positional.extend(rest if isinstance(rest, (list, tuple)) else [] if rest is None else [rest])
        elif param in given:
            positional.append(given.pop(param))
        else:
            break
    if spelling.is_method:
        receiver, *others = positional
        last = spelling.name.rpartition(".")[2]
        if spelling.in_place:
            last = last.removesuffix("_") if hasattr(receiver, last.removesuffix("_")) else last
        result = getattr(receiver, last)(*others, **given)
    else:
        function = resolve(spelling.name)
        result = function(*positional, **given)(x) if spelling.layer else function(*positional, **given)
    return result[0] if isinstance(result, (tuple, list)) else result
