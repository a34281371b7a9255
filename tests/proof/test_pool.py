"""Workers: a hang or a crash costs one question, a missing framework nothing, and nothing of the user's runs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from nanlint.proof import pool as pools
from nanlint.proof.pool import Pool, search_path
from nanlint.proof.proofs import Proof, Question
from tests.proof.programs import LOG_OF_SOFTMAX, ROOT_AT_ZERO, slice_of

QUESTION = Question((slice_of(LOG_OF_SOFTMAX["numpy"]),), 0.1)
ROOT = Path(__file__).resolve().parents[2]

#: a worker that misbehaves at every question but those after its second start
MISBEHAVING = """
import os, pathlib, pickle, sys, time
sys.path[:] = {{path!r}}
import nanlint.proof.proofs
from nanlint.proof.proofs import Proof
marker = pathlib.Path({marker!r})
starts = len(marker.read_text()) if marker.exists() else 0
marker.write_text("x" * (starts + 1))
def send(message):
    pickle.dump(message, sys.stdout.buffer)
    sys.stdout.buffer.flush()
send({{framework!r}})
while True:
    pickle.load(sys.stdin.buffer)
    if starts == 0:
        {deed}
    send(Proof(refuted=True))
"""


@pytest.mark.parametrize(
    "deed",
    ["time.sleep(1000)", "os._exit(1)", "os.kill(os.getpid(), 11)", "sys.stdout.buffer.write(b'garbage'); os._exit(0)"],
)
def test_a_worker_that_hangs_or_dies_costs_one_question(
    deed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = MISBEHAVING.format(marker=str(tmp_path / "starts"), deed=deed)
    monkeypatch.setattr(pools, "_PROGRAM", program)
    monkeypatch.setattr(pools, "GRACE", 3.0)
    with Pool() as pool:
        assert pool.prove([QUESTION, QUESTION, QUESTION]) == [None, Proof(refuted=True), Proof(refuted=True)]
    assert (tmp_path / "starts").read_text() == "xx"


def test_a_worker_that_never_starts_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_PROGRAM", "raise SystemExit(3) # {path} {framework}")
    with Pool() as pool:
        assert pool.prove([QUESTION] * 5) == [None] * 5


def test_without_its_framework_a_value_is_computed_by_numpy_and_a_gradient_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = importlib.util.find_spec
    missing: Any = lambda name, *rest: None if name == "torch" else real(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", missing)
    value, trap = (Question((slice_of(text["torch"]),), 5.0) for text in (LOG_OF_SOFTMAX, ROOT_AT_ZERO))
    with Pool() as pool:
        by_numpy, unproved = pool.prove([value, trap])
    assert by_numpy is not None
    assert by_numpy.witness is not None
    assert by_numpy.witness.framework == "numpy"
    assert unproved == Proof()


def test_leaving_the_pool_ends_its_workers() -> None:
    with Pool() as pool:
        pool.prove([QUESTION])
        (worker,) = pool._workers.values()
        assert worker._process.poll() is None
    assert worker._process.poll() is not None


def test_a_worker_imports_nothing_from_the_working_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    assert "" not in search_path()
    assert str(tmp_path) not in search_path()


def test_no_code_of_the_user_is_run(tmp_path: Path) -> None:
    deed = f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)\n"
    program = deed + dedent(LOG_OF_SOFTMAX["numpy"]) + "\nimport helper\nhelper.run()\nloss(1, 2)\n"
    for name in ("numpy.py", "scipy.py", "helper.py", "sitecustomize.py", "usercustomize.py", "pickle.py", "torch.py"):
        (tmp_path / name).write_text(deed)
    (tmp_path / "program.py").write_text(program)
    entry = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; from nanlint.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-I", "-c", entry, "--prove", "--isolated", "--output-format", "json", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    (finding,) = json.loads(done.stdout)
    assert finding["witness"]["executed"], done.stderr
    assert finding["witness"]["framework"] == "numpy"
    assert not (tmp_path / "ran").exists()
