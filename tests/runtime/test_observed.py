"""What runs observe: near its pole in every measure, tests by name, runs that are merged."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from nanlint.diagnostic import Confidence
from nanlint.hazards.observed import Word, with_run
from nanlint.runtime.approach import Ends, approach
from tests.runtime.running import Ran, nanlint, python, verify

pytest.importorskip("numpy")

MODEL = """
import numpy as np


def unit(x):
    return x / np.linalg.norm(x)


def entropy(p):
    return -np.sum(p * np.log(p))


def ratio(a, b):
    return a / np.abs(b)


def softmax(z):
    e = np.exp(z)
    return e / e.sum()


def positive(z):
    return z[z > 0].mean()


def standardized(x):
    return x / x.std()


def never(x):
    return x / x.max()
"""
TESTS = """
import numpy as np
import pytest
from model import *


def test_unit():
    assert unit(np.array([3.0, 4.0]))[0] == 0.6


def test_nothing():
    unit(np.zeros(3))


def test_entropy():
    entropy(np.array([1e-9, 1.0]))


def test_ratio():
    ratio(1.0, np.array([1e-9, 2.0]))


@pytest.mark.parametrize("top", [1.0, 708.5])
def test_softmax(top):
    softmax(np.array([0.0, top]))


def test_positive():
    positive(np.array([1.0, -2.0]))


def test_standardized():
    standardized(np.arange(200.0))
"""


def run_tests(directory: Path, *options: str, run: str) -> Ran:
    """`pytest`, with the run kept in a directory."""
    return python("-m", "pytest", "-q", "-p", "no:cacheprovider", f"--nanlint-run-dir={run}", *options, cwd=directory)


def found_with(directory: Path, *runs: str) -> dict[str, tuple[str, str]]:
    """The level of the finding in each function, and what is said to have been observed."""
    asked = ["--isolated", "--confidence", "possible", "--output-format", "json"]
    asked += [word for run in runs for word in ("--with-run", run)]
    lines = (directory / "model.py").read_text().splitlines()
    found = {}
    for one in json.loads(nanlint("check", "model.py", *asked, cwd=directory).stdout):
        above = [line for line in lines[: one["location"]["row"]] if line.startswith("def ")]
        found[above[-1][4:].partition("(")[0]] = one["confidence"], (one["observed"] or {}).get("text", "")
    return found


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose tests were observed twice: some of them, and the others."""
    directory = tmp_path_factory.mktemp("tested")
    (directory / "model.py").write_text(MODEL.lstrip())
    (directory / "test_model.py").write_text(TESTS.lstrip())
    first = run_tests(directory, "--nanlint=observe", "-k", "softmax or entropy or ratio", run="first")
    second = run_tests(directory, "--nanlint=observe", "-k", "not softmax and not entropy and not ratio", run="second")
    assert (first.code, second.code) == (0, 0), (first.stdout, second.stdout)
    return directory


def test_what_tests_met_is_shown_and_raises_what_came_near(directory: Path) -> None:
    before, after = found_with(directory), found_with(directory, "first", "second")
    assert before.keys() == after.keys() == {"unit", "entropy", "ratio", "softmax", "positive", "standardized", "never"}
    assert (before["ratio"][0], after["ratio"][0]) == ("possible", "likely")
    raised = {name for name in after if after[name][0] != before[name][0]}
    assert raised <= {"entropy", "ratio", "softmax", "positive"}
    assert "near: b came within 1e-09 of 0" in after["ratio"][1]
    assert "near: x came within 1e-09 of 0" in after["entropy"][1]
    assert "in 2 elements of 1 execution in test_model.py::test_entropy" in after["entropy"][1]
    assert "near: exp reached 4.98e+307" in after["softmax"][1]
    assert "in 2 tests" in after["softmax"][1]
    assert "near: x had 1 element at least" in after["positive"][1]
    assert after["never"][0] == before["never"][0]
    assert after["never"][1].startswith("not reached; a test that is missing: x = 0.")


def test_explain_says_what_was_observed_and_which_test_is_missing(directory: Path) -> None:
    lines = (directory / "model.py").read_text().splitlines()

    def explained(function: str) -> str:
        row = next(i for i, line in enumerate(lines, 1) if line.startswith(f"def {function}(")) + 1
        asked = ("--isolated", "--confidence", "possible", "--with-run", "first", "--with-run", "second")
        shown = nanlint("explain", f"model.py:{row}", *asked, cwd=directory).stdout
        return next(line for line in shown.splitlines() if "Observed: " in line).strip()

    assert explained("never").startswith("Observed: not reached; a test that is missing: x = 0.")
    assert explained("ratio").startswith("Observed: near: b came within 1e-09 of 0")
    away = explained("standardized")
    assert away.startswith(("Observed: few: ", "Observed: away: "))
    assert "in test_model.py::test_standardized" in away
    assert "a test that is missing: x = " in away


def test_what_happens_in_a_test_that_passes_is_told_and_no_more(directory: Path) -> None:
    level, told = found_with(directory, "second")["unit"]
    assert told.startswith("nan in test_model.py::test_nothing; the tests accept it")
    assert level == found_with(directory)["unit"][0]


def test_a_run_in_the_directory_of_another_is_added(directory: Path, tmp_path: Path) -> None:
    shutil.copytree(directory, tmp_path / "here")
    here = tmp_path / "here"
    again = run_tests(here, "--nanlint=observe", "-k", "entropy or softmax", run="both")
    more = run_tests(here, "--nanlint=observe", "-k", "unit or nothing", run="both")
    assert (again.code, more.code) == (0, 0), (again.stdout, more.stdout)
    assert "NL104" not in more.stdout.partition("confirmed")[0], "each run is judged by itself"
    after = found_with(here, "both")
    assert "near" in after["entropy"][1]
    assert "the tests accept it" in after["unit"][1]
    shown = nanlint("inspect", "first", "second", "-c", "verdicts", cwd=directory)
    assert shown.code == 0
    assert "near" in shown.stdout
    assert "confirmed" in shown.stdout


def test_only_what_is_asked_for_fails_and_is_watched(directory: Path) -> None:
    failing = run_tests(directory, "--nanlint", "-k", "nothing", run="third")
    assert failing.code == 1
    likely = run_tests(directory, "--nanlint", "--nanlint-confidence=certain", "-k", "nothing", run="fourth")
    assert "NL302" not in likely.stdout


OFTEN = """
import math

import numpy as np


def root(p):
    return np.log(1 - np.exp(-p))


def mean(x):
    return x[x > 0].mean()


for i in range({times}):
    root(2.0 if i != {where} else {what})
for i in range(3):
    y = np.zeros((0, 3)) / np.linalg.norm(np.zeros((0, 3)), axis=1, keepdims=True)
"""


def test_what_runs_often_is_counted_all_and_told_when_it_breaks(tmp_path: Path) -> None:
    for where, what in ((19_999, "0.0"), (1_700, "0.0"), (1_701, "0.0")):
        (tmp_path / "train.py").write_text(OFTEN.format(times=20_000, where=where, what=what))
        ran = verify("train.py", cwd=tmp_path, options=("--confidence", "possible"))
        verdicts = {one["code"]: one["verdict"] for one in ran.report["findings"]}
        assert verdicts["NL105"]["state"] == "confirmed", where
        assert verdicts["NL105"]["executions"] == 20_000
        assert verdicts["NL105"]["elements"] < 5_000
    empty = verdicts["NL302"]
    assert (empty["state"], empty["executions"], empty["empty"]) == ("only empty", 3, 3)


@pytest.mark.parametrize(
    ("pole", "seen", "near"),
    [
        ((0.0, "zero"), Ends(1e-9, 2.0, 1e-9), True),
        ((0.0, "zero"), Ends(1e-9, 1e-9, 1e-9), False),
        ((0.0, "zero"), Ends(3.0, 1e300, 3.0), False),
        ((0.0, "zero"), Ends(1e-3, 2.0, 1e-3), False),
        ((0.0, "zero"), Ends(-2.0, 2.0, 1e-7), True),
        ((0.0, "neg"), Ends(1e-9, 2.0, 1e-9), True),
        ((1.0, "zero"), Ends(-0.9999, 2.0), True),  # log1p
        ((1.0, "zero"), Ends(-0.9, 2.0), False),
        ((-1.0, "pos"), Ends(0.2, 0.9999), True),  # arccos
        ((-1.0, "pos"), Ends(0.2, 0.99), False),
        ((0.0, "pinf"), Ends(1.0, 1e37, dtype="float32"), True),  # what comes out of exp
        ((0.0, "pinf"), Ends(1.0, 1e37, dtype="float64"), False),
        ((0.0, "pinf"), Ends(1.0, 700.0, dtype="float16"), True),
        ((0.0, "empty"), Ends(fewest=1), True),
        ((0.0, "empty"), Ends(fewest=2), False),
    ],
)
def test_every_pole_has_a_measure(pole: tuple[float, str], seen: Ends, near: bool) -> None:
    found = approach("x", *pole, seen)
    assert found is not None
    assert found.near is near


def test_a_run_never_lowers_a_finding() -> None:
    for level, word, tests in itertools.product(Confidence, Word, (False, True)):
        after = with_run(level, word, tests=tests)
        assert after >= level
        assert after == level or word in (Word.NEAR, Word.HAPPENED)
        assert after <= Confidence.LIKELY or level is Confidence.CERTAIN or not tests


def test_lost_digits_are_lost_wherever_numbers_are_near_each_other() -> None:
    assert with_run(Confidence.POSSIBLE, Word.NEAR) is Confidence.LIKELY
    assert with_run(Confidence.POSSIBLE, Word.NEAR, rounds=True) is Confidence.POSSIBLE
