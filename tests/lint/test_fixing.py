"""Fixing: to a standstill, and never into a file that does not parse."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Span
from nanlint.lint.fixing import MAX_ROUNDS, Fixed, fix_until_stable
from nanlint.source import Source
from nanlint.source.project import in_project, view_of


def _replacing(applicability: Applicability, **names: str) -> Callable[[Source], list[Diagnostic]]:
    """A diagnosis that wants every name replaced by another, with an import where the new name is dotted."""

    def diagnose(source: Source) -> list[Diagnostic]:
        found = []
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Name) and node.id in names:
                better = names[node.id]
                edits = [Edit(source.span(node), better)]
                module = better.partition(".")[0]
                if "." in better and f"import {module}\n" not in source.text:
                    edits.insert(0, Edit(Span(1, 1, 1, 1), f"import {module}\n"))
                fix = Fix(applicability, f"use {better}", tuple(edits))
                span = source.span(node)
                found.append(Diagnostic("a.py", span, "NL103", "unclipped-log", "m", Confidence.CERTAIN, fix=fix))
        return sorted(found, key=Diagnostic.sort_key)

    return diagnose


def _fix(text: str, *, unsafe: bool = False, applicability: Applicability = Applicability.SAFE, **names: str) -> Fixed:
    return fix_until_stable(Source("a.py", text), _replacing(applicability, **names), unsafe=unsafe)


def test_fixes_are_applied_until_nothing_changes() -> None:
    outcome = _fix("a\n", a="b", b="c", c="d")
    assert outcome.source.text == "d\n"
    assert len(outcome.fixed) == 3
    assert outcome.remaining == ()


def test_an_import_that_several_fixes_need_is_added_once() -> None:
    assert _fix("a\na\n", a="m.f").source.text == "import m\nm.f\nm.f\n"


def test_different_imports_at_one_place_come_one_after_the_other() -> None:
    assert sorted(_fix("a\nb\n", a="m.f", b="n.g").source.text.splitlines()) == ["import m", "import n", "m.f", "n.g"]


@pytest.mark.parametrize(
    ("applicability", "unsafe", "mended"),
    [
        (Applicability.SAFE, False, True),
        (Applicability.UNSAFE, False, False),
        (Applicability.UNSAFE, True, True),
        (Applicability.DISPLAY, True, False),
    ],
)
def test_only_what_is_allowed_is_applied(applicability: Applicability, unsafe: bool, mended: bool) -> None:
    outcome = _fix("a\n", applicability=applicability, unsafe=unsafe, a="b")
    assert (outcome.source.text == "b\n") is mended
    assert bool(outcome.remaining) is not mended


def test_a_fix_that_breaks_the_file_is_dropped_and_the_others_stay() -> None:
    outcome = _fix("a\nb\nc\n", a="x", b="y(", c="z")
    assert outcome.source.text == "x\nb\nz\n"
    assert outcome.notes == ("a.py:2:1: the fix of NL103 would break the file and was dropped; please report it",)
    assert len(outcome.remaining) == 1


def test_fixes_that_undo_each_other_end_and_say_so() -> None:
    outcome = _fix("a\n", a="b", b="a")
    assert len(outcome.fixed) == MAX_ROUNDS
    assert "did not converge" in outcome.notes[0]


def test_an_overlapping_fix_waits_for_its_turn() -> None:
    def diagnose(source: Source) -> list[Diagnostic]:
        """log(log(x)): the outer fix rewrites all of it, the inner a part."""
        found = []
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "log":
                inner = source.segment(source.span(node.args[0]))
                fix = Fix(Applicability.SAFE, "m", (Edit(source.span(node), f"safe({inner})"),))
                span = source.span(node)
                found.append(Diagnostic("a.py", span, "NL103", "n", "m", Confidence.CERTAIN, fix=fix))
        return sorted(found, key=Diagnostic.sort_key)

    outcome = fix_until_stable(Source("a.py", "y = log(log(x))\n"), diagnose, unsafe=False)
    assert outcome.source.text == "y = safe(safe(x))\n"


@pytest.mark.parametrize(
    ("after", "mended"), [("x = 2\n", True), ("x = 2  # still\n", False), ("x = 2  # new\n", False)]
)
def test_a_fix_of_two_files_is_applied_only_if_it_mends_them(tmp_path: Path, after: str, mended: bool) -> None:
    """What it writes into the other file leaves the finding, brings another, or does neither."""
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")
    main = in_project(Source(str(tmp_path / "main.py"), "y = 1\n"))
    edits = (Edit(Span(1, 5, 1, 6), "2"), Edit(Span(1, 1, 2, 1), after, str(other)))

    def diagnose(source: Source) -> list[Diagnostic]:
        assert view_of(source) is not None
        there = view_of(source).text(str(other)).text
        first = source.path == main.path and (source.text == "y = 1\n" or "still" in there)
        second = source.path == str(other) and "new" in there
        fix = Fix(Applicability.SAFE, "mend both", edits)
        found = [Diagnostic(main.path, Span(1, 1, 1, 2), "NL900", "both", "", Confidence.CERTAIN, fix=fix)]
        return found if first else [replace(found[0], code="NL901", fix=None)] if second else []

    outcome = fix_until_stable(main, diagnose, unsafe=False, others=[str(other)])
    left = 0 if mended else 1
    assert (outcome.source.text == "y = 2\n", len(outcome.remaining), len(outcome.notes)) == (mended, left, left)
    assert fix_until_stable(main, diagnose, unsafe=False).source.text == main.text
    assert other.read_text() == "x = 1\n"
