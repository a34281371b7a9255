"""Runs whole programs that define main(), for all that it returns: the harness of the recordings of harmless fixes."""

from __future__ import annotations

import contextlib
import io
import linecache
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.recording import Recordings


def returned(framework: str, program: str) -> list[Any]:
    """What main() of a program returns: of each part the type and its numbers; or what it raises, in words."""

    def execute() -> list[Any]:
        name = f"<program {hash(program)}>"
        # what compiles a function reads its text
        linecache.cache[name] = (len(program), None, program.splitlines(True), name)
        names: dict[str, Any] = {"__name__": "program"}
        try:
            with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
                exec(compile(program, name, "exec"), names)
                return [[type(part).__name__, numbers(part)] for part in parts(names["main"]())]
        except Exception as error:
            return [["raised", f"{type(error).__name__}: {error}"]]

    return list(Recordings("harmless", framework, (Path(__file__),)).answer([program], execute))


def parts(value: object) -> Iterator[Any]:
    """What is in tuples, lists and dicts, one after the other."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from parts(one)
    else:
        yield value


def numbers(part: Any) -> Any:
    """An array of a framework as one of NumPy; anything else by its words."""
    if isinstance(part, (str, bool)) or part is None:
        return part
    part = part.detach() if hasattr(part, "detach") else part
    try:
        found = np.asarray(part)
    except Exception:
        return str(part)
    if found.dtype.kind in "fiubc":
        return found
    return found.astype("float32") if found.dtype.kind == "V" else str(part)
