"""The input that is shown fails, and the fix that is offered is finite on it: of every bad program."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from nanlint.diagnostic import Diagnostic
from nanlint.lint.fixing import applied
from nanlint.proof.interpret import Execution
from nanlint.proof.mending import mended, mended_slices
from nanlint.proof.proofs import MendedQuestion
from nanlint.proof.python import PythonBackend
from nanlint.proof.ranges import shown
from nanlint.proof.search import Found, met, overflows
from nanlint.proof.slice import Slice
from nanlint.rules.diagnose import analysed
from nanlint.source import Source
from nanlint.source.pairing import Pairing
from tests.programs.fixtures import PROGRAMS, Program
from tests.proof.test_printed import found_in

BAD = [program for program in PROGRAMS if program.is_bad]
#: fixes that the formulas do not see end what is shown, and why
LEFT = {
    # arrays are rows of one or two numbers here: no size is 0
    ("empty-mean", "bad_jax.py"),
    ("empty-mean", "bad_torch.py"),
    # at 0 the logarithm is -inf in exact arithmetic as well: the fix is for the numbers next to it
    ("log-of-cancellation", "bad_jax_softplus_gap.py"),
    ("unclipped-log", "bad_jax_one_minus_exp.py"),
    # where the factor is not 0 the product is an infinity, and should be
    ("log-of-softmax", "bad_torch_default_argument.py"),
    ("zero-times-log", "bad_tf_multiply_function.py"),
    ("zero-times-log", "bad_torch_named_probs.py"),
    # the format of a variable that was cast is not known
    ("unclipped-log", "bad_torch_half_relu.py"),
}
FRAMEWORKS = sorted({program.framework for program in BAD})


def witnessed(program: Program) -> Iterator[tuple[Diagnostic, Slice, Found]]:
    """What is found in a program with an input that is shown."""
    for one in found_in(program):
        first = next(((part, found) for part in one.slices if (found := shown(part)) is not None), None)
        if first is not None:
            yield one, *first


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_input_that_is_shown_fails_for_the_reason_that_is_told(framework: str) -> None:
    looked_at = 0
    for program in (p for p in BAD if p.framework == framework):
        for one, part, found in witnessed(program):
            run = Execution(part, PythonBackend(part.framework), found.inputs, width=found.width)
            output = run.numbers(part.at)
            looked_at += 1
            if part.breaking is None:
                assert not all(map(math.isfinite, output)), (program.path.name, one.code)
                assert overflows(run), (program.path.name, one.code)
            else:
                assert met(part.breaking, run), (program.path.name, one.code)
                assert part.breaking.gradient or not all(map(math.isfinite, output)), (program.path.name, one.code)
    assert looked_at > 0


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_fix_that_is_offered_is_finite_on_the_input_that_is_shown(framework: str) -> None:
    cured, left = 0, []
    for program in (p for p in BAD if p.framework == framework):
        source = Source(program.path.name, program.text)
        for one, part, found in witnessed(program):
            if one.fix is None or not one.fix.edits or one.fix.elsewhere:
                continue
            given = {part.steps[i].name: row for i, row in found.inputs.items()}
            fixed = applied(source, one.fix.edits)
            after = mended_slices(part, Pairing(source, fixed, one.fix.edits), analysed(fixed, {}))
            answers = [mended(MendedQuestion(new, given, found.width), PythonBackend(new.framework)) for new in after]
            ends = [answer.ends for answer in answers]
            cured += True in ends
            if False in ends and True not in ends:
                left.append((program.rule, program.path.name))
    assert set(left) <= LEFT
    assert cured > 0
