"""A function that is called only where a guard holds is possible at most, in one file and in several."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import nanlint
from nanlint.lint.one_file import run_task
from nanlint.lint.report import Task
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


@pytest.mark.parametrize(("name", "found"), [("test_shares.py", 0), ("shares_of_nothing.py", 1)])
def test_what_tests_give_is_made_up(tmp_path: Path, name: str, found: int) -> None:
    helper = """
        import numpy as np

        def shares(x, mask=None):
            x = np.asanyarray(x, dtype=float)
            if mask is not None:
                x = x.copy()
                x[mask] = 0.0
            return x / np.sum(x)
        """
    caller = """
        import numpy as np
        from shares import shares

        def test_of_nothing(mask):
            x = np.zeros((3, 2))
            return shares(x, mask=mask)
        """
    written(tmp_path, {"shares.py": dedent(helper), name: dedent(caller)})
    task = Task(str(tmp_path / "shares.py"), nanlint.config_of_keys(str(tmp_path / "shares.py"), {}))
    assert len([d for d in run_task(task).diagnostics if d.confidence.name == "CERTAIN"]) == found
