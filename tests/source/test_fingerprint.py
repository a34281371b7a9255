"""Fingerprints: what is the same finding after the file has changed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from nanlint import check_source

LOSS = """\
import torch


def nll(logits):
    return -torch.log(torch.softmax(logits, -1))


class Model:
    def nll(self, logits):
        return -torch.log(torch.softmax(logits, -1))
"""


def _prints(text: str) -> list[str]:
    return [finding.fingerprint for finding in check_source(text)]


def test_lines_that_move_do_not_change_it() -> None:
    moved = LOSS.replace("\n\n\ndef", "\n\nANSWER = 42\n\n\ndef helper():\n    return 1\n\n\ndef", 1)
    assert [finding.span.row for finding in check_source(moved)] != [finding.span.row for finding in check_source(LOSS)]
    assert _prints(moved) == _prints(LOSS)


def test_formatting_does_not_change_it() -> None:
    wrapped = LOSS.replace("torch.softmax(logits, -1)", "\n        torch.softmax(logits,   -1)\n    ")
    assert _prints(wrapped) == _prints(LOSS)


def test_the_same_expression_in_another_function_is_another_finding() -> None:
    first, second = _prints(LOSS)
    assert first != second


def test_the_same_expression_twice_in_one_function_is_two_findings() -> None:
    doubled = LOSS.replace(
        "    return -torch.log(torch.softmax(logits, -1))\n\n",
        "    x = torch.log(torch.softmax(logits, -1))\n    return x - torch.log(torch.softmax(logits, -1))\n\n",
        1,
    )
    prints = _prints(doubled)
    assert len(set(prints)) == len(prints) == 3
    assert set(_prints(LOSS)) < set(prints)


def test_another_expression_changes_it() -> None:
    (one,) = _prints("import torch\n\ny = torch.log(torch.softmax(x, -1))\n")
    (other,) = _prints("import torch\n\ny = torch.log(torch.softmax(z, -1))\n")
    assert one != other


def test_parentheses_that_change_the_value_change_it() -> None:
    (one,) = _prints("import torch\n\n\ndef f(x):\n    return torch.log(torch.relu(x) + 0.0 * 3)\n")
    (other,) = _prints("import torch\n\n\ndef f(x):\n    return torch.log((torch.relu(x) + 0.0) * 3)\n")
    assert one != other


def test_another_rule_about_the_same_operation_does_not_change_it() -> None:
    text = "import torch\n\n\ndef nll(logits):\n    return -torch.log(torch.softmax(logits, -1))\n"
    (specific,) = check_source(text)
    (general,) = check_source(text, ignore=["NL101"], select=["ALL"], confidence="possible")
    assert (specific.code, general.code) == ("NL101", "NL103")
    assert specific.fingerprint == general.fingerprint


def test_a_changed_cause_that_leads_to_another_rule_does_not_change_it() -> None:
    before = "import torch\n\n\ndef nll(x):\n    p = torch.relu(x)\n    return -torch.log(p)\n"
    (relu,) = check_source(before)
    (softmax,) = check_source(before.replace("relu(x)", "softmax(x, -1)"))
    assert relu.code != softmax.code
    assert relu.fingerprint == softmax.fingerprint


TWICE = """\
import torch


def entropies(a, b):
    x = torch.log(torch.softmax(a, -1))
    y = torch.log(torch.softmax(b, -1))
    x = x + torch.log(torch.softmax(a, -1))
    return x, y
"""


def test_a_finding_that_is_fixed_leaves_the_others_theirs() -> None:
    fixed = TWICE.replace("torch.log(torch.softmax(b, -1))", "torch.log_softmax(b, -1)")
    assert set(_prints(fixed)) < set(_prints(TWICE))
    assert len(_prints(fixed)) == len(_prints(TWICE)) - 1


def test_a_new_finding_has_a_new_one_though_another_was_fixed() -> None:
    changed = TWICE.replace("torch.log(torch.softmax(b, -1))", "torch.log(torch.softmax(a * b, -1))")
    (new,) = set(_prints(changed)) - set(_prints(TWICE))
    (at,) = [one.span.row for one in check_source(changed) if one.fingerprint == new]
    assert at == 6


def test_of_equal_ones_as_many_are_known_as_there_are() -> None:
    once = TWICE.replace("    x = x + torch.log(torch.softmax(a, -1))\n", "")
    assert Counter(_prints(once)) < Counter(_prints(TWICE))


def test_a_changed_confidence_or_another_file_name_does_not_change_it() -> None:
    text = "import torch\n\n\ndef nll(logits):\n    return -torch.log(torch.softmax(logits, -1))\n"
    prints = {
        check_source(text, path, confidence=level)[0].fingerprint
        for path in ("a.py", "b/c.py")
        for level in ("possible", "likely")
    }
    assert len(prints) == 1


@pytest.mark.parametrize(
    "spelling",
    [
        "torch.log(torch.softmax(logits, dim=-1, dtype=None))",
        "torch . log( (torch.softmax( logits,dim = -1,dtype=None )) )",
        "torch.log(  # the loss\n        torch.softmax(logits, dim=(-1), dtype=None,),  # trailing\n    )",
    ],
)
def test_the_same_expression_in_another_spelling_has_the_same(spelling: str) -> None:
    text = f"import torch\n\n\ndef nll(logits):\n    return -{spelling}\n"
    plain = "import torch\n\n\ndef nll(logits):\n    return -torch.log(torch.softmax(logits, dim=-1, dtype=None))\n"
    assert _prints(text) == _prints(plain) != []


def test_quotes_do_not_change_it() -> None:
    text = "import torch\n\n\ndef nll(d):\n    return torch.log(torch.softmax(d['a'], -1))\n"
    assert _prints(text) == _prints(text.replace("'a'", '"a"')) != []


def test_a_moved_cell_keeps_that_of_its_finding(tmp_path: Path) -> None:
    cells = ["import torch\n", "x = 1\n", "y = torch.log(torch.softmax(z, -1))\n"]
    prints = []
    for order in ((0, 1, 2), (0, 2, 1)):
        path = tmp_path / "n.ipynb"
        path.write_text(
            json.dumps(
                {
                    "cells": [
                        {
                            "cell_type": "code",
                            "source": cells[at],
                            "metadata": {},
                            "outputs": [],
                            "execution_count": None,
                        }
                        for at in order
                    ],
                    "metadata": {},
                    "nbformat": 4,
                    "nbformat_minor": 5,
                }
            )
        )
        shown = _run("check", "--isolated", "--output-format", "json", str(path))
        prints.append([one["fingerprint"] for one in json.loads(shown)])
    assert len(prints[0]) == 1
    assert prints[0] == prints[1]


def test_formatted_programs_keep_all_of_theirs(tmp_path: Path) -> None:
    programs = sorted((Path(__file__).parent.parent / "fixtures").glob("*/bad_*.py"))[::25]
    assert len(programs) > 10
    directories = [tmp_path / "as_written", tmp_path / "formatted"]
    for directory in directories:
        directory.mkdir()
        for program in programs:
            (directory / f"{program.parent.name}_{program.name}").write_text(program.read_text("utf-8"), "utf-8")
    style = ["--isolated", "--line-length", "30", "--config", "format.quote-style='single'"]
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *style, directories[1]], check=True)
    changed = [
        path for path in directories[0].iterdir() if path.read_text() != (directories[1] / path.name).read_text()
    ]
    assert len(changed) > len(programs) / 2
    kept = [
        {path.name: _by_fingerprint(path.read_text("utf-8")) for path in directory.iterdir()}
        for directory in directories
    ]
    assert sum(map(len, kept[0].values())) >= len(programs)
    assert kept[0] == kept[1]


def _by_fingerprint(text: str) -> dict[str, str]:
    found = check_source(text, select=["ALL"], confidence="possible")
    named = {one.fingerprint: one.code for one in found}
    assert len(named) == len(found)
    return named


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "nanlint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_a_file_that_does_not_parse_has_one_too() -> None:
    (fingerprint,) = _prints("def f(:\n")
    assert fingerprint


def test_a_comment_inside_of_the_expression_does_not_change_it() -> None:
    commented = LOSS.replace("torch.log(torch", "torch.log(  # a comment\n        torch")
    assert _prints(commented) == _prints(LOSS)
