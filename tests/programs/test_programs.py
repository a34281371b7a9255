"""Every program under ``tests/fixtures`` does what its name says, and nanlint says so of exactly the marked lines.

A bad program marks the first line of each expression to be flagged with ``# error: [NL101]`` (``[NL101|NL104]`` where
either code is right); a good one marks none. Its ``witness()`` runs the framework on the failing, or the hardest
reasonable, input and returns values and gradients. A tape that leaks gives no NaN: there ``gradient`` is None or not
``intended``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanlint.linter import all_rules

FIXTURES = Path(__file__).parents[1] / "fixtures"
RULES = {rule.name: rule.code for rule in all_rules().values()}
MARKER = re.compile(r"# error: \[(NL\d{3}(?:\|NL\d{3})*)\]\s*$")
PROGRAMS = sorted(path for rule in RULES for path in (FIXTURES / rule).glob("*.py"))

every_program = pytest.mark.parametrize("program", PROGRAMS, ids=[str(path.relative_to(FIXTURES)) for path in PROGRAMS])


def is_bad(program: Path) -> bool:
    return program.name.startswith("bad_")


def marked(text: str) -> dict[int, set[str]]:
    """For each row to be flagged (1-based), the codes that are right there."""
    matches = ((row, MARKER.search(line)) for row, line in enumerate(text.splitlines(), start=1))
    return {row: set(match[1].split("|")) for row, match in matches if match}


def is_close(numbers: list[float] | None, intended: list[float] | None) -> bool:
    return numbers is not None and numbers == pytest.approx(intended, rel=1e-5)


@every_program
def test_a_bad_program_marks_its_rule_and_a_good_one_marks_nothing(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    codes = set().union(*marked(text).values())
    assert text.count("# error:") == len(marked(text)), "a marker is not well-formed"
    assert program.name.startswith(("bad_", "good_"))
    assert (RULES[program.parent.name] in codes) if is_bad(program) else not codes


@every_program
def test_the_program_does_what_its_name_says(program: Path, execute: Callable[[str, Path], Any]) -> None:
    outcome = execute("witness", program)
    if program.parent.name == "tape-scope-leak":
        assert is_close(outcome.result["gradient"], outcome.result["intended"]) is not is_bad(program)
        return
    assert outcome.numbers, "a witness returns at least one number"
    assert outcome.is_finite is not is_bad(program), outcome.result


@every_program
def test_nanlint_flags_exactly_the_marked_lines(program: Path) -> None:
    import nanlint

    text = program.read_text(encoding="utf-8")
    expected = marked(text)
    found: dict[int, set[str]] = {}
    for diagnostic in nanlint.check_source(text, path=str(program)):
        found.setdefault(diagnostic.span.row, set()).add(diagnostic.code)
    missed = {row: codes for row, codes in expected.items() if not codes & found.get(row, set())}
    surplus = {row: codes - expected.get(row, set()) for row, codes in found.items()}
    assert not missed
    assert not any(surplus.values()), surplus
