"""A witness that is shown fails: the function that a finding is in, called with its inputs, gives no finite number.

Asked of every program under ``tests/fixtures`` whose function takes nothing but what the witness names, in its own
framework: the value, or the gradient of its sum, is NaN or infinite.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import pytest

import nanlint
from nanlint.diagnostic import Diagnostic
from tests.programs.fixtures import PROGRAMS, Program, outcome

#: how a framework makes an array of a row, and its gradient
ARRAYS = {
    "torch": """
def evaluated(function, rows):
    given = {name: torch.tensor(row, requires_grad=True) for name, row in rows.items()}
    value = function(**given)
    if value.requires_grad:
        value.sum().backward()
    return {"value": value.detach(), **{name: one.grad for name, one in given.items()}}
""",
    "tf": """
def evaluated(function, rows):
    given = {name: tf.constant(row) for name, row in rows.items()}
    with tf.GradientTape() as tape:
        tape.watch(given)
        value = function(**given)
    return {"value": value, **tape.gradient(value, given)}
""",
    "jax": """
def evaluated(function, rows):
    given = {name: jnp.array(row) for name, row in rows.items()}
    return {"value": function(**given), **jax.grad(lambda given: function(**given).sum())(given)}
""",
    "numpy": """
def evaluated(function, rows):
    return {"value": function(**{name: np.array(row) for name, row in rows.items()})}
""",
}
#: single numbers, vectors, matrices, and these with the row again and again: a function takes some of them
CALL = """

def shown():
    given = {rows}
    found = {{}}
    for depth in range(5):
        try:
            found = evaluated({function}, {{name: nested(row, depth) for name, row in given.items()}})
        except Exception:
            continue
        if not all(np.isfinite(np.asarray(part)).all() for part in found.values() if part is not None):
            break
    return found


def nested(row, depth):
    single = row[0] if len(row) == 1 else row
    return [single, row, [row], row * 8, [row * 3] * 3][depth]
"""


def shown(program: Program) -> Iterator[tuple[Diagnostic, str]]:
    """The findings of a program with a witness, each with the program that executes it."""
    functions = [node for node in ast.parse(program.text).body if isinstance(node, ast.FunctionDef)]
    for one in nanlint.check_source(program.text, str(program.path)):
        around = [f for f in functions if f.lineno <= one.span.row <= (f.end_lineno or 0)]
        if one.witness is None or "diag(" in one.witness.text or not around or around[0].name == "witness":
            continue
        rows = {name: list(row) for name, row in one.witness.inputs}
        if rows.keys() == {argument.arg for argument in around[0].args.args}:
            call = CALL.format(function=around[0].name, rows=rows)
            yield one, program.text + "\nimport numpy as np\n" + ARRAYS[program.framework] + call


@pytest.mark.parametrize("framework", sorted(ARRAYS))
def test_a_witness_that_is_shown_gives_what_is_not_finite(framework: str) -> None:
    harmless = []
    executed = 0
    for program in (p for p in PROGRAMS if p.is_bad and p.framework == framework):
        for one, text in shown(program):
            result = outcome(program.path, text, "shown")
            numbers = [number for part in result.values() for number in part or []]
            executed += bool(numbers)
            if numbers and all(map(math.isfinite, numbers)):
                harmless.append(f"{program.rule}/{program.path.name}:{one.span.row} {one.code} {one.witness}")
    assert not harmless, "\n".join(harmless)
    assert executed >= 10
