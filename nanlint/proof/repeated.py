"""Executions by formula are pure, and programs repeat themselves: what came of one is known for all that say the same.

A file is read back for its fixes again and again, and much of it does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

Subject = TypeVar("Subject")
More = ParamSpec("More")
Result = TypeVar("Result")

_KEPT = 2048  # results of each function


@dataclass(frozen=True)
class _Content:
    """What a function is asked of, told from others by all that is written down of it."""

    text: str
    subject: object = field(compare=False)


def by_content(
    function: Callable[Concatenate[Subject, More], Result],
) -> Callable[Concatenate[Subject, More], Result]:
    """A function of plain data, whose ``repr`` tells all of it, and of more that can be hashed.

    What it gave last is kept, by content. It raises nothing, and nobody changes what it gives.
    """

    @lru_cache(maxsize=_KEPT)
    def known(content: _Content, /, *args: object, **keywords: object) -> Result:
        return function(content.subject, *args, **keywords)  # type: ignore[arg-type]

    @wraps(function)
    def recalled(subject: Subject, /, *args: More.args, **keywords: More.kwargs) -> Result:
        return known(_Content(repr(subject), subject), *args, **keywords)  # type: ignore[arg-type]

    return recalled
