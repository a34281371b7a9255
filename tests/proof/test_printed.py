"""A witness that is printed, executed in its framework, gives what is printed: of every bad program.

The text is read back, as a reader would; numbers that it does not show are sizes, defaults, and ways taken. Functions
of the programs are called with what is printed at each run; what nanlint itself executes, it executes of the framework
that a run draws.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module

import pytest

from nanlint.diagnostic import Confidence, Diagnostic
from nanlint.proof.entering import Sort
from nanlint.proof.interpret import Execution
from nanlint.proof.pool import Pool
from nanlint.proof.proofs import Proof, Question
from nanlint.proof.ranges import shown
from nanlint.proof.search import Found, Search
from nanlint.proof.slice import Slice
from nanlint.proof.telling import MAX_INPUTS, witness
from nanlint.rules import diagnose
from nanlint.source import Source
from tests.programs.fixtures import PROGRAMS, Program, family, outcome
from tests.recording import RUN
from tests.sampling import sample

NUMBER = r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|inf|nan)"
ROW = rf"(\[[^\]]*\]|diag\([^)]*\)|{NUMBER})"
#: a framework, and the families of programs that it runs
FRAMEWORKS = {"torch": ("torch",), "tensorflow": ("tf", "tf1", "keras"), "jax": ("jax",), "numpy": ("numpy",)}
#: digits that are printed
PRECISION = 1e-5
BAD = [program for program in PROGRAMS if program.is_bad]


def read(text: str, name: str) -> tuple[float, ...] | None:
    """The numbers that a text gives to a name."""
    found = re.search(rf"(?:^|, |gives ){re.escape(name)} = {ROW}(?=,|$| gives )", text)
    return tuple(map(float, re.findall(NUMBER, found[1].removeprefix("diag")))) if found else None


def alike(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether numbers are the same to the digits that are printed."""
    return len(a) == len(b) and all(
        (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=PRECISION, abs_tol=PRECISION)
        for x, y in zip(a, b, strict=True)
    )


@cache
def found_in(program: Program) -> tuple[Diagnostic, ...]:
    """The findings that a program shows by default and that can be executed."""
    found = diagnose(Source(program.path.name, program.text), in_full=Confidence.LIKELY)
    return tuple(one for one in found if one.slices)


def drawn(framework: str) -> Iterator[Diagnostic]:
    """What is found in the bad programs of a framework that this run draws."""
    programs = [program for program in BAD if family(program.path) in FRAMEWORKS[framework]]
    for program in sample(programs, 3, framework):
        yield from found_in(program)


def printed_inputs(program: Slice, found: Found, text: str) -> dict[int, tuple[float, ...]]:
    """The inputs of a witness as its text has them."""
    inputs = dict(found.inputs)
    hidden = 0
    for i in inputs:
        step = program.steps[i]
        if step.sort is None or step.sort is Sort.SIZE:
            continue
        row = read(text, step.name)
        if row is None:
            hidden += 1
        else:
            inputs[i] = row
    assert not hidden or text.count(" = ") > MAX_INPUTS, text
    return inputs


def framework_gives(program: Slice, found: Found, text: str) -> None:
    """Assert that a framework gives what a text says."""
    backend = import_module(f"nanlint.proof.{program.framework}").BACKEND()
    backend.alone()
    inputs = printed_inputs(program, found, text)
    output = Execution(program, backend, inputs, width=found.width).numbers(found.end)
    said = read(text, program.steps[found.end].name or "the result")
    assert said is not None, text
    assert alike(output, said), (text, output)
    slope = re.search(r", d .*/d (.*) = ", text)
    if slope is not None:
        again = Search(program, backend).with_gradients(Found(inputs, found.width, found.end, output))
        gradients = {program.steps[i].name: row for i, row in (again.gradients or {}).items()}
        assert any(not all(map(math.isfinite, row)) for row in gradients.values()), text


every_framework = pytest.mark.parametrize("framework", sample(list(FRAMEWORKS), 4), scope="module")


@every_framework
def test_what_check_prints_of_a_bad_program_its_framework_gives(framework: str) -> None:
    pytest.importorskip(framework)
    printed = 0
    for one in drawn(framework):
        for program in one.slices:
            found = shown(program) if program.framework == framework else None
            if found is not None:
                framework_gives(program, found, witness(program, found, None).text)
                printed += 1
                break
    assert printed > 2


@every_framework
def test_what_prove_prints_of_a_bad_program_its_framework_gives_again(framework: str) -> None:
    pytest.importorskip(framework)
    asked = [one.slices for one in drawn(framework) if one.slices[0].framework == framework]
    with Pool() as pool:
        proofs = pool.prove([Question(slices, 30.0) for slices in asked])
    executed = 0
    for slices, proof in zip(asked, proofs, strict=True):
        assert isinstance(proof, Proof)
        if proof.witness is not None and proof.found is not None:
            framework_gives(slices[proof.slice], proof.found, proof.witness.text)
            executed += 1
    # of a few that are drawn more may be such as need other inputs than are searched
    assert executed >= (0.8 if RUN.everything else 0.3) * len(asked) > 0


#: programs in which a row is not what the function takes its numbers for: as many turns of a loop as it has elements
TURNS = {"bad_torch_forward_recursion.py"}
#: an array of numbers, by the family of the programs
ARRAYS = {
    "torch": "__import__('torch').tensor",
    "tf": "__import__('tensorflow').constant",
    "keras": "__import__('tensorflow').constant",
    "jax": "__import__('jax').numpy.array",
    "numpy": "__import__('numpy').array",
}
#: what is put below a program: None where its function does not take a row, or gives no numbers
CALLED = """

def called():
    try:
        result = {function}({arguments})
        result = result.detach() if hasattr(result, "detach") else result
        return __import__("numpy").asarray(result, dtype=float).reshape(-1)
    except Exception:
        return None
"""


@pytest.mark.parametrize("framework", ARRAYS)
def test_a_function_called_with_the_numbers_that_are_printed_fails_as_is_printed(framework: str) -> None:
    taken = 0
    for program in (p for p in BAD if p.framework == framework and p.path.name not in TURNS):
        for one in found_in(program):
            for function, given, finite in call_of(program, one):
                arguments = ", ".join(f"{name}={written(number, ARRAYS[framework])}" for name, number in given.items())
                text = program.text + CALLED.format(function=function, arguments=arguments)
                result = outcome(program.path, text, "called")["value"]
                if result:
                    taken += 1
                    assert all(map(math.isfinite, result)) is finite, (program.path.name, function, given, result)
    assert taken > 5


def written(given: float | Sequence[float], array: str) -> str:
    """A number, or an array of a row of them, as a program has it."""
    if isinstance(given, Sequence):
        return f"{array}([{', '.join(written(number, array) for number in given)}])"
    return repr(given) if math.isfinite(given) else f"float('{given}')"


def call_of(program: Program, one: Diagnostic) -> Iterator[tuple[str, Mapping[str, float | Sequence[float]], bool]]:
    """The call of a function of the program that a witness describes, if it does: and whether its result is finite."""
    found = next(((p, f) for p in one.slices if (f := shown(p)) is not None), None)
    if found is None:
        return
    said = witness(*found, None)
    function = said.output[0].removesuffix("(...)")
    required, possible = parameters_of(program, function if said.output[0].endswith("(...)") else "")
    given = dict(said.inputs)
    if "diag(" in said.text or not required <= set(given) <= possible:
        return
    scalar = {found[0].steps[i].name for i in found[1].inputs if found[0].steps[i].domain.scalar}
    arguments = {name: row[0] if name in scalar else row for name, row in given.items()}
    yield function, arguments, all(map(math.isfinite, said.output[1]))


def parameters_of(program: Program, function: str) -> tuple[set[str], set[str]]:
    """The parameters that a function of a program must be given, and all that it may be."""
    for node in ast.parse(program.text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            names = [parameter.arg for parameter in node.args.args]
            return set(names[: len(names) - len(node.args.defaults)]), set(names)
    return {""}, set()
