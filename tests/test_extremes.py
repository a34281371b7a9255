"""Code that programs write: twice as much of it costs no more than about twice the calls, and all of it is checked."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

import nanlint
from nanlint.config import Configs
from nanlint.diagnostic import Diagnostic
from nanlint.lint.one_file import fix_source
from nanlint.source import Source
from tests.sampling import sample

HEAD = "import torch\n\n"
SOFTMAX = "torch.log(torch.softmax(x, -1))"


def ifs(count: int) -> str:
    body = "".join(f"    if x > {n}:\n        y = y + {n}\n" for n in range(count))
    return f"{HEAD}def f(x, y):\n{body}    return torch.log(torch.relu(y))\n"


def elifs(count: int) -> str:
    body = "".join(f"    elif x == {n}:\n        y = torch.log(torch.relu(y) + {n})\n" for n in range(count))
    return f"{HEAD}def f(x, y):\n    if x == -1:\n        y = 1\n{body}    return y\n"


def returns(count: int) -> str:
    body = "".join(f"    if x == {n}:\n        return torch.relu(y) / {n + 1}\n" for n in range(count))
    return f"{HEAD}def f(x, y):\n{body}    return torch.log(torch.relu(y))\n"


def functions(count: int) -> str:
    return HEAD + "".join(f"def f{n}(x):\n    return {SOFTMAX}\n\n\n" for n in range(count))


def elements(count: int) -> str:
    body = "".join(f"        torch.log(torch.softmax(x + {n}, -1)),\n" for n in range(count))
    return f"{HEAD}def f(x):\n    return [\n{body}    ]\n"


def statements(count: int) -> str:
    body = "    x = x + 1\n" * count
    return f"{HEAD}def f(x):\n{body}    return torch.log(torch.relu(x))\n"


def literals(count: int) -> str:
    return f"{HEAD}X = [{', '.join(str(1 + n % 7) for n in range(count))}, 0]\ny = torch.log(torch.tensor(X))\n"


def keys(count: int) -> str:
    table = ", ".join(f'"k{n}": {n}' for n in range(count))
    return f"{HEAD}X = {{{table}}}\n\n\ndef f(x):\n    return {SOFTMAX} * X['k1']\n"


def checked(text: str) -> list[Diagnostic]:
    return nanlint.check_source(text)


def mended(text: str) -> list[Diagnostic]:
    return list(fix_source(Source("a.py", text), Configs({}).default(), unsafe=False).fixed)


def calls(work: Callable[[str], list[Diagnostic]], text: str) -> tuple[int, list[Diagnostic]]:
    """How many calls a work takes, and what it finds."""
    with cProfile.Profile() as profile:
        found = work(text)
    return pstats.Stats(profile).total_calls, found  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("program", "size", "work", "finds"),
    sample(
        [
            (ifs, 20, checked, lambda n: 1),
            (elifs, 40, checked, lambda n: 1),
            (returns, 60, checked, lambda n: 1),
            (functions, 40, checked, lambda n: n),
            (functions, 25, mended, lambda n: n),
            (elements, 40, checked, lambda n: n),
            (elements, 20, mended, lambda n: n),
            (statements, 150, checked, lambda n: 1),
            (literals, 3000, checked, lambda n: 1),
            (keys, 3000, checked, lambda n: 1),
        ],
        3,
        "extremes",
    ),
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_twice_as_much_costs_about_twice_as_much(
    program: Callable[[int], str],
    size: int,
    work: Callable[[str], list[Diagnostic]],
    finds: Callable[[int], int],
) -> None:
    work(program(2))  # what is loaded once
    small, found = calls(work, program(size))
    assert len(found) >= finds(size)
    large, found = calls(work, program(2 * size))
    assert len(found) >= finds(2 * size)
    assert large < 2.4 * small, f"{large / small:.2f} times the calls"


def test_many_ifs_in_a_row_are_checked() -> None:
    found = checked(ifs(80) + f"\n\ndef g(x):\n    return {SOFTMAX}\n")
    assert {one.code for one in found} == {"NL004", "NL101", "NL103"}, "all, and that there may be more"


@pytest.mark.parametrize(
    ("extra", "codes"),
    [("", []), (", 0", ["NL103"]), (", -3", ["NL108"]), (", 'text'", [])],
    ids=["positive", "a zero", "a negative number", "text"],
)
def test_very_many_literals_are_known_by_their_range(extra: str, codes: list[str]) -> None:
    numbers = ", ".join(str(1 + n % 7) for n in range(2000))
    text = f"{HEAD}X = [{numbers}{extra}, 5]\ny = torch.log(torch.tensor(X))\n"
    assert [one.code for one in checked(text)] == codes
    assert [one.code for one in checked(text.replace(numbers, "1, 2, 7"))] == codes
