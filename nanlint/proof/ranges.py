"""The witness that plain ``check`` shows: what the operations say at single numbers, without any framework."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

from nanlint.diagnostic import Witness
from nanlint.graph.node import CONST
from nanlint.ops.op import OPS
from nanlint.proof.interpret import Cannot, Execution, Infeasible
from nanlint.proof.plausible import ordinary
from nanlint.proof.python import PythonBackend
from nanlint.proof.repeated import by_content
from nanlint.proof.search import Found, Search
from nanlint.proof.slice import Slice
from nanlint.proof.telling import witness


def placeless(program: Slice) -> Slice:
    """A program wherever it stands."""
    return replace(program, places={})


def failing(program: Slice) -> Found | None:
    """Inputs that fail by the formulas of the operations; None where none is found, or a step has no formula."""
    return Search(program, PythonBackend(program.framework)).run().found


def fails_ordinarily(program: Slice) -> bool:
    """Whether an input that is given as a matter of course is shown to fail, and nothing else fails before.

    What the program asks before it comes there is not asked: that is for the guards of the record.
    """
    return _fails_ordinarily(replace(placeless(program), guards={}))


@by_content
def _fails_ordinarily(program: Slice) -> bool:
    found = failing(program) if program.executable else None
    if found is None and program.executable and (before := without_formula(program)) is not None:
        program, found = before, failing(before)
    if found is not None and found.width == 1 and gathers(program):
        # of one element many sums and lengths are 0
        found = Search(program, PythonBackend(program.framework)).at_width(2)
    if found is None or broken_before(program, found):
        return False
    return ordinary((program.steps[i], row) for i, row in found.inputs.items() if program.is_source(i))


def gathers(program: Slice) -> bool:
    """Whether an operand is one number of many."""
    made_of = (OPS.get(program.steps[i].op) for i in program.upstream(program.at))
    return any(op is not None and op.reduction for op in made_of)


def without_formula(program: Slice) -> Slice | None:
    """Of a slice that ends in an op without a formula, as a user's is, the part up to its operand; else None."""
    breaking = program.breaking
    if breaking is None or breaking.operand == program.at:
        return None
    at = breaking.operand
    before = replace(program, at=at, ends=(at,), breaking=replace(breaking, gradient=True))
    found = failing(before)
    if found is None:
        return None
    try:
        Execution(program, PythonBackend(program.framework), found.inputs, width=found.width).numbers(program.at)
    except (Infeasible, Cannot) as error:
        return before if isinstance(error, Cannot) and error.step == program.at else None
    return None


def broken_before(program: Slice, found: Found) -> bool:
    """Whether an infinity on the way, that is not what is told, brings the operand to its pole or stands beside it."""
    breaking = program.breaking
    if breaking is None or breaking.cls not in ("zero", "neg", "pos"):
        return False
    run = Execution(program, PythonBackend(program.framework), found.inputs, width=found.width)
    run.numbers(program.at)
    for i in program.upstream(program.at):
        if i == program.at or program.steps[i].op == CONST or not run.reached(i):
            continue
        with suppress(Infeasible, Cannot):
            if any(map(math.isinf, run.numbers(i))):
                return True
    return False


def shown(program: Slice) -> Found | None:
    """The inputs that fail as a reader is shown them: in plain numbers, as far as plain ones fail."""
    search = Search(program, PythonBackend(program.framework))
    found = search.run().found
    return search.plainer(found) if found is not None else None


def witness_of_ranges(program: Slice) -> Witness | None:
    """What the ranges alone give; no framework is run."""
    return _witness_of_ranges(placeless(program))


@by_content
def _witness_of_ranges(program: Slice) -> Witness | None:
    found = shown(program)
    return witness(program, found, None) if found is not None else None
