"""The catalogue in force: the frameworks' spelling tables and the user's own functions."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache

from nanlint.ops.control import CONTROL
from nanlint.ops.frameworks import TABLES, load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import SpellingError, Spellings, each_name, parse

#: what a user may say of the range of a function, and the op that has just that range
RANGES = {
    "finite": "declared_finite",
    "positive": "declared_positive",
    "non-negative": "declared_non_negative",
    "unit": "declared_unit",
}


def catalogue(user: Mapping[str, object]) -> Spellings:
    """The catalogue, with the user's functions: a spelling line, or a table of ``like`` and ``range``.

    Raises:
        SpellingError: if an entry cannot be read.
    """
    return _with(tuple(own(user).items())) if user or _plugins else load()


@lru_cache(maxsize=16)
def _with(lines: tuple[tuple[str, str], ...]) -> Spellings:
    """The catalogue with these lines; every one is read, so that a wrong one is told before any file is."""
    for line in lines:
        for _, *one in each_name(*line):
            parse(*one)
    return Spellings([*TABLES, *_plugins.values(), dict(lines)])


_plugins: dict[str, Mapping[str, str]] = {}


def enter_table(origin: str, table: Mapping[str, str]) -> None:
    """Add a plugin's table of spellings, in the place of an earlier one of the same origin.

    Raises:
        SpellingError: if a line cannot be read, or spells a function that the catalogue has.
    """
    known = set(load().names())
    for line in table.items():
        for name, *one in each_name(*line):
            parse(*one)
            if name in known:
                raise SpellingError(f"{line[0]!r}: {name} is already in the catalogue")
    _plugins[origin] = dict(table)
    _with.cache_clear()


def leave_table(origin: str) -> None:
    """Take a plugin's table out again."""
    if _plugins.pop(origin, None) is not None:
        _with.cache_clear()


def plugin_roots() -> frozenset[str]:
    """The packages whose functions plugins spell."""
    return frozenset(signature.partition(".")[0] for table in _plugins.values() for signature in table)


def own(user: Mapping[str, object]) -> dict[str, str]:
    """Spelling lines of the user's functions. A name without a signature takes the operands of its op."""
    lines: dict[str, str] = {}
    for name, entry in user.items():
        if isinstance(entry, str):
            op, meaning = entry.partition("(")[0].removeprefix("layer ").strip(), entry
        elif isinstance(entry, Mapping):
            like, declared = entry.get("like"), entry.get("range")
            if declared is not None and declared not in RANGES:
                raise SpellingError(f"{name!r}: range {declared!r} is not one of {', '.join(RANGES)}")
            op = RANGES[declared] if isinstance(declared, str) else str(like)
            meaning = ""
        else:
            raise SpellingError(f"{name!r}: expected a line such as 'log(x=x)' or a table with `like` or `range`")
        if op not in OPS and op not in CONTROL:
            raise SpellingError(f"{name!r}: no op named {op!r} in the catalogue{nearest(op)}")
        operands = OPS[op].operands if op in OPS else CONTROL[op]
        signature = name if "(" in name else f"{name}({', '.join(operands)})"
        if not meaning:
            given = [p.partition(":")[0].strip() for p in signature.partition("(")[2].rstrip(")").split(",")]
            meaning = f"{op}({', '.join(f'{o}={g}' for o, g in zip(operands, given, strict=False))})"
        lines[signature] = meaning
    return lines


def nearest(op: str) -> str:
    """The question that helps where an op is misspelled."""
    found = get_close_matches(op, (*OPS, *CONTROL), 1)
    return f"; did you mean {found[0]!r}?" if found else ""
