"""The script that fills the table of probabilities, on labels that were made up and counted by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import calibrate
from benchmarks.calibrate import Labelled, contradicting, counted, held_out, interval, kept, levels, share_of
from nanlint.odds import LEAST

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def few_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prior that is easy to count with."""
    monkeypatch.setattr(calibrate, "PRIOR", 10.0)
    monkeypatch.setattr(calibrate, "FEWEST", 4.0)


def labels(path: tuple[str, ...], right: int, wrong: int, *, drawn: bool = True, group: str = "a") -> list[Labelled]:
    return [Labelled(path, number < right, group, drawn) for number in range(right + wrong)]


def test_a_level_begins_as_it_is_defined_and_is_counted_on_what_was_drawn() -> None:
    known = [*labels(("likely", "value"), 9, 1), *labels(("likely", "value"), 50, 0, drawn=False)]
    found = levels(known)
    assert found[("likely",)].share == pytest.approx((9 + 10 * 0.60) / 20)
    assert found[("possible",)].share == LEAST[min(LEAST)]
    assert found[("certain",)].labels == 0


def test_code_that_was_learned_from_counts_less_and_is_not_held_out() -> None:
    unseen, learned = labels(("likely", "value"), 4, 4), labels(("likely", "value"), 8, 0, group="b")
    known = [*unseen, *(replace(one, learned=True) for one in learned)]
    assert levels(known)[("likely",)].share == pytest.approx((4 + 8 * 0.25 + 10 * 0.60) / (8 + 8 * 0.25 + 10))
    assert {one.group for one, _ in held_out(known)} == {"a"}


def test_a_cell_is_drawn_to_the_one_before_it() -> None:
    table = counted([*labels(("likely", "value"), 8, 2), *labels(("likely", "gradient"), 2, 8)])
    level = (10 + 6) / 30
    assert table[("likely",)].share == pytest.approx(level)
    # of 20 labels 10 are right, where the level has 16 of 30: each right one weighs 16 / 14
    weight = level / (1 - level)
    assert table[("likely", "value")].share == pytest.approx((8 * weight + 10 * level) / (8 * weight + 2 + 10))
    assert table[("likely", "gradient")].share == pytest.approx((2 * weight + 10 * level) / (2 * weight + 8 + 10))


def test_commits_shape_the_kinds_and_leave_their_level_alone() -> None:
    drawn = [*labels(("likely", "value"), 3, 3), *labels(("likely", "gradient"), 3, 3)]
    commits = labels(("likely", "value"), 40, 0, drawn=False)
    alone, both = counted(drawn), counted([*drawn, *commits])
    assert both[("likely",)] == alone[("likely",)]
    assert both[("likely", "value")].share > alone[("likely", "value")].share
    assert both[("likely", "gradient")].share < alone[("likely", "gradient")].share


def test_what_has_no_traits_counts_for_its_level_alone() -> None:
    kinds = [*labels(("likely", "value"), 8, 2), *labels(("likely", "gradient"), 8, 2)]
    alone, both = counted(kinds), counted([*kinds, *labels(("likely",), 0, 20)])
    assert both[("likely",)].share == pytest.approx((16 + 6) / 50)
    assert both[("likely",)].share < alone[("likely",)].share
    # both kinds are as good as all that is known of kinds, hence as their level
    assert both[("likely", "value")].share == pytest.approx(both[("likely",)].share)


def test_a_cell_with_too_few_labels_is_left_out() -> None:
    table = kept(counted([*labels(("likely", "value"), 4, 0), *labels(("likely", "gradient"), 0, 3)]))
    assert ("likely", "value") in table
    assert ("likely", "gradient") not in table
    assert share_of(table, ("likely", "gradient", "training")) == table[("likely",)].share


def test_what_is_held_out_is_not_counted() -> None:
    known = [*labels(("likely", "value"), 4, 0, group="a"), *labels(("likely", "value"), 0, 4, group="b")]
    said = {one.group: share for one, share in held_out(known)}
    without_a, without_b = (levels([one for one in known if one.group == group])[("likely",)].share for group in "ba")
    assert without_a < 0.5 < without_b
    assert said["a"] < without_a
    assert said["b"] > without_b


@pytest.mark.parametrize(
    ("right", "labelled", "bounds"), [(5, 10, (0.237, 0.763)), (0, 10, (0.0, 0.278)), (10, 10, (0.722, 1.0))]
)
def test_intervals_are_wilsons(right: int, labelled: int, bounds: tuple[float, float]) -> None:
    assert interval(right, labelled) == pytest.approx(bounds, abs=5e-4)


def test_a_level_is_contradicted_only_by_labels_enough() -> None:
    few = [*labels(("likely", "value"), 1, 2), *labels(("likely", "gradient"), 4, 0)]
    many = [*labels(("likely", "value"), 2, 8), *labels(("likely", "gradient"), 9, 1)]
    assert contradicting(few) == []
    assert contradicting(many) == [("likely", "value")]
    assert contradicting(labels(("possible", "value"), 9, 0)) == [("possible",), ("possible", "value")]
    assert contradicting(labels(("possible", "value"), 9, 0, drawn=False)) == []


def test_the_script_reads_labels_and_prints_the_curve(tmp_path: Path) -> None:
    package = tmp_path / "sources" / "wheels" / "tiny-1.0"
    package.mkdir(parents=True)
    (package / "loss.py").write_text("import torch\n\n\ndef loss(x):\n    return torch.log(torch.softmax(x, -1))\n")
    row = {"package": "tiny", "version": "1.0", "artifact": "tiny-1.0-py3-none-any.whl", "file": "loss.py"}
    rows = [{**row, "line": 5, "end_line": 5, "label": "REAL"}, {**row, "line": 1, "end_line": 1, "label": "FALSE"}]
    (tmp_path / "findings.json").write_text(json.dumps({"findings": rows}))
    command = [sys.executable, str(ROOT / "benchmarks" / "calibrate.py"), str(tmp_path)]
    done = subprocess.run(
        [*command, "--sources", str(tmp_path / "sources")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "| certain | 1 | 1 | 0 | 0 | 0 | 0.95 | 0, 0 |" in done.stdout
