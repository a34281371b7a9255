"""A program that is split into the files of a project is judged as it is in one file.

``python -m tests.project.splitting -v`` prints how many splits are, for each style of import, and which are not.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.programs.fixtures import PROGRAMS
from tests.project.splitting import (
    CLASSES,
    CONSTANTS,
    DEEPER,
    MAIN,
    REWRITTEN,
    STYLES,
    Parts,
    figures,
    found_in,
    judged,
    split,
)

#: shares of splits that are judged as the program, and of the program's findings that are there; in what has stayed in
#: the main file, and in all
ALIKE, RECALL = 0.955, 0.82
ALIKE_IN_ALL, RECALL_IN_ALL = 0.925, 0.85
#: findings, for each split, at what has nothing to be found
SURPLUS = 0.005


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_programs_are_judged_in_several_files_as_in_one() -> None:
    results = list(judged(PROGRAMS[::24]))
    assert {one.form for one in results} == REWRITTEN.keys()
    assert {one.style for one in results} == STYLES.keys()
    here = figures(results, in_main=True)
    assert here.share >= ALIKE, here
    assert here.surplus <= SURPLUS * here.splits + 1, here
    assert here.recall >= RECALL
    everywhere = figures(results, in_main=False)
    assert everywhere.share >= ALIKE_IN_ALL
    assert everywhere.recall >= RECALL_IN_ALL
    good = figures((one for one in results if not one.program.is_bad), in_main=True)
    assert good.share >= 0.99


PROGRAM = '''\
"""Everything that moves."""
from __future__ import annotations

import torch
from torch import nn

EPS = 0.0


class Head(nn.Module):
    def forward(self, x):
        return softened(x)


def softened(x):
    return torch.softmax(x / temperature(), -1)


def temperature():
    return 2.0


def loss(x):
    return torch.log(Head()(x) + EPS)


def witness():
    return {"value": loss(torch.zeros(2))}
'''


@pytest.mark.parametrize("style", STYLES)
def test_what_others_use_moves_and_keeps_its_rows(style: str) -> None:
    files = Parts(PROGRAM).files(STYLES[style])
    assert files is not None
    assert files.keys() - {"__init__"} == {MAIN, CONSTANTS, DEEPER, CLASSES}
    original = PROGRAM.splitlines()
    rows = [row for file in files.values() for _, row in file.lines if row is not None]
    code = [s for s in ast.parse(PROGRAM).body if not isinstance(s, (ast.Import, ast.ImportFrom))]
    assert {s.lineno for s in code} <= set(rows)
    for file in files.values():
        ast.parse(file.text)
        for line, row in file.lines:
            assert row is None or line.split("(")[0][:8] == original[row - 1].split("(")[0][:8]
    assert "def temperature" in files[DEEPER].text
    assert "def temperature" not in files[MAIN].text


@pytest.mark.parametrize("style", STYLES)
def test_a_split_program_is_judged_in_every_style_as_it_is(style: str, tmp_path: Path) -> None:
    expected = frozenset(found_in("program.py", PROGRAM))
    assert [f.code for f in expected] == ["NL103"]
    made = split(PROGRAM, STYLES[style], tmp_path / "project", expected)
    assert made is not None
    assert len(made.files) >= 3
    assert made.kept(in_main=True)
