"""One verdict of a run: what is said at its end is what is shown of it later, and in the program itself."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

import pytest

from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.page import as_data
from nanlint.runtime.judging import FILE, verdicts_in
from nanlint.runtime.reporting import first_words, render_report_json
from nanlint.runtime.runfile import read_run
from tests.runtime.running import ROOT, nanlint, python, verify

pytest.importorskip("numpy")

TRAIN = """
import numpy as np


def entropy(p):
    return -(p * np.log(p)).sum()


def spread(x):
    return np.std(x, ddof=1)


entropy(np.array([0.0, 1.0]))
spread(np.loadtxt(["1", "3"]))
"""


def test_what_is_said_at_the_end_is_what_is_shown_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding is confirmed, and one is watched that is only possible."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(textwrap.dedent(TRAIN).lstrip(), "utf-8")
    ran = verify("train.py", cwd=tmp_path, options=("--run-dir", "run", "--confidence", "possible"))
    assert (ran.code, ran.report["bad"], ran.report["born"]) == (1, True, [])
    assert ("NL104", "confirmed") in ran.verdicts()
    assert "train.py:5:18 NL104 confirmed (-inf at step 0)" in ran.report["first"]
    run = run_of(read_run(str(tmp_path / "run")))
    assert [(one.diagnostic.code, one.verdict) for one in run.findings] == ran.verdicts()
    assert run.verdict == ran.report["first"]
    assert as_data(run)["verdict"] == run.verdict
    told = nanlint("inspect", "-c", "alerts", "run", cwd=tmp_path).stdout
    assert "-inf first appeared in log" in told
    assert "train.py:5: return -(p * np.log(p)).sum()" in told
    assert run.verdict in nanlint("inspect", "--terminal", "run", cwd=tmp_path, stdin="quit\n").stdout


def test_what_comes_of_something_that_was_not_finite_already_is_a_symptom_and_no_cause(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import numpy as np\n\nx = np.log(np.zeros(1))\ny = x - x\nz = np.zeros(1) / np.zeros(1)\n", "utf-8"
    )
    ran = verify("program.py", cwd=tmp_path, options=("--watch", "all"))
    assert ran.code == 1
    confirmed = [one["location"]["row"] for one in ran.report["findings"] if one["verdict"]["state"] == "confirmed"]
    causes = [*confirmed, *(one["frames"][0]["line"] for one in ran.report["born"])]
    assert sorted(causes) == [3, 5]
    assert [(one["frames"][0]["line"], one["kinds"]) for one in ran.report["symptoms"]] == [(4, ["nan"])]
    told = nanlint("verify", "--watch", "all", "--", "program.py", cwd=tmp_path).stderr
    assert "program.py:4 symptom (nan at step 0): in subtract" in told


def test_a_verdict_is_kept_for_as_long_as_its_run_is_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(textwrap.dedent(TRAIN).lstrip(), "utf-8")
    ran = verify("train.py", cwd=tmp_path, options=("--run-dir", "run"))
    kept = (tmp_path / "run" / FILE).read_bytes()
    for module in (tmp_path / "run" / "modules").iterdir():
        module.unlink()  # what the verdict was computed from
    verdicts = verdicts_in(read_run(str(tmp_path / "run")))
    assert json.loads(render_report_json(verdicts, run="")) == {**ran.report, "run": ""}
    assert (verdicts.exit_code, first_words(verdicts)) == (1, ran.report["first"])
    (events,) = (tmp_path / "run").glob("events-*")
    events.write_bytes(events.read_bytes() + b"\n")
    assert verdicts_in(read_run(str(tmp_path / "run"))).findings == ()
    (tmp_path / "run" / FILE).write_bytes(kept[:-9])
    assert verdicts_in(read_run(str(tmp_path / "run"))).findings == ()


def test_a_block_has_the_findings_of_the_file_that_it_stands_in(tmp_path: Path) -> None:
    """Which Python had read before the block: a birth confirms them, of others is said that nobody looked."""
    program = """
    import numpy as np
    import nanlint


    def entropy(p):
        return -(p * np.log(p)).sum()


    def softmax(z):
        e = np.exp(z)
        return e / e.sum()


    with nanlint.verify(run_directory="run") as run:
        entropy(np.array([0.0, 1.0]))
        softmax(np.array([0.0, 1.0]))
    print(run.bad, sorted((one.diagnostic.code, str(one.state)) for one in run.findings))
    """
    (tmp_path / "train.py").write_text(textwrap.dedent(program).lstrip(), "utf-8")
    ran = python("train.py", cwd=tmp_path)
    assert ran.stdout == "True [('NL104', 'confirmed'), ('NL401', 'not watched')]\n", ran.stderr
    run = run_of(read_run(str(tmp_path / "run")))
    assert sorted((one.diagnostic.code, one.verdict) for one in run.findings) == [
        ("NL104", "confirmed"),
        ("NL401", "not watched"),
    ]


def test_a_file_that_is_watched_again_is_not_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANLINT_NO_CACHE", "")
    monkeypatch.setenv("NANLINT_CACHE_DIR", str(tmp_path / "cache"))
    program, beside = tmp_path / "train.py", tmp_path / "beside.py"
    told = "import sys\nprint('nanlint.rules' in sys.modules)\n"
    program.write_text(f"from beside import entropy, np\nentropy(np.array([0.0, 1.0]))\n{told}", "utf-8")
    beside.write_text("import numpy as np\n\n\ndef entropy(p):\n    return -(p * np.log(p)).sum()\n", "utf-8")
    for one in (program, beside):
        os.utime(one, (1e9, 1e9))
    first, second = (verify("train.py", cwd=tmp_path, fresh=True) for _ in range(2))
    assert (first.stdout, second.stdout) == ("True\n", "False\n")
    assert first.verdicts() == second.verdicts() == [("NL104", "confirmed")]
    beside.write_text(beside.read_text("utf-8").replace("p * np.log(p)", "p * np.sqrt(p)"), "utf-8")
    third = verify("train.py", cwd=tmp_path, fresh=True)
    assert (third.stdout, third.verdicts()) == ("True\n", [])


def test_what_reports_a_run_needs_no_linter() -> None:
    """Which the program's process has loaded already: the findings are kept with the run."""
    code = (
        "import sys, nanlint.runtime.verifying, nanlint.runtime.reporting\n"
        "print([one for one in sys.modules if one.startswith(('nanlint.rules', 'nanlint.analysis', 'nanlint.lint'))])"
    )
    ran = python("-c", code, cwd=ROOT)
    assert (ran.code, ran.stdout) == (0, "[]\n"), ran.stderr
