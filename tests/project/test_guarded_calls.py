"""A function that is called only where a guard holds is possible at most, in one file and in several."""

from __future__ import annotations

from pathlib import Path

import pytest

import nanlint
from nanlint.linter import Task, run_task
from tests.project.test_view import written

#: its mean of nothing is NaN
HELPER = "import torch\n\ndef mean_of(x, mask):\n    return (x * mask).sum() / mask.sum()\n"
GUARDED = "def loss(x, mask):\n    if mask.sum() > 0:\n        return mean_of(x, mask)\n    return x.sum() * 0\n"
BARE = "def other(x, mask):\n    return mean_of(x, mask)\n"
NUMBERS = "print(mean_of(torch.ones(3), torch.ones(3)))\n"
CALLERS = {
    "all guarded": (GUARDED, "POSSIBLE"),
    "one without": (GUARDED + BARE, "LIKELY"),
    "none": ("", "LIKELY"),
    "numbers that are written out": (NUMBERS, "LIKELY"),
}


def level(path: Path) -> str:
    """How sure the one finding of a file is."""
    task = Task(str(path), nanlint.config_of_keys(str(path), {"confidence": "possible"}))
    (found,) = run_task(task).diagnostics
    assert found.code == "NL301"
    return found.confidence.name


@pytest.mark.parametrize(("callers", "expected"), CALLERS.values(), ids=CALLERS)
def test_callers_in_one_file(tmp_path: Path, callers: str, expected: str) -> None:
    written(tmp_path, {"main.py": HELPER + callers})
    assert level(tmp_path / "main.py") == expected


@pytest.mark.parametrize(("callers", "expected"), CALLERS.values(), ids=CALLERS)
def test_callers_in_another_file(tmp_path: Path, callers: str, expected: str) -> None:
    written(tmp_path, {"helper.py": HELPER, "main.py": f"import torch\nfrom helper import mean_of\n\n{callers}"})
    assert level(tmp_path / "helper.py") == expected
