"""Every program under ``tests/fixtures`` does what its name says, and nanlint says so of exactly the marked lines.

A bad program marks the first line of each expression to be flagged with ``# error: [NL101]`` (``[NL101|NL104]`` where
either code is right, ``[NL504] possible`` where it is shown with ``--confidence possible`` only); a good one none. Its
``witness()`` runs the framework on the failing, or the hardest reasonable, input and returns values and gradients: the
bad one's are NaN or infinite, the good one's finite. What loses digits returns ``computed`` and ``exact``, what
loses a gradient ``gradient`` (None if there is none) and ``intended``.

Programs without a story (``bad_torch.py``, ``good_torch.py``) are printed on the rule's page; the docstring of their
``witness`` says on which input. A rule has them for each framework in which its hazard exists.
"""

from __future__ import annotations

import ast
import math
import re

import pytest

import nanlint
from nanlint.rules import RULES
from tests.programs.fixtures import FIXTURES, FRAMEWORKS, PROGRAMS, Program, fixed, goes_wrong, outcome
from tests.programs.sentences import is_plain
from tests.sampling import sample

#: a program's tests follow each other, and share what its fixes make of it
every_program = pytest.mark.parametrize(
    "program", PROGRAMS, ids=[str(p.path.relative_to(FIXTURES)) for p in PROGRAMS], scope="module"
)
PAGE = [program for program in PROGRAMS if program.is_page]

#: what ``xlogy(x, y)`` leaves: a truly infinite value where y is 0 and x is not, and the slope of x log x at 0, which
#: is infinite in truth and infinite or NaN in PyTorch and JAX
XLOGY = {"xlogy", "xlog1py"}


@every_program
def test_nanlint_flags_exactly_the_marked_lines_and_fixing_converges(program: Program) -> None:
    """Fixing with unsafe fixes or without: a run draws one of both for each program."""
    is_well_formed(program)
    is_flagged_where_it_is_marked(program)
    for unsafe in sample((False, True), 2, f"{program.rule}/{program.path.name}") if program.is_bad else ():
        mended = program.fixed(unsafe=unsafe)
        assert not mended.notes, mended.notes
        again = fixed(program, unsafe, mended.source.text)
        assert again.source.text == mended.source.text
        assert not again.fixed
        if program.is_page and unsafe and mended.fixed:
            assert not mended.remaining, "the fix of a page program leaves something"


def is_well_formed(program: Program) -> None:
    """Assert that a bad program marks its rule and a good one marks nothing, and that a page has what it shows."""
    marked = program.marked()
    codes = set().union(*marked.values())
    assert program.text.count("# error:") == len(marked), "a marker is not well-formed"
    assert program.path.name.startswith(("bad_", "good_"))
    assert (program.code in codes) if program.is_bad else not codes
    if not program.is_page:
        return
    assert program.framework in FRAMEWORKS
    functions = [node for node in ast.parse(program.text).body if isinstance(node, ast.FunctionDef)]
    (witness,) = (function for function in functions if function.name == "witness")
    assert ast.get_docstring(witness), "the docstring of witness() says the input, for the page"
    assert program.text[: program.text.index("def witness")].count("\n") <= 30, "a page program is short"
    other = f"{'good' if program.is_bad else 'bad'}_{program.framework}.py"
    assert program.path.with_name(other).exists(), "a page shows a bad program beside a good one"


def is_flagged_where_it_is_marked(program: Program) -> None:
    """Of what is only possible, it is the program's own rule that counts, and only where it is marked or on a page."""
    expected = program.marked()
    thorough = program.is_page or any(possible for _, possible in expected)
    found: dict[tuple[int, bool], set[str]] = {}
    for one in nanlint.check_source(program.text, str(program.path), confidence="possible"):
        is_plain(one, program.text)
        possible = str(one.confidence) == "possible"
        if not possible or (thorough and one.code == program.code):
            found.setdefault((one.span.row, possible), set()).add(one.code)
    missed = {row: codes for row, codes in expected.items() if not codes & found.get(row, set())}
    surplus = {row: codes - expected.get(row, set()) for row, codes in found.items()}
    assert not missed, found
    assert not any(surplus.values()), surplus


@every_program
def test_the_program_does_what_its_name_says_and_mended_it_is_right(program: Program) -> None:
    result = outcome(program.path, program.text)
    assert goes_wrong(result) is program.is_bad, result
    mended = program.mended() if program.is_bad else None
    if mended is None:
        return
    text, _ = mended
    result = outcome(program.path, text)
    if not program.is_page and XLOGY & set(re.findall(r"\w+", text)):
        values = [number for key, part in result.items() if "grad" not in key for number in part or []]
        assert not any(map(math.isnan, values)), text
    else:
        assert not goes_wrong(result), (result, text)


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_rule_has_programs_for_each_framework_that_has_its_hazard(code: str) -> None:
    rule = RULES[code]
    there = {FRAMEWORKS[p.framework] for p in PAGE if p.rule == rule.name and p.is_bad}
    assert rule.frameworks <= there, f"no page programs in {', '.join(sorted(rule.frameworks - there))}"
