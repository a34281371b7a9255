"""Which versions of a package a project is made for: what its requirements and its metadata say of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache

from nanlint.disk import Stamp, absolute, entries, is_file, parents, read_regular, stamp_of, top_of
from nanlint.source.text import Source

#: the files that say it, by the beginning and the end of their names
SAYING = re.compile(r"(requirements.*\.(txt|in)|setup\.(py|cfg)|pyproject\.toml|environment\.ya?ml|Pipfile)$")
#: packages under the name that they are installed by
INSTALLED_AS = {"tensorflow": r"tensorflow(?:-gpu|-cpu)?"}
#: the least and the first later version of one that is not bounded
ANY: tuple[tuple[int, ...], tuple[int, ...]] = (), (10**6,)

Bounds = tuple[tuple[int, ...], tuple[int, ...]]


def has(source: Source, package: str, since: tuple[int, ...]) -> bool:
    """Whether all versions of a package that the project of a file allows are at least one; none is said: it is."""
    low, end = bounds(source, package)
    return end > since and (not low or low >= since)


def bounds(source: Source, package: str) -> Bounds:
    """The least version that a project allows, and the first that it does not; of several statements the tightest."""
    path = absolute(source.path)
    if not is_file(path):
        return ANY
    found = [bounds_in(one, stamp_of(one), package) for one in saying(os.path.dirname(path))]
    return max((low for low, _ in found), default=ANY[0]), min((end for _, end in found), default=ANY[1])


def saying(directory: str) -> Iterator[str]:
    """The files that say it, in a directory and those around it up to the top of the project."""
    top = top_of(directory)
    for around in parents(directory):
        yield from sorted(one.path for one in listed(around) if SAYING.match(one.name) and is_file(one.path))
        if around == top or top is None:
            return


def listed(directory: str) -> list[os.DirEntry[str]]:
    """What is in a directory; nothing where it cannot be read."""
    try:
        return entries(directory)
    except OSError:
        return []


@lru_cache(maxsize=256)
def bounds_in(path: str, stamp: Stamp | None, package: str) -> Bounds:
    """What one file says of a package: ``tensorflow>=1.4,<2``, ``tensorflow = "1.15.*"``."""
    try:
        text = read_regular(path, most=1_000_000).decode("utf-8", "replace")
    except OSError:
        return ANY
    name = INSTALLED_AS.get(package, re.escape(package))
    low, end = ANY
    for said in re.findall(rf"(?<![\w.-]){name}(?:\[[^\]]*\])?[\"']?\s*(?:=\s*[\"'])?\s*([=<>~^!\d][^;#\"'\n]*)", text):
        for operator, version in re.findall(r"([=<>~^!]*)\s*(\d+(?:\.\d+)*)", said):
            number = tuple(map(int, version.split(".")))
            if operator in (">=", ">", "==", "===", "=", "~=", "^", ""):
                low = max(low, number)
            if operator in ("==", "===", "=", "", "<="):
                end = min(end, (*number[:-1], number[-1] + 1))
            elif operator == "<":
                end = min(end, number)
            elif operator == "^" or (operator == "~=" and len(number) == 2):
                end = min(end, (number[0] + 1,))
            elif operator == "~=" and len(number) > 2:
                end = min(end, (*number[:-2], number[-2] + 1))
    return low, end
