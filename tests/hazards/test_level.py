"""The table of levels: each row is reached, nothing beside it decides, and what it says of a few records."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nanlint.analysis.scenarios import Met
from nanlint.diagnostic import Confidence
from nanlint.hazards.level import ROWS, Level, Seen, level
from nanlint.hazards.record import form
from nanlint.ops.value import CERTAIN, LIKELY, POSSIBLE, UNKNOWN, Reach

PACKAGE = Path(__file__).parents[2] / "nanlint"
#: what holds levels, compares them, or takes one that a user states
HOLDING = {"rules/registry.py", "rules/diagnose.py"}


def trees(room: str) -> dict[str, ast.Module]:
    paths = sorted((PACKAGE / room).rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_all_that_may_be_seen_has_a_row_and_is_seen_somewhere() -> None:
    """A selection that hides the value is no row: what follows from it depends on what is seen of its gradient."""
    assert {row.seen for row in ROWS.values()} == set(Seen) - {Seen.HIDDEN}
    written = {
        node.attr
        for room in ("hazards", "rules", "lint")
        for name, tree in trees(room).items()
        if name != "hazards/level.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Seen"
    }
    assert written | {how.name for how in Met} == {seen.name for seen in Seen}


def test_rules_state_no_level() -> None:
    stated = [
        f"{name}:{node.lineno}"
        for name, tree in trees("rules").items()
        if name not in HOLDING
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in ("Confidence", "confidence")
    ]
    assert not stated


@pytest.mark.parametrize(
    ("start", "seen", "reach", "row"),
    [
        (CERTAIN, [], CERTAIN, "start"),
        (CERTAIN, [Seen.UNLEARNED, Seen.BELIEVED], POSSIBLE, "unlearned"),
        (UNKNOWN, [Seen.BY_FORM], LIKELY, "by-form"),
        (UNKNOWN, [Seen.BY_CALLERS, Seen.BY_FORM], POSSIBLE, "by-callers"),
        (POSSIBLE, [Seen.IN_NUMPY], POSSIBLE, "start"),
        (POSSIBLE, [Seen.WEAK_IN_NUMPY], UNKNOWN, "weak-in-numpy"),
        (CERTAIN, [Seen.MEANT, Seen.NOT_SHOWN], POSSIBLE, "meant"),
    ],
)
def test_rows_count_in_the_order_of_the_table(start: Reach, seen: list[Seen], reach: Reach, row: str) -> None:
    found = level(Level(start, "start", ""), seen)
    assert (found.reach, found.row) == (reach, row)


def test_a_form_has_the_level_of_what_its_rule_sees() -> None:
    assert form().level.confidence is Confidence.CERTAIN
    assert form(Seen.OF_TRAINED, False).level.confidence is Confidence.LIKELY
    assert form(Seen.OF_TRAINED, Seen.UNLEARNED).level.confidence is Confidence.POSSIBLE
