"""The user's tensor filters: by name, as a bound on the range, or as a Python function."""

from __future__ import annotations

import importlib
import operator
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nanlint.refused import Refused
from nanlint.runtime.health import Health


class FilterError(Refused, ValueError):
    """A filter that is not one; the message says which there are."""


@dataclass(frozen=True)
class Filter:
    """A question to every tensor: ``holds`` gets its breakdown and the framework's own tensor.

    Only one that ``wants_tensor`` looks at that.
    """

    name: str
    holds: Callable[[Health, Any], bool]
    wants_tensor: bool = False


def _saturated(health: Health, _: Any) -> bool:
    """At the ends of a sigmoid, softmax or tanh and nowhere between, as far as counts and range tell."""
    if health.size < 2 or health.low is None or health.high is None:
        return False
    flat = health.low == health.high
    return (flat and abs(health.high) == 1) or (health.zero > 0 and health.zero + health.pos == health.size and flat)


NAMED: dict[str, Callable[[Health, Any], bool]] = {
    "has_inf_or_nan": lambda health, _: bool(health.bad),
    "all_zero": lambda health, _: health.size > 1 and health.zero == health.size,
    "saturated": _saturated,
}

_COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_RANGE = re.compile(r"range\s*(>=|<=|>|<)\s*(\S+)")


def filter_of(name: str) -> Filter:
    """The filter that a name, a bound (``range>1e4``: of the greatest magnitude), or ``FILE.py:FUNCTION`` stands for.

    Raises FilterError.
    """
    if name in NAMED:
        return Filter(name, NAMED[name])
    bound = _RANGE.fullmatch(name)
    if bound:
        return Filter(name, _bounded(name, *bound.groups()))
    module, colon, function = name.rpartition(":")
    if colon and module:
        return Filter(name, _function(name, module, function), wants_tensor=True)
    raise FilterError(
        f'unknown filter "{name}": {", ".join(NAMED)}, range>NUMBER, or a Python function as FILE.py:FUNCTION'
    )


def _bounded(name: str, comparison: str, number: str) -> Callable[[Health, Any], bool]:
    try:
        limit = float(number)
    except ValueError:
        raise FilterError(f'filter "{name}": {number} is not a number') from None
    compare = _COMPARISONS[comparison]

    def holds(health: Health, _: Any) -> bool:
        if health.low is None or health.high is None:
            return False
        return bool(compare(max(abs(health.low), abs(health.high)), limit))

    return holds


def _function(name: str, module: str, function: str) -> Callable[[Health, Any], bool]:
    directory, filename = os.path.split(module)
    try:
        if filename.endswith(".py"):
            sys.path.insert(0, os.path.abspath(directory))
            try:
                loaded = importlib.import_module(filename[:-3])
            finally:
                del sys.path[0]
        else:
            loaded = importlib.import_module(module)
        found = getattr(loaded, function)
    except (ImportError, AttributeError) as error:
        raise FilterError(f'filter "{name}": {error}') from None
    if not callable(found):
        raise FilterError(f'filter "{name}": {function} is not a function')
    return lambda health, value: bool(found(health, value))
