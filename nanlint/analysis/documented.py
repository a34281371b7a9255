"""Domains that are stated for parameters and attributes. They are believed, not proved.

Docstrings say "positive", "0 < p < 1", "in [0, 1]"; a method of the class raises on what is outside, whoever calls it
and when. Docstrings are prose in one of several styles, which ``docstring_parser`` takes apart; what is said of one
parameter is searched for the few ways in which people state a range.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from nanlint.ops.value import INF
from nanlint.source.syntax import remembered

#: what a docstring holds that states a domain: most do not, and are not taken apart
HINTS = re.compile(r"positive|negative|between|[<>≤≥∈]|\bin (?:the )?(?:range|interval)|\bin [(\[]|at least|greater")

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf(?:inity)?|∞)"
_LESS = r"<=?|≤"
CHAIN = re.compile(rf"({_NUMBER})\s*({_LESS})\s*`*\w+`*\s*({_LESS})\s*({_NUMBER})", re.I)
INTERVAL = re.compile(
    rf"(?:\bin|∈|range|interval|between)\s*(?:the\s+)?(?:range|interval)?\s*(?:of\s+)?`*"
    rf"([(\[\]])\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*([)\]\[])",
    re.I,
)
BETWEEN = re.compile(rf"\bbetween\s+({_NUMBER})\s+and\s+({_NUMBER})", re.I)
ABOVE = re.compile(
    rf"(>=|≥|>|at least|(?:strictly )?(?:greater|larger|more) than(?: or equal to)?)\s*({_NUMBER}|zero)", re.I
)
NOT_NEGATIVE = re.compile(r"\b(?:non|not)[- ]?negative\b", re.I)
#: "the positive class" is none, "must be positive" and "a positive number" are
_NOUN = r"(?:float|int|integer|scalar|number|real|value|constant|array|tensor|vector)s?"
POSITIVE = re.compile(
    rf"\b(?:strictly positive|(?:must|should|has to|have to|is|are|be) (?:all )?positive|"
    rf"positive (?:finite )?{_NOUN})\b",
    re.I,
)


#: comparisons that bound a number, and what holds where they do not
OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
}


@dataclass(frozen=True)
class Domain:
    """A range of numbers, and whether its ends belong to it."""

    low: float
    high: float
    with_low: bool
    with_high: bool

    def meet(self, other: Domain) -> Domain:
        """What lies in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        of = (self, other)
        return Domain(
            low,
            high,
            all(one.with_low for one in of if one.low == low),
            all(one.with_high for one in of if one.high == high),
        )

    def __str__(self) -> str:
        return f"{'[' if self.with_low else '('}{self.low:g}, {self.high:g}{']' if self.with_high else ')'}"


def domain(name: str, *owners: ast.AST | None) -> Domain | None:
    """The domain that a function, or its class, states for a parameter."""
    for owner in owners:
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found = _domains(ast.get_docstring(owner, clean=True) or "").get(name)
            if found is None and isinstance(owner, ast.ClassDef):
                found = _checked(owner).get(name)
            if found is not None:
                return found
    return None


@remembered
def _checked(cls: ast.ClassDef) -> Mapping[str, Domain]:
    """The attributes of which a method raises unless they are in a domain."""
    found: dict[str, Domain] = {}
    for method in cls.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or not method.args.args:
            continue
        receiver = method.args.args[0].arg
        for statement in method.body:
            if isinstance(statement, ast.Assert):
                kept = inside(statement.test, receiver, holds=True)
            elif isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise):
                kept = inside(statement.test, receiver, holds=False)
            else:
                continue
            for name, stated in kept:
                found[name] = stated.meet(found[name]) if name in found else stated
    return found


def inside(test: ast.expr, owner: str, *, holds: bool) -> Iterator[tuple[str, Domain]]:
    """Attributes of an object that a test, or its opposite, compares with numbers, and where that leaves them."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from inside(test.operand, owner, holds=not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        for part in test.values:
            yield from inside(part, owner, holds=holds)
    elif isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
        sides = (test.left, *test.comparators)
        for one, comparison, other in zip(sides, test.ops, sides[1:], strict=False):
            kind = type(comparison) if holds else OPPOSITE.get(type(comparison))
            if kind not in OPPOSITE:
                continue
            with_end, below = kind in (ast.LtE, ast.GtE), kind in (ast.Lt, ast.LtE)
            for named, limit, above in ((one, literal(other), below), (other, literal(one), not below)):
                match named:
                    case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == owner and limit is not None:
                        yield attr, bounded(limit, with_end=with_end, above=above)


def bounded(limit: float, *, with_end: bool, above: bool) -> Domain:
    """What is bounded by one number, from above or from below."""
    return Domain(-INF, limit, False, with_end) if above else Domain(limit, INF, with_end, False)


def literal(e: ast.expr) -> float | None:
    """The number that an expression is."""
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        inner = literal(e.operand)
        return None if inner is None else -inner
    number = e.value if isinstance(e, ast.Constant) else None
    return float(number) if isinstance(number, (int, float)) and not isinstance(number, bool) else None


@lru_cache(maxsize=256)
def _domains(docstring: str) -> Mapping[str, Domain]:
    if HINTS.search(docstring) is None:
        return {}
    from docstring_parser import ParseError, parse

    try:
        # a section is found behind a summary only
        parameters = parse(f"Summary.\n\n{docstring}").params
    except ParseError:
        return {}
    found: dict[str, Domain] = {}
    for parameter in parameters:
        stated = next(domains_in(f"{parameter.type_name or ''}. {parameter.description or ''}"), None)
        if stated is not None:
            # "x, y : float" speaks of both
            found.update({one.strip(" *`"): stated for one in parameter.arg_name.split(",")})
    return found


def domains_in(text: str) -> Iterator[Domain]:
    """The ranges that a description states, the most exact way of stating one first."""
    text = " ".join(text.split())
    for low, below, above, high in CHAIN.findall(text):
        yield Domain(number(low), number(high), below != "<", above != "<")
    for opening, low, high, closing in INTERVAL.findall(text):
        yield Domain(number(low), number(high), opening == "[", closing == "]")
    for low, high in BETWEEN.findall(text):
        yield Domain(number(low), number(high), True, True)
    for word, low in ABOVE.findall(text):
        yield Domain(number(low), INF, word in (">=", "≥") or "least" in word or "equal" in word, False)
    if NOT_NEGATIVE.search(text) is not None:
        yield Domain(0.0, INF, True, False)
    elif POSITIVE.search(text) is not None:
        yield Domain(0.0, INF, False, False)


def number(text: str) -> float:
    """A number as prose has it."""
    return 0.0 if text.lower() == "zero" else float(text.replace("∞", "inf"))
