"""Two paths meet: what is likely on one of them stays so."""

from __future__ import annotations

import pytest

from tests.marked import TORCH, said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("((x[1:] - x[:-1]) ** 2).sum(-1)", "(x ** 2).sum(-1)"),
        ("0", "(x ** 2).sum(-1)"),
        ("(x ** 2).sum(-1)", "torch.zeros(3)"),
    ],
)
def test_a_root_of_what_either_path_makes(one: str, other: str) -> None:
    source = (
        f"def f(x, flag):\n    if flag:\n        r = {one}\n    else:\n        r = {other}\n    return torch.sqrt(r)\n"
    )
    assert said(TORCH, source) == [("NL201", "likely")]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ("    if flag:\n        v = x[m > 0]\n    else:\n        v = x[m < 0]\n", [("NL304", "likely")]),
        ("    v = x\n    if flag:\n        v = x[m > 0]\n", [("NL304", "likely")]),
        ("    v = x[m > 0]\n    if v.numel() == 0:\n        v = x\n", []),
        ("    if (m > 0).any():\n        v = x[m > 0]\n    else:\n        v = x\n", []),
    ],
)
def test_a_mean_of_what_either_path_selects(paths: str, found: list[tuple[str, str]]) -> None:
    assert said(TORCH, f"def f(x, m, flag):\n{paths}    return v.mean()\n") == found


def test_zero_on_one_path_does_not_hide_the_division_on_the_other() -> None:
    paths = "    if flag:\n        y = 0\n    else:\n        y = x.sum() / (m > 0).sum()\n"
    source = f"def f(x, m, flag):\n{paths}    return y\n"
    assert said(TORCH, source) == [("NL301", "likely")]
