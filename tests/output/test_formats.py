"""Concise lines, JSON, the closing lines, statistics, diffs."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Edit, Fix, Span, Witness
from nanlint.linter import FileReport, Report
from nanlint.output.concise import render_concise
from nanlint.output.diff import render_diff
from nanlint.output.formats import render
from nanlint.output.json import render_json
from nanlint.output.summary import render_footer, render_statistics
from nanlint.output.view import View

_EDIT = Edit(Span(1, 5, 1, 8), "calm")


def _finding(applicability: Applicability | None = None, code: str = "NL103") -> Diagnostic:
    fix = None if applicability is None else Fix(applicability, "call calm", (_EDIT,), "calm(p)")
    return Diagnostic(
        "a.py",
        Span(1, 5, 1, 11),
        code,
        f"name-of-{code.lower()}",
        "log of 0",
        Confidence.LIKELY,
        effect="log(0) = -inf",
        causes=(Annotation(Span(1, 9, 1, 10), "can be 0"),),
        witness=Witness((("p", (0.0,)),), ("log(p)", (-math.inf,)), "p = 0. gives log(p) = -inf"),
        fix=fix,
        probability=0.75,
    )


SAFE, UNSAFE, DISPLAY, NONE = (
    _finding(Applicability.SAFE),
    _finding(Applicability.UNSAFE),
    _finding(Applicability.DISPLAY),
    _finding(),
)


def test_a_concise_line_has_place_code_message_and_confidence() -> None:
    assert render_concise([NONE, SAFE]) == (
        "a.py:1:5: NL103 log of 0 (likely)\na.py:1:5: NL103 [*] log of 0 (likely)\n"
    )


def test_an_unsafe_fix_is_marked_when_it_would_be_applied() -> None:
    assert "[*]" not in render_concise([UNSAFE])
    assert "[*]" in render_concise([UNSAFE], unsafe=True)


def test_json_has_the_keys_of_ruff_and_ours(project: Path) -> None:
    assert json.loads(render_json([SAFE])) == [
        {
            "cell": None,
            "code": "NL103",
            "name": "name-of-nl103",
            "message": "log of 0",
            "confidence": "likely",
            "probability": 0.75,
            "severity": "error",
            "filename": str(project / "a.py"),
            "location": {"row": 1, "column": 5},
            "end_location": {"row": 1, "column": 11},
            "noqa_row": 1,
            "url": "https://nanlint.readthedocs.io/rules/name-of-nl103/",
            "effect": "log(0) = -inf",
            "causes": [
                {"location": {"row": 1, "column": 9}, "end_location": {"row": 1, "column": 10}, "message": "can be 0"}
            ],
            "witness": {
                "inputs": {"p": [0.0]},
                "output": {"log(p)": ["-inf"]},
                "gradient": None,
                "framework": None,
                "executed": False,
                "text": "p = 0. gives log(p) = -inf",
            },
            "observed": None,
            "fingerprint": "",
            "fix": {
                "applicability": "safe",
                "message": "call calm",
                "display": "calm(p)",
                "edits": [
                    {"location": {"row": 1, "column": 5}, "end_location": {"row": 1, "column": 8}, "content": "calm"}
                ],
            },
        }
    ]
    assert json.loads(render_json([NONE]))[0]["fix"] is None
    assert json.loads(render_json([])) == []


BY_PLACE = [("a.py", 1, 0.7), ("a.py", 2, 0.9), ("b.py", 1, None), ("b.py", 2, 0.9), ("b.py", 3, 0.2)]
BY_PROBABILITY = [("b.py", 1, None), ("a.py", 2, 0.9), ("b.py", 2, 0.9), ("a.py", 1, 0.7), ("b.py", 3, 0.2)]


def _several(sort: str | None) -> View:
    """Findings of two files, of which the third is about the check itself."""
    found = [
        replace(NONE, path=path, span=Span(row, 1, row, 2), probability=probability)
        for path, row, probability in BY_PLACE
    ]
    files = [FileReport(path, tuple(one for one in found if one.path == path)) for path in ("a.py", "b.py")]
    return View(Report(tuple(files)), sort=sort)


@pytest.mark.parametrize(
    ("sort", "name", "order"),
    [
        (None, "json", BY_PROBABILITY),
        (None, "json-lines", BY_PROBABILITY),
        (None, "concise", BY_PLACE),
        ("place", "json", BY_PLACE),
        ("probability", "concise", BY_PROBABILITY),
        ("probability", "full", BY_PROBABILITY),
    ],
)
def test_json_has_the_most_probable_first_and_other_formats_the_place(
    sort: str | None, name: str, order: list[tuple[str, int, float | None]]
) -> None:
    text = render(name, _several(sort))
    if name == "json":
        text = "".join(json.dumps(one) + "\n" for one in json.loads(text))
    if name.startswith("json"):
        found = [json.loads(line) for line in text.splitlines()]
        shown = [(Path(one["filename"]).name, one["location"]["row"]) for one in found]
        assert [one["probability"] for one in found] == [probability for *_, probability in order]
    else:
        shown = [(path, int(row)) for path, row in re.findall(r"^(\w+\.py):(\d+):", text, re.MULTILINE)]
    assert shown == [(path, row) for path, row, _ in order]


def test_groups_are_in_the_order_of_their_most_probable_finding() -> None:
    text = render("grouped", _several("probability"))
    assert re.findall(r"^(?:(\w+\.py):|  (\d+):)", text, re.MULTILINE) == [
        ("b.py", ""),
        ("", "1"),
        ("", "2"),
        ("", "3"),
        ("a.py", ""),
        ("", "2"),
        ("", "1"),
    ]


@pytest.mark.parametrize(
    ("remaining", "fixed", "unsafe", "fixing", "says"),
    [
        ([], 0, False, False, "All checks passed!\n"),
        ([NONE], 0, False, False, "Found 1 error.\n"),
        ([SAFE, NONE], 0, False, False, "Found 2 errors.\n[*] 1 fixable with the `--fix` option.\n"),
        (
            [SAFE, SAFE, UNSAFE],
            0,
            False,
            False,
            "Found 3 errors.\n[*] 2 fixable with the `--fix` option "
            "(1 hidden fix can be enabled with the `--unsafe-fixes` option).\n",
        ),
        ([UNSAFE], 0, True, False, "Found 1 error.\n[*] 1 fixable with the `--fix` option.\n"),
        (
            [UNSAFE, UNSAFE, DISPLAY],
            0,
            False,
            False,
            "Found 3 errors.\nNo fixes available (2 hidden fixes can be enabled with the `--unsafe-fixes` option).\n",
        ),
        ([NONE], 2, False, True, "Found 3 errors (2 fixed, 1 remaining).\n"),
        ([], 1, False, True, "Found 1 error (1 fixed, 0 remaining).\n"),
    ],
)
def test_the_closing_lines_are_those_of_ruff(
    remaining: list[Diagnostic], fixed: int, unsafe: bool, fixing: bool, says: str
) -> None:
    assert render_footer(remaining, fixed=fixed, unsafe=unsafe, fixing=fixing) == says


def test_statistics_count_by_rule_the_most_frequent_first() -> None:
    findings = [SAFE, NONE, _finding(code="NL101"), _finding(Applicability.SAFE, "NL201")]
    assert render_statistics(findings) == (
        "2\tNL103\t[-] name-of-nl103\n1\tNL101\t[ ] name-of-nl101\n1\tNL201\t[*] name-of-nl201\n"
    )
    assert json.loads(render_statistics(findings, as_json=True))[0] == {
        "code": "NL103",
        "name": "name-of-nl103",
        "count": 2,
        "fixable": False,
        "fixable_count": 1,
    }
    assert render_statistics([]) == ""


def test_a_diff_is_one_that_patch_understands() -> None:
    assert render_diff("a.py", "a = 1\x0c\nb = 2", "a = 1\x0c\nb = 3") == (
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a = 1\x0c\n"
        "-b = 2\n\\ No newline at end of file\n+b = 3\n\\ No newline at end of file\n"
    )


def test_without_a_change_there_is_no_diff() -> None:
    assert render_diff("a.py", "a\n", "a\n") == ""
