"""The catalogue held against the frameworks; what is measured, and how, is in `tests/ops/soundness.py`."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path

import numpy as np
import pytest

from nanlint.ops.floats import FLOAT32, FORMATS
from nanlint.ops.op import OPS, Pole
from nanlint.ops.value import NEVER, Kind, value
from tests.ops import soundness
from tests.ops.soundness import (
    DEFECTS,
    DIFFERENTIABLE_ROOTS,
    ROOTS,
    in_class,
    marks_predicted,
    marks_seen,
    measure,
)
from tests.ops.truth import spellings_of

PAGE = Path(__file__).parents[2] / "docs" / "soundness.md"


@pytest.mark.parametrize(("op", "root"), soundness.pairs())
def test_values_and_gradients_stay_within_the_prediction_and_every_pole_breaks(op: str, root: str) -> None:
    tallies = measure(op, root)
    wrong = [violation for tally in tallies.values() for violation in tally.violations]
    assert not wrong, "\n".join(wrong[:12])
    intact = [call for tally in tallies.values() for call in tally.intact]
    assert not intact, "\n".join(intact[:12])
    if FLOAT32.name in tallies:
        claimed = {
            pole
            for pole in OPS[op].poles
            if pole.frameworks is None or root in pole.frameworks
            if not pole.gradient or (root in DIFFERENTIABLE_ROOTS and tallies[FLOAT32.name].differentiated)
        }
        assert claimed <= tallies[FLOAT32.name].poles


@pytest.mark.parametrize("part", DEFECTS)
def test_gradients_that_are_known_to_break_without_a_pole_do(part: str) -> None:
    names = {s.name: (s.op, root) for op, root in soundness.pairs() for s in spellings_of(op, root)}
    known = sorted({pair for name, pair in names.items() if name.endswith(f".{part}")})
    assert any(
        name.endswith(f".{part}") for pair in known for tally in measure(*pair).values() for name in tally.defects
    )


# ── the measure itself ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_prediction_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """log without a result below 0, and sqrt without the pole of its slope, are violations."""
    from dataclasses import replace

    positive = replace(OPS["log"], transfer=lambda v, _: value(0.0, math.inf, kind=Kind.TENSOR))
    monkeypatch.setitem(OPS, "log", positive)
    monkeypatch.setitem(OPS, "sqrt", replace(OPS["sqrt"], poles=(Pole("x", "neg", "nan"),)))
    monkeypatch.setitem(OPS, "exp", replace(OPS["exp"], poles=(Pole("x", "zero", "nan"),)))
    uncached = measure.__wrapped__
    assert "torch.log(x=" in uncached("log", "torch")["float32"].violations[0]
    assert uncached("sqrt", "torch")["float32"].violations[0].startswith("gradient of torch.sqrt(x=0.0)")
    assert uncached("exp", "torch")["float32"].intact[0].startswith("torch.exp(x=0.0) = 1.0")


def test_a_width_counts_special_numbers() -> None:
    assert marks_predicted(value(2.0, 3.0, nan=NEVER), FLOAT32) == 2
    assert marks_predicted(value(2.0, 3.0), FLOAT32) == 3
    assert marks_seen(np.array([2.0, 3.0, math.nan, math.inf]), FLOAT32) == 4
    assert marks_seen(np.array([2.1]), FLOAT32) == 1


def test_what_is_flushed_counts_as_zero() -> None:
    below = np.array([FLOAT32.denormal])
    assert in_class(below, "zero", FLOAT32, flushed=True).all()
    assert in_class(below, "pos", FLOAT32, flushed=False).all()


# ── the page ────────────────────────────────────────────────────────────────────────────────────────────────────────

ROW = re.compile(r"^\| (?P<op>[a-z0-9_]+) \| (?P<spellings>\d+) \|", re.MULTILINE)


def test_the_page_counts_the_spellings_of_today() -> None:
    """`python benchmarks/soundness.py --write` makes it anew."""
    text = PAGE.read_text()
    for root in ROOTS:
        section = text.partition(f"\n## {root}\n")[2].partition("\n## ")[0]
        told = {row["op"]: int(row["spellings"]) for row in ROW.finditer(section)}
        assert told == {op: len(spellings_of(op, r)) for op, r in soundness.pairs() if r == root}, root


def test_the_page_holds_no_violation() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if ROW.match(line)]
    assert len(rows) > 400
    assert {row[-2].strip() for row in rows} == {"0"}


def test_the_page_is_of_all_formats() -> None:
    text = PAGE.read_text()
    assert all(f"| {name} |" in text for name in FORMATS)
    assert all(importlib.util.find_spec(root) is None or f"\n## {root}\n" in text for root in ROOTS)
