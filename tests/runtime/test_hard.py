"""Hard programs: nested transforms, several processes, sessions, loss scalers, what is computed again.

Each may be run under each watch, and a run of the tests draws some: its exit code is right (0 for those that say that
they are clean), and no line is blamed but the one that is marked; under ``--watch all`` that line is.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.events import Birth
from nanlint.runtime.runfile import read_run
from tests.runtime.running import Ran, verify
from tests.sampling import sample

HARD = Path(__file__).with_name("hard")
PROGRAMS = sorted(HARD.glob("*/*.py"))
RUNS = [(program, watch) for program in PROGRAMS for watch in ("all", "sites", "sentinel")]


def blamed(ran: Ran) -> set[int]:
    """The lines that a report blames: those of the forward pass, if there are any, are the cause of the others."""
    confirmed = [one for one in ran.report["findings"] if one["verdict"]["state"] == "confirmed"]
    born = [one for one in ran.report["born"] if not one["backward"]]
    if not born and not any(map(gave_what_is_not_finite, confirmed)):
        born = ran.report["born"]
    births = {(one["forward"] or one["frames"])[0]["line"] for one in born}
    return births | {one["location"]["row"] for one in confirmed}


def gave_what_is_not_finite(finding: Any) -> bool:
    """Whether it was confirmed in the forward pass."""
    counts = finding["verdict"]["observed"].get("result", {}).get("counts", {})
    return any(counts.get(kind) for kind in ("-inf", "+inf", "nan"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "watch"), sample(RUNS, 40, "hard programs"), ids=lambda one: getattr(one, "stem", one)
)
def test_the_verdict_the_line_and_the_exit_code_are_right(program: Path, watch: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(program.parent.name) is None:
        pytest.skip(f"{program.parent.name} is not installed")
    text = program.read_text("utf-8")
    is_clean = "clean." in text.partition("\n")[0]
    marked = {number for number, line in enumerate(text.splitlines(), 1) if "# born" in line}
    ran = verify(str(program), cwd=tmp_path, options=("--watch", watch))
    assert ran.report["exit_code"] == 0, ran.stderr
    assert ran.code == (0 if is_clean else 1), ran.report
    assert blamed(ran) == marked or (watch != "all" and not blamed(ran))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "number"), sample([("ranks_of_ddp", "rank"), ("workers_of_a_loader", "worker")], 2, "processes")
)
def test_an_origin_is_told_with_its_process(program: str, number: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    verify(str(HARD / "torch" / f"{program}.py"), cwd=tmp_path, options=("--watch", "all", "--run-dir", "run"))
    births = [event for _, event in read_run(str(tmp_path / "run")) if isinstance(event, Birth)]
    expected = {"rank": 1, "worker": 0}  # row 5 is in the third batch, which the first of two workers makes
    assert getattr(births[0].where, number) == expected[number]


def test_there_are_thirty_programs() -> None:
    assert len(PROGRAMS) >= 30
