"""`nanlint check --with-run`: what a run saw changes what is said."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tests.runtime.running import Ran, nanlint, verify

pytest.importorskip("numpy")

PROGRAM = """
import numpy as np


def softmax(z):
    e = np.exp(z)
    return e / e.sum()


def entropy(p):
    return -np.sum(p * np.log(p))


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


softmax(np.array([1000.0]))
entropy(np.array([0.5, 0.5]))
unit(np.loadtxt(["0 0"]))
"""


def check(directory: Path, *options: str) -> Ran:
    return nanlint("check", "train.py", "--isolated", *options, cwd=directory)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("observed")
    (directory / "train.py").write_text(textwrap.dedent(PROGRAM).lstrip())
    verify("train.py", cwd=directory, options=("--run-dir", "run", "--confidence", "possible"))
    return directory


def test_confirmed_findings_are_certain_and_show_what_was_seen(directory: Path) -> None:
    before = {
        one["code"]: one
        for one in json.loads(check(directory, "--confidence", "possible", "--output-format", "json").stdout)
    }
    after = check(directory, "--with-run", "run", "--output-format", "json")
    found = {one["code"]: one for one in json.loads(after.stdout)}
    assert before["NL302"]["confidence"] == "possible"
    assert "observed" not in before["NL302"] or before["NL302"]["observed"] is None
    assert found["NL302"]["confidence"] == "certain"  # it happened, in a program that is no test
    assert "nan at step 0" in found["NL302"]["observed"]["text"]
    assert (found["NL302"]["observed"]["word"], found["NL302"]["observed"]["missing_test"]) == ("happened", None)
    assert found["NL104"]["confidence"] == before["NL104"]["confidence"]
    seen = found["NL104"]["observed"]
    assert seen["text"].startswith("few: x was in [0.5, 0.5]")
    assert seen["text"].endswith(f"; a test that is missing: {seen['missing_test']}")
    assert "p = " in seen["missing_test"]
    assert (seen["word"], seen["executions"], seen["elements"], seen["tests"]) == ("few", 1, 2, [])
    assert (seen["observed"]["x"]["low"], seen["observed"]["x"]["high"]) == (0.5, 0.5)


def test_the_frame_shows_what_was_seen(directory: Path) -> None:
    assert "= observed: nan at step 0" in check(directory, "--with-run", "run").stdout


def test_a_file_that_changed_since_is_not_judged_by_the_run(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text((directory / "train.py").read_text())
    verify("train.py", cwd=tmp_path, options=("--run-dir", "run"))
    (tmp_path / "train.py").write_text("# new\n" + (directory / "train.py").read_text())
    ran = check(tmp_path, "--with-run", "run")
    assert "train.py: has changed since the run" in ran.stderr
    assert "observed" not in ran.stdout


def test_a_run_that_cannot_be_read_is_an_error_that_names_it(directory: Path, tmp_path: Path) -> None:
    for name, content in (("empty", None), ("events-x.jsonl", b"\x00\xff garbage")):
        place = tmp_path / name
        if content is None:
            place.mkdir()
        else:
            place.write_bytes(content)
        ran = check(directory, "--with-run", str(place))
        assert ran.code == 2
        assert str(tmp_path) in ran.stderr
        assert "Traceback" not in ran.stderr


def test_a_run_of_a_newer_nanlint_is_refused(directory: Path, tmp_path: Path) -> None:
    (kept,) = (directory / "run").glob("events-*.jsonl")
    newer = tmp_path / "events-newer.jsonl"
    newer.write_text(kept.read_text().replace('"format":1', '"format":9'))
    ran = check(directory, "--with-run", str(newer))
    assert ran.code == 2
    assert "upgrade nanlint" in ran.stderr


def test_what_a_killed_process_wrote_is_read_up_to_the_cut(directory: Path, tmp_path: Path) -> None:
    cut = tmp_path / "run"
    cut.mkdir()
    (cut / "modules").symlink_to(directory / "run" / "modules")
    (kept,) = (directory / "run").glob("events-*.jsonl")
    content = kept.read_bytes()
    (cut / kept.name).write_bytes(content[: content.index(b'"op":"div","kinds":["nan"]') + 60])
    assert "observed: nan" in check(directory, "--with-run", str(cut)).stdout


def test_a_fix_is_made_where_only_the_run_is_sure_of_the_finding(directory: Path, tmp_path: Path) -> None:
    program = """
    import torch


    def loss(x):
        return torch.log(1 + torch.exp(x))


    def other(x):
        return torch.log(1 + torch.exp(x))


    loss(torch.tensor([1000.0]).double().float())
    """
    pytest.importorskip("torch")
    (tmp_path / "train.py").write_text(textwrap.dedent(program).lstrip())
    sure = ("--confidence", "certain")
    assert check(tmp_path, "--diff", *sure, "--select", "NL107").stdout == ""
    verify("train.py", cwd=tmp_path, options=("--run-dir", "run"))
    shown = check(tmp_path, "--diff", *sure, "--select", "NL107", "--with-run", "run").stdout
    assert shown.count("+    return torch.nn.functional.softplus(x)") == 1
