"""``nanlint check --verbose``: what of the project was not resolved, on standard error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from tests.project.test_view import written

#: the project of the sample in the documentation
PROJECT = {
    "lib/__init__.py": "",
    "lib/losses.py": "import torch\n\nfrom .masks import causal\n",
    "lib/model.py": "import torch\n\n\n\nfrom lib.masks import causal\nfrom .layers import Dense\n",
    "lib/layers.py": "\n" * 11 + "class x(:\n",
    "train.py": "import torch\nimport yaml\n\nfrom lib.masks import padding\nfrom lib.losses import focal\n",
}
HEADING = "Not resolved in the project:\n"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written(tmp_path, PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], input=stdin, catch_exceptions=False)


@pytest.mark.usefixtures("sample")
def test_the_sample_in_the_documentation_is_what_is_printed() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf"```text\n({HEADING}.*?)```", guide, re.DOTALL)
    result = run("--verbose", "lib/losses.py", "lib/model.py", "train.py")
    assert result.stderr == shown
    assert result.stdout == "No findings in 3 files (3 use a numeric framework).\n"
    assert result.exit_code == 0


@pytest.mark.usefixtures("sample")
def test_it_is_the_same_for_any_number_of_workers_and_any_order_of_paths() -> None:
    paths = ["train.py", "lib/model.py", "lib/losses.py"]
    one = run("-v", "-j", "1", *paths).stderr
    assert one.startswith(HEADING)
    assert run("-v", "-j", "2", *paths).stderr == run("-v", "-j", "2", *reversed(paths)).stderr == one


@pytest.mark.usefixtures("sample")
def test_without_it_nothing_is_listed() -> None:
    assert run("train.py").stderr == ""
    assert run("train.py", "--verbose", "--output-format", "json").stdout == "[]\n"


def test_nothing_is_printed_if_all_was_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"main.py": "import torch, os\nimport helpers\nfrom jax import numpy\n", "helpers.py": "import scipy\n"}
    written(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert run("-v", ".").stderr == ""


@pytest.mark.usefixtures("sample")
def test_standard_input_is_seen_in_its_place() -> None:
    text = "import torch\nfrom lib.other import f\n"
    assert run("-v", "--stdin-filename", "train.py", "-", stdin=text).stderr == (
        HEADING + "  train.py:2: lib.other: no such module\n"
    )


def test_after_a_fix_rows_are_those_of_the_file_that_was_written(sample: Path) -> None:
    text = '"""A loss."""\n\nimport torch\n\n\ndef loss(x):\n    import lib.gone\n\n'
    text += "    return torch.log(torch.softmax(x, -1))\n"
    (sample / "fixed.py").write_text(text)
    result = run("-v", "--fix", "fixed.py")
    lines = (sample / "fixed.py").read_text().splitlines()
    assert "log_softmax" in lines[-1]
    row = lines.index("    import lib.gone") + 1
    assert result.stderr.endswith(f"{HEADING}  fixed.py:{row}: lib.gone: no such module\n")


def test_many_places_and_many_modules_are_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import lib.gone, lib.gone{0:02}\nimport lib.gone.again\n"
    files = {f"lib/m{number:02}.py": text.format(number) for number in range(50)}
    written(tmp_path, {"lib/__init__.py": "", **files})
    monkeypatch.chdir(tmp_path)
    heading, first, *others, last = run("-v", "lib").stderr.splitlines()
    assert heading == HEADING.rstrip()
    assert first == (
        "  lib/m00.py:1: lib.gone: no such module (also lib/m01.py:1, lib/m02.py:1, lib/m03.py:1 and 46 more)"
    )
    assert others[0] == "  lib/m00.py:1: lib.gone00: no such module"
    assert (len(others), last) == (39, "  and 11 more")


def test_quiet_and_verbose_exclude_each_other() -> None:
    result = run("-q", "-v")
    assert result.exit_code == 2
    assert "--quiet and --verbose cannot be combined" in result.stderr
