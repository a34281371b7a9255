"""The catalogue in force: the frameworks' spelling tables and the user's own functions."""

from __future__ import annotations

from collections.abc import Mapping

from nanlint.ops.frameworks import TABLES, load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import SpellingError, Spellings

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
    return Spellings([*TABLES, own(user)]) if user else load()


def own(user: Mapping[str, object]) -> dict[str, str]:
    """Spelling lines of the user's functions."""
    lines: dict[str, str] = {}
    for name, entry in user.items():
        if isinstance(entry, str):
            lines[name] = entry
        elif isinstance(entry, Mapping):
            like, declared = entry.get("like"), entry.get("range")
            if declared is not None and declared not in RANGES:
                raise SpellingError(f"{name!r}: range {declared!r} is not one of {', '.join(RANGES)}")
            op = RANGES[declared] if isinstance(declared, str) else like
            if not isinstance(op, str) or op not in OPS:
                raise SpellingError(f"{name!r}: no op named {op!r} in the catalogue")
            operands = OPS[op].operands
            signature = name if "(" in name else f"{name}({', '.join(operands)})"
            lines[signature] = f"{op}({', '.join(f'{o}={o}' for o in operands)})"
        else:
            raise SpellingError(f"{name!r}: expected a line such as 'log(x=x)' or a table with `like` or `range`")
    return lines
