"""The witness that plain ``check`` shows: what the operations say at single numbers, without any framework."""

from __future__ import annotations

from nanlint.diagnostic import Witness
from nanlint.proof.python import PythonBackend
from nanlint.proof.search import Found, Search
from nanlint.proof.slice import Slice
from nanlint.proof.telling import witness


def failing(program: Slice) -> Found | None:
    """Inputs that fail by the formulas of the operations; None where none is found, or a step has no formula."""
    return Search(program, PythonBackend(program.framework)).run().found


def witness_of_ranges(program: Slice) -> Witness | None:
    """What the ranges alone give; no framework is run."""
    found = failing(program)
    return witness(program, found, None) if found is not None else None
