"""Domains that docstrings state for parameters: "positive", "0 < p < 1", "in [0, 1]". They are believed, not proved.

Docstrings are prose in one of several styles, which ``docstring_parser`` takes apart; what is said of one
parameter is searched for the few ways in which people state a range.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from nanlint.ops.value import INF

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


@dataclass(frozen=True)
class Domain:
    """A range of numbers, and whether its ends belong to it."""

    low: float
    high: float
    with_low: bool
    with_high: bool

    def __str__(self) -> str:
        return f"{'[' if self.with_low else '('}{self.low:g}, {self.high:g}{']' if self.with_high else ')'}"


def domain(name: str, *owners: ast.AST | None) -> Domain | None:
    """The domain that a function, or its class, states for a parameter."""
    for owner in owners:
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found = _domains(ast.get_docstring(owner, clean=True) or "").get(name)
            if found is not None:
                return found
    return None


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
