"""How frameworks write ops: the small language of the spelling tables, and their index by dotted name.

A table maps a framework's signature to a neutral op, one line a spelling::

    "torch.{,Tensor.}{clamp,clip}{,_!}(input, min, max)": "clamp(x=input, min=min, max=max)"
    "torch.{,Tensor.}softmax torch.special.softmax(input, dim|axis, dtype)": "softmax(x=input, axis=dim)"
    "torch.nn.Softmax(dim)": "layer softmax(x=$, axis=dim)"
    "torch.nn.functional.hardtanh(input, min_val, max_val)": "clamp(x=input, min=min_val|-1, max=max_val|1)"
    "torch.var_mean(input, dim)": "var(x=input, axis=dim); mean(x=input, axis=dim)"
    "torch.max(input, dim:int)": "max(x=input, axis=dim); argmax(x=input, axis=dim)"
    "torch.max(input, other)": "maximum(a=input, b=other)"

Left: the dotted names and their argument names in positional order. Names have spaces between them, or stand in braces
as in a shell: ``torch.{,Tensor.}log{,_!}`` are torch.log, torch.log_, torch.Tensor.log and torch.Tensor.log_. ``!``
marks one that changes its first argument in place. The first argument of a method is its receiver. ``dim|axis`` may be
given under either name; ``*rest`` takes all remaining positional arguments; what follows a bare ``*`` is given by name
only; ``dim:int`` and ``dtype:dtype`` fit only such an argument, ``reduction:'sum'`` only this string. A name may have
several signatures (overloads): the first is the usual one.

Right: the op, its operands bound to argument names, to literals, or to an argument with a literal in case it is not
given (``min_val|-1``); a ``layer`` is an object that applies the op to its argument ``$`` when called, or to several
(``target=$y_true, x=$y_pred``: in this order, or under these names); ``;`` separates the ops of a tuple.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from nanlint.ops.control import CONTROL
from nanlint.ops.op import OPS

Literal = float | int | str | bool | None

#: the alternatives of a pattern of names
BRACES = re.compile(r"(\{[^{}]*\})")
#: what the first argument of a method is called
RECEIVER = "self"
#: what an argument must be to fit a parameter written ``name:sort``
SORTS = frozenset({"int", "dtype"})


#: classes whose methods are found by their last name alone
METHOD_OWNERS = (".Tensor", ".ndarray", ".Array", ".Generator", ".RandomState", ".DataFrame", ".Layer", ".Module")


#: packages that work on the arrays of a framework
BUILT_ON = {
    **dict.fromkeys(("torch_geometric", "torch_scatter", "gpytorch", "botorch", "pyro", "lightning"), "torch"),
    **dict.fromkeys(("flax", "optax", "haiku", "equinox", "chex", "distrax", "numpyro"), "jax"),
    "tensorflow_probability": "tensorflow",
}


@dataclass(frozen=True)
class Spelling:
    """One way of writing an op.

    ``params``: the framework's argument names in positional order; a leading ``*`` takes all remaining ones.
    ``operands``: neutral operand -> argument name. ``literals``: neutral operand -> literal.
    ``defaults``: neutral operand -> literal where its argument is not given. ``aliases``: other name of an argument ->
    its name in ``params``. ``sorts``: argument -> what it must be. ``named``: arguments that are given by name only.
    ``rest``: where the result is a tuple, the spellings of its elements after the first.
    """

    name: str
    params: tuple[str, ...]
    op: str
    operands: Mapping[str, str]
    literals: Mapping[str, Literal] = field(default_factory=dict)
    layer: bool = False
    in_place: bool = False
    defaults: Mapping[str, Literal] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    sorts: Mapping[str, str] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    rest: tuple[Spelling, ...] = ()

    @property
    def framework(self) -> str:
        """Whose arrays it works on: torch, tensorflow, keras, jax, numpy, scipy, or the user's package."""
        root = self.name.partition(".")[0]
        return BUILT_ON.get(root, root)

    @property
    def is_method(self) -> bool:
        return is_method(self.name)

    def parameter(self, position: int) -> str | None:
        """The parameter that takes the positional argument number ``position``; None if there are too many."""
        if position < len(self.params):
            return self.params[position]
        return self.params[-1] if self.params and self.params[-1].startswith("*") else None

    def fits(self, positional: Sequence[str], keywords: Mapping[str, str]) -> bool:
        """Whether a call can mean this, by number and sort ("int", "dtype", "" for anything else) of its arguments."""
        given = {self.aliases.get(name, name): sort for name, sort in keywords.items()}
        for position, sort in enumerate(positional):
            param = self.parameter(position)
            if param is None:
                return False
            given[param] = sort
        return all(given.get(param, sort) == sort for param, sort in self.sorts.items())


def is_method(name: str) -> bool:
    return name.rpartition(".")[0].endswith(METHOD_OWNERS)


class SpellingError(ValueError):
    """A spelling that cannot be read; says which and why."""


def names_in(pattern: str) -> list[str]:
    """The names that a pattern with braces stands for: ``torch.log{,_!}`` are ``torch.log`` and ``torch.log_!``."""
    if "{" not in pattern:
        return [pattern]
    parts = [part.strip("{}").split(",") for part in BRACES.split(pattern)]
    return ["".join(chosen) for chosen in product(*parts)]


def each_name(signature: str, meaning: str) -> Iterator[tuple[str, str, str]]:
    """A line of a table for each name that it spells: the name, its signature, its meaning."""
    names, paren, inside = signature.partition("(")
    for pattern in names.split():
        for name in names_in(pattern):
            yield name.removesuffix("!"), name + paren + inside.strip(), meaning


def parse(signature: str, meaning: str) -> Spelling:
    """Read one line of a table, for one of its names.

    Raises:
        SpellingError: if the line is not in the language, or names an unknown op, operand or argument.
    """
    name, paren, inside = signature.strip().partition("(")
    in_place = name.endswith("!")
    name = name.removesuffix("!")
    if not name or (paren and not inside.endswith(")")) or not all(p.isidentifier() for p in name.split(".")):
        raise SpellingError(f"{signature!r}: expected a dotted name and its arguments, such as 'torch.log(input)'")
    params: list[str] = []
    named: list[str] = []
    aliases: dict[str, str] = {}
    sorts: dict[str, str] = {}
    target = params
    for item in _items(inside.removesuffix(")")):
        if item == "*":
            target = named
            continue
        item, _, sort = item.partition(":")
        param, *others = (p.strip() for p in item.split("|"))
        if not all(p.removeprefix("*").isidentifier() for p in (param, *others)):
            raise SpellingError(f"{signature!r}: {item!r} is not an argument name")
        if sort:
            if sort.strip() not in SORTS and not sort.strip().startswith("'"):
                raise SpellingError(f"{signature!r}: {sort.strip()!r} is not one of {', '.join(sorted(SORTS))}")
            sorts[param] = sort.strip()
        aliases.update(dict.fromkeys(others, param))
        target.append(param)
    words = meaning.strip()
    layer = words.startswith("layer ")
    known = {p.removeprefix("*") for p in (*params, *named)}
    receiver = params[0] if params and is_method(name) else None
    if receiver is not None:
        params[0] = RECEIVER
    first, *rest = (
        Spelling(
            name,
            tuple(params),
            aliases=aliases,
            sorts=sorts,
            named=tuple(named),
            **_bound(signature, part, known, receiver),
        )
        for part in words.removeprefix("layer ").split(";")
    )
    return replace(first, layer=layer, in_place=in_place, rest=tuple(rest))


def _bound(signature: str, application: str, arguments: set[str], receiver: str | None) -> dict[str, Any]:
    """The fields that ``op(operand=argument, …)`` says: op, operands, literals, defaults."""
    op, paren, inside = application.strip().partition("(")
    known = CONTROL[op] if op in CONTROL else OPS[op].operands if op in OPS else None
    if known is None:
        raise SpellingError(f"{signature!r}: no op named {op!r} in the catalogue")
    if paren and not inside.endswith(")"):
        raise SpellingError(f"{signature!r}: {application.strip()!r} has no closing parenthesis")
    operands: dict[str, str] = {}
    literals: dict[str, Literal] = {}
    defaults: dict[str, Literal] = {}
    for position, item in enumerate(_items(inside.removesuffix(")"))):
        operand, eq, source = (part.strip() for part in item.partition("="))
        if not eq:
            if position >= len(known):
                raise SpellingError(f"{signature!r}: {op} has no operand number {position + 1}")
            operand, source = known[position], item
        argument, either, default = source.partition("|")
        if argument.startswith("$") or argument.removeprefix("*") in arguments:
            operands[operand] = RECEIVER if argument == receiver else argument
            if either:
                defaults[operand] = _literal(signature, default)
        else:
            literals[operand] = _literal(signature, source)
    return {"op": op, "operands": operands, "literals": literals, "defaults": defaults}


def _items(text: str) -> Iterator[str]:
    return (item for part in text.split(",") if (item := part.strip()))


def _literal(signature: str, text: str) -> Literal:
    try:
        literal: Literal = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise SpellingError(f"{signature!r}: {text!r} is neither an argument nor a literal") from None
    return literal


class Spellings:
    """All spelling tables, indexed by dotted name; lines are read when first asked for."""

    def __init__(self, tables: Iterable[Mapping[str, str]]) -> None:
        self._lines: dict[str, list[tuple[str, str]]] = {}
        self._control: dict[str, tuple[str, str] | Spelling] = {}
        self._read: dict[str, tuple[Spelling, ...]] = {}
        self._methods: dict[str, list[str]] = {}
        for table in tables:
            for signature, meaning in table.items():
                control = meaning.partition("(")[0] in CONTROL
                for name, *line in each_name(signature, meaning):
                    if control:
                        self._control.setdefault(name, (line[0], line[1]))
                        continue
                    lines = self._lines.setdefault(name, [])
                    lines.append((line[0], line[1]))
                    if len(lines) == 1 and is_method(name):
                        self._methods.setdefault(name.rpartition(".")[2], []).append(name)

    def overloads(self, name: str) -> tuple[Spelling, ...]:
        """All signatures of a dotted name, the usual one first."""
        found = self._read.get(name)
        if found is None and name in self._lines:
            found = self._read[name] = tuple(parse(*line) for line in self._lines[name])
        return found or ()

    def get(self, name: str) -> Spelling | None:
        """The spelling of a dotted name, if the catalogue has it: its usual signature."""
        found = self.overloads(name)
        return found[0] if found else None

    def knows(self, name: str) -> bool:
        """Whether the catalogue has a dotted name, as an op or by its control role."""
        return name in self._lines or name in self._control

    def control(self, name: str) -> Spelling | None:
        """What a function does with the functions and values that it is given, if that is a control role."""
        line = self._control.get(name)
        if isinstance(line, tuple):
            line = self._control[name] = parse(*line)
        return line

    def controls(self) -> Iterator[Spelling]:
        """Every function that has a control role."""
        return (found for name in self._control if (found := self.control(name)) is not None)

    def choose(self, name: str, positional: Sequence[str], keywords: Mapping[str, str]) -> Spelling | None:
        """The spelling of a call: the signature that its arguments fit most closely, else the usual one.

        Arguments are given by their sort: "int" (an integer, or a tuple of them), "dtype", a string in its quotes, ""
        for anything else. A method's receiver counts as its first positional argument.
        """
        overloads = self.overloads(name)
        if len(overloads) < 2:
            return overloads[0] if overloads else None
        apart = {p for s in overloads for p in (*s.params, *s.named, *s.aliases)}
        fitting = [
            s
            for s in overloads
            if s.fits(positional, keywords)
            and all(k in (*s.params, *s.named, *s.aliases) for k in keywords if k in apart)
        ]

        def told_apart(s: Spelling) -> int:
            given = {*(s.params[: len(positional)]), *(s.aliases.get(k, k) for k in keywords)}
            return sum(1 if param in given else -1 for param in s.sorts)

        return min(fitting, key=lambda s: len(s.params) - 100 * told_apart(s), default=overloads[0])

    def method(self, name: str, frameworks: Iterable[str]) -> Spelling | None:
        """A tensor method by name, in the first of ``frameworks`` that has it."""
        names = self._methods.get(name)
        if not names:
            return None
        for framework in frameworks:
            for full in names:
                if framework in (root := full.partition(".")[0], BUILT_ON.get(root)):
                    return self.get(full)
        return None

    def owner(self, method: str) -> str | None:
        """The framework whose arrays alone have a method by this name."""
        roots = (name.partition(".")[0] for name in self._methods.get(method, ()))
        found = {BUILT_ON.get(root, root) for root in roots}
        return found.pop() if len(found) == 1 else None

    def is_of_arrays(self, method: str) -> bool:
        """Whether arrays of any framework have a method by this name, and no number, text, path or container has."""
        return method in self._methods and not any(hasattr(other, method) for other in OTHER_OBJECTS)

    def names(self) -> Iterable[str]:
        return self._lines.keys()

    def ops(self) -> Iterator[tuple[str, str]]:
        """The dotted name of every line, and the op that it spells (the first, where it gives several), unread."""
        for name, lines in self._lines.items():
            for _, meaning in lines:
                yield name, meaning.strip().removeprefix("layer ").partition(";")[0].partition("(")[0].split(" ")[0]

    def __iter__(self) -> Iterator[Spelling]:
        return (s for name in self._lines for s in self.overloads(name))


#: what else has methods, and may stand beside an operator
OTHER_OBJECTS = (float, int, complex, str, bytes, list, tuple, dict, set, Path, Fraction, Decimal, timedelta)
