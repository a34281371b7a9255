"""A witness in words, as the frame shows it: ``logits = [0., 200.] gives loss = nan, d loss/d logits = [nan, nan]``."""

from __future__ import annotations

import math

from nanlint.diagnostic import Witness
from nanlint.proof.entering import Sort
from nanlint.proof.search import Found
from nanlint.proof.slice import Slice

#: inputs and gradients shown in the text; all are in the structure
MAX_INPUTS = 5
MAX_GRADIENTS = 1


def witness(program: Slice, found: Found, framework: str | None) -> Witness:
    """The witness that inputs which fail are. ``framework``: what executed it; None for the ranges alone."""
    operand = program.breaking.operand if program.breaking else program.at
    nearest = program.sources(operand)
    sources = [i for i in dict.fromkeys((*nearest, *program.sources(found.end), *found.inputs)) if i in found.inputs]
    sources = [i for i in sources if program.is_source(i)]
    named: dict[str, tuple[float, ...]] = {}
    for i in sources:
        # how long a row is, its numbers say
        if program.steps[i].name and program.steps[i].sort is not Sort.SIZE:
            named.setdefault(program.steps[i].name, found.inputs[i])
    shown = sorted(named.items(), key=lambda item: item[0] in given_by_default(program, sources))
    output = program.steps[found.end].name or "the result"
    gradient = None
    if found.gradients is not None:
        ordered = sorted(found.gradients, key=lambda i: i not in nearest)
        gradient = tuple((program.steps[i].name, found.gradients[i]) for i in ordered)
    square = {program.steps[i].name for i in matrices(program, found)}
    given = ", ".join(
        f"{name} = {diagonal(row) if name in square else written(row)}" for name, row in shown[:MAX_INPUTS]
    )
    given += ", …" if len(shown) > MAX_INPUTS else ""
    text = f"{given} gives {output} = {written(found.output)}" if given else f"{output} = {written(found.output)}"
    bad = [g for g in gradient or () if not all(map(math.isfinite, g[1]))][:MAX_GRADIENTS]
    short = output if output.isidentifier() or output.endswith("(...)") else f"({output})"
    text += "".join(f", d {short}/d {name} = {written(row)}" for name, row in bad)
    breaking = program.breaking
    if framework is None and breaking is not None and breaking.trap and all(map(math.isfinite, found.output)):
        slope = "0 * inf = nan" if breaking.hidden and not breaking.gradient else breaking.gives
        text += f", and a gradient of {slope}"
    return Witness(tuple(named.items()), (output, found.output), text, gradient, framework)


def matrices(program: Slice, found: Found) -> set[int]:
    """The sources whose rows are the diagonal of a matrix: those that a row is multiplied with element by element."""
    square = set()
    for i, way in found.inputs.items():
        step = program.steps[i]
        if step.op != "dot" or way != (0.0,):
            continue
        second = list(step.args.values())[-1]
        while program.steps[second].op == "view":
            second = program.steps[second].args["x"]
        square.add(second)
    return square


def diagonal(row: tuple[float, ...]) -> str:
    """The matrix that has a row as its diagonal; of zeros it is no other than the row."""
    return written(row) if len(row) == 1 or not any(row) else f"diag({', '.join(number(x) for x in row)})"


def given_by_default(program: Slice, sources: list[int]) -> set[str]:
    """The names of sources that are what their default says: no news to the reader."""
    return {program.steps[i].name for i in sources if program.steps[i].domain.number is not None}


def written(row: tuple[float, ...]) -> str:
    """A row as arrays are printed; a single number without brackets."""
    numbers = ", ".join(number(x) for x in row)
    return numbers if len(row) == 1 else f"[{numbers}]"


def number(x: float) -> str:
    """A number as arrays print it: ``0.``, ``0.25``, ``1e-06``, ``nan``."""
    if not math.isfinite(x):
        return str(x)
    text = f"{x:.6g}"
    return f"{text}." if text.lstrip("-").isdigit() else text
