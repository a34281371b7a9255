"""The guides from a symptom to a fix: the program has the symptom, the command names its line, the fix ends it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.source import Source
from nanlint.source.edits import edited
from tests.runtime.running import nanlint as nanlint_command

DOCS = Path(__file__).parents[1] / "docs"
TITLED = re.compile(r'^```python title="([\w.]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
Names = dict[str, Any]


def last_loss(names: Names) -> float:
    return float(names["losses"][-1])


def sum_of_gradient(names: Names) -> float:
    return float(names["gradient"].sum())


def sum_of_result(names: Names) -> float:
    return float(names["result"].detach().float().sum())


#: each guide with the framework of its program and the number that is NaN there
GUIDES: dict[str, tuple[str, Callable[[Names], float]]] = {
    "nan-loss-pytorch": ("torch", last_loss),
    "nan-loss-keras-tensorflow": ("tensorflow", last_loss),
    "nan-loss-jax": ("jax", last_loss),
    "nan-gradient-where": ("torch", sum_of_gradient),
    "nan-mixed-precision": ("torch", sum_of_result),
}


def page(guide: str) -> str:
    return (DOCS / f"{guide}.md").read_text(encoding="utf-8")


def programs(guide: str) -> dict[str, str]:
    return dict(TITLED.findall(page(guide)))


def result(guide: str, program: str) -> float:
    framework, number = GUIDES[guide]
    pytest.importorskip(framework)
    exec(program, names := {"__name__": "shown"})
    return number(names)


def test_every_guide_is_checked() -> None:
    assert {path.stem for path in DOCS.glob("nan-*.md")} == set(GUIDES)


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES)
def test_the_program_has_the_symptom_and_the_fixed_one_does_not(guide: str) -> None:
    broken, *fixed = programs(guide).values()
    assert math.isnan(result(guide, broken))
    for program in fixed:
        assert math.isfinite(result(guide, program))


@pytest.mark.slow
@pytest.mark.parametrize("guide", [guide for guide in GUIDES if "check --diff" in page(guide)])
def test_the_fix_that_is_shown_ends_the_symptom(guide: str) -> None:
    (name, program), *_ = programs(guide).items()
    edits = [edit for one in nanlint.check_source(program, name) if one.fix is not None for edit in one.fix.edits]
    assert edits
    assert math.isfinite(result(guide, edited(Source(name, program), edits).text))


@pytest.mark.parametrize("guide", GUIDES)
def test_each_line_that_is_reported_is_shown_and_the_fixed_program_is_clean(guide: str) -> None:
    (name, broken), *fixed = programs(guide).items()
    shown = re.findall(rf"^{name}:(\d+):\d+ (NL\d+) \[", page(guide), re.MULTILINE)
    assert shown
    assert [(str(one.span.row), one.code) for one in nanlint.check_source(broken)] == shown
    for _, program in fixed:
        assert nanlint.check_source(program) == []


@pytest.mark.slow
@pytest.mark.parametrize("guide", [guide for guide in GUIDES if "nanlint verify" in page(guide)])
def test_a_run_confirms_what_the_guide_says(guide: str, tmp_path: Path) -> None:
    """Where the guide says ``NL102 confirmed`` for line 14, or names a place, the report of the run does."""
    pytest.importorskip(GUIDES[guide][0])
    (name, program), *_ = programs(guide).items()
    (tmp_path / name).write_text(program, encoding="utf-8")
    done = nanlint_command("verify", "--watch", "all", "--", name, cwd=tmp_path)
    assert done.code == 1, done.stderr
    claimed = re.search(r"the\s+report\s+contains `([^`]+)`(?:\s+for\s+line\s+(\d+))?", page(guide))
    assert claimed is not None
    line = next((line for line in done.stderr.splitlines() if claimed[1] in line), None)
    assert line is not None, done.stderr
    assert claimed[2] is None or line.startswith(f"{name}:{claimed[2]}:")


FIX = re.compile(
    r"^\| \[[^\]]+\]\(https://github\.com/[\w.-]+/[\w.-]+/commit/([0-9a-f]{40})\) \(\d{4}\) \|.*\| (.+) \|$", re.M
)


def test_the_gallery_counts_what_it_shows() -> None:
    shown = FIX.findall(page("gallery"))
    found = [answer for _, answer in shown if answer != "not found"]
    possible = [answer for answer in found if re.search(r", possible\b", answer)]
    assert len({commit for commit, _ in shown}) == len(shown) == 30
    assert all(re.search(r"\[NL\d{3} [\w-]+\]\(rules/[\w-]+\.md\), (certain|likely|possible)", one) for one in found)
    sentence = " ".join(page("gallery").split())
    assert (
        f"nanlint reports {len(found) - len(possible)} by default and {len(possible)} more as possible, and does not "
        f"find {30 - len(found)};" in sentence
    )
