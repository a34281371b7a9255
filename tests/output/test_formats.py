"""Concise lines, JSON, the closing lines, statistics, diffs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nanlint.diagnostic import (
    Annotation,
    Applicability,
    Confidence,
    Diagnostic,
    Edit,
    Fix,
    Severity,
    Span,
    Suppressed,
    Witness,
)
from nanlint.lint.report import FileReport, Report
from nanlint.output.concise import render_concise
from nanlint.output.diff import render_diff
from nanlint.output.json import render_json
from nanlint.output.summary import render_fixed, render_footer, render_statistics
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
            "level_row": None,
            "sink": None,
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


def _footer(
    remaining: list[Diagnostic],
    fixed: Sequence[Diagnostic] = (),
    *,
    unsafe: bool = False,
    fixing: bool = False,
    **file: Any,
) -> str:
    of_file = FileReport("a.py", tuple(remaining), fixed=tuple(fixed), **file)
    return render_footer(View(Report((of_file,)), unsafe=unsafe), fixing=fixing)


@pytest.mark.parametrize(
    ("remaining", "fixed", "unsafe", "fixing", "says"),
    [
        ([NONE], [], False, False, "Found 1 error.\n"),
        ([SAFE, NONE], [], False, False, "Found 2 errors.\n[*] 1 fixable with the `--fix` option.\n"),
        (
            [SAFE, SAFE, UNSAFE],
            [],
            False,
            False,
            "Found 3 errors.\n[*] 2 fixable with the `--fix` option "
            "(1 hidden fix can be enabled with the `--unsafe-fixes` option).\n",
        ),
        ([UNSAFE], [], True, False, "Found 1 error.\n[*] 1 fixable with the `--fix` option.\n"),
        (
            [UNSAFE, UNSAFE, DISPLAY],
            [],
            False,
            False,
            "Found 3 errors.\nNo fixes available (2 hidden fixes can be enabled with the `--unsafe-fixes` option).\n",
        ),
        ([NONE], [SAFE, SAFE], False, True, "Found 3 errors (2 fixed, 1 remaining).\n"),
        ([], [SAFE], False, True, "Found 1 error (1 fixed, 0 remaining).\n"),
    ],
)
def test_the_closing_lines_are_those_of_ruff(
    remaining: list[Diagnostic], fixed: list[Diagnostic], unsafe: bool, fixing: bool, says: str
) -> None:
    assert _footer(remaining, fixed, unsafe=unsafe, fixing=fixing) == says


def test_the_closing_lines_call_findings_by_their_severity() -> None:
    quieter = [replace(NONE, severity=severity) for severity in (Severity.WARNING, Severity.INFO, Severity.WARNING)]
    assert _footer([NONE, *quieter]) == "Found 1 error, 2 warnings, 1 info.\n"
    assert _footer(quieter[:1], [NONE]) == "Found 1 error, 1 warning (1 fixed, 1 remaining).\n"


def test_where_nothing_is_found_the_closing_lines_say_what_was_checked() -> None:
    files = [FileReport(f"{number}.py", numeric=number < 2) for number in range(3)]

    def footer(*files: FileReport) -> str:
        return render_footer(View(Report(files)))

    assert footer(*files) == "No findings in 3 files (2 use a numeric framework).\n"
    assert footer(files[0]) == "No findings in 1 file (1 uses a numeric framework).\n"
    assert footer(files[2]) == "No findings in 1 file (none uses a numeric framework).\n"
    assert footer() == footer(FileReport("gone.py", failure="gone.py: no such file", checked=False)) == ""


@pytest.mark.parametrize(
    ("below_threshold", "says"),
    [
        ({Confidence.POSSIBLE: 1}, "1 possible finding not shown: use --confidence possible\n"),
        ({Confidence.POSSIBLE: 41}, "41 possible findings not shown: use --confidence possible\n"),
        (
            {Confidence.POSSIBLE: 41, Confidence.LIKELY: 3},
            "3 likely and 41 possible findings not shown: use --confidence possible\n",
        ),
    ],
)
def test_the_last_line_counts_what_is_below_the_confidence_shown(
    below_threshold: dict[Confidence, int], says: str
) -> None:
    assert _footer([NONE], below_threshold=Counter(below_threshold)) == "Found 1 error.\n" + says


def test_the_closing_lines_count_what_the_baseline_hides() -> None:
    known = Suppressed(NONE, "in the baseline known.json", external=True)
    assert _footer([], suppressed=(known,)).endswith("1 finding not shown: in the baseline known.json.\n")


def test_what_was_fixed_is_listed_by_file_and_rule() -> None:
    other = replace(SAFE, path="b.py", code="NL101", name="log-of-softmax")
    assert render_fixed([SAFE, other, SAFE]) == (
        "Fixed 3 findings:\n- a.py:\n    2 × NL103 (name-of-nl103)\n- b.py:\n    1 × NL101 (log-of-softmax)\n"
    )


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
