"""The conditions of a comprehension, or of a filter, hold for each element; what they choose may be nothing."""

from __future__ import annotations

import pytest

from tests.marked import NUMPY, TORCH, said

SOFTMAX = "def f(x):\n    p = torch.softmax(x, -1)\n"
TABLE = "import math\nimport pandas as pd\ndef f(path):\n    column = pd.read_csv(path)['price']\n"

CHOSEN = [
    "return [torch.log(q) for q in p if q > 0]",
    "return sum(torch.log(q) for q in p if q > 0)",
    "return {i: torch.log(q) for i, q in enumerate(p) if q > 0}",
    "return sum(map(torch.log, filter(lambda q: q > 0, p)))",
    "kept = {i: q for i, q in enumerate(p) if q > 0}\n    return [torch.log(q) for q in kept.values()]",
    "kept = {i: q for i, q in enumerate(p) if q > 0}\n    return [torch.log(q) for _, q in kept.items()]",
    "kept = {q for q in p if q > 0}\n    return [torch.log(q) for q in kept]",
    "kept = filter(None, p)\n    return [torch.log(q) for q in kept]",
]
ALL = [
    "return {i: torch.log(q) for i, q in enumerate(p)}",
    "kept = {i: q for i, q in enumerate(p)}\n    return [torch.log(q) for q in kept.values()]",
    "kept = filter(lambda q: q < 0.5, p)\n    return [torch.log(q) for q in kept]",
]


@pytest.mark.parametrize("body", CHOSEN)
def test_what_is_chosen_is_what_the_condition_says(body: str) -> None:
    assert said(TORCH, SOFTMAX + f"    {body}\n") == []


@pytest.mark.parametrize("body", ALL)
def test_what_no_condition_excludes_is_there(body: str) -> None:
    assert [code for code, _ in said(TORCH, SOFTMAX + f"    {body}\n")] == ["NL101"]


@pytest.mark.parametrize(
    ("column", "code"),
    [
        ("[v for v in column]", ["NL801"]),
        ("{i: v for i, v in enumerate(column)}.values()", ["NL801"]),
        ("[v for v in column if not math.isnan(v)]", []),
        ("[v for v in column if v == v]", []),
        ("filter(math.isfinite, column)", []),
        ("filter(lambda v: not math.isnan(v), column)", []),
        ("{i: v for i, v in enumerate(column) if not math.isnan(v)}.values()", []),
    ],
)
def test_a_filter_of_nan_is_a_look_at_nan(column: str, code: list[str]) -> None:
    assert [c for c, _ in said(TORCH, TABLE + f"    return torch.tensor(list({column}))\n")] == code


@pytest.mark.parametrize(
    ("mean", "codes"),
    [
        ("np.mean([v for v in x if v > 0])", ["NL304"]),
        ("np.array(list(filter(lambda v: v > 0, x))).mean()", ["NL304"]),
        ("np.mean([2 * v for v in [w for w in x if w > 0]])", ["NL304"]),
        ("np.mean([v for v in x])", []),
        ("np.stack([v for v in x if v > 0]).mean()", []),  # of no arrays it raises
        ("np.mean(kept) if kept else 0.0", []),
        ("np.mean(kept) if len(kept) > 0 else 0.0", []),
    ],
)
def test_a_choice_may_leave_nothing(mean: str, codes: list[str]) -> None:
    source = f"def f(x):\n    kept = [v for v in x if v > 0]\n    return {mean}\n"
    assert [code for code, _ in said(NUMPY, source)] == codes
