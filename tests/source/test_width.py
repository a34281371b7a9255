"""The lines of a file may be as long as its project says, wherever it says so."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nanlint.source.text import Source
from nanlint.source.width import width_of

CODE = "import torch\n"


def width(root: Path, files: dict[str, str], own: str = "package/points.py") -> int:
    """The width of a file of a repository that holds others."""
    (root / ".git").mkdir()
    for name, text in {**files, own: CODE}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return width_of(Source.from_bytes(CODE.encode(), str(root / own)))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", 100),
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", 100),
        ("pyproject.toml", "[tool.black]\n", 88),
        ("pyproject.toml", "[tool.yapf]\ncolumn_limit = 100\n", 100),
        ("pyproject.toml", "[tool.autopep8]\nmax_line_length = 100\n", 100),
        ("ruff.toml", "line-length = 100\n", 100),
        (".ruff.toml", "line-length = 100\n", 100),
        (".ruff.toml", "", 88),
        ("setup.cfg", "[flake8]\nmax-line-length = 100\n", 100),
        ("setup.cfg", "[pycodestyle]\nmax_line_length = 100\n", 100),
        ("setup.cfg", "[yapf]\ncolumn_limit = 100\n", 100),
        (".style.yapf", "[style]\nbased_on_style = google\ncolumn_limit = 100\n", 100),
        ("tox.ini", "[pycodestyle]\nmax-line-length = 100\n", 100),
        (".flake8", "[flake8]\nmax-line-length = 100  \n", 100),
        (".editorconfig", "root = true\n\n[*]\nmax_line_length = 100\n", 100),
        (".editorconfig", "[*.{js,py}]\nmax_line_length = 100\n", 100),
        (".editorconfig", "[package/**.py]\nmax_line_length = 100\n", 100),
        (".editorconfig", "[*]\nmax_line_length = 120\n[*.py]\nmax_line_length = 100\n", 100),
        (".editorconfig", "[*.py]\nmax_line_length = off\n", sys.maxsize),
        (".editorconfig", "[*.js]\nmax_line_length = 100\n", 88),
        (".editorconfig", "[tests/*.py]\nmax_line_length = 100\n", 88),
        ("README.md", "line-length = 100\n", 88),
    ],
)
def test_the_width_is_read_where_it_is_set(tmp_path: Path, name: str, text: str, expected: int) -> None:
    assert width(tmp_path, {name: text}) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[tool.black\n"),
        ("pyproject.toml", "tool = 3\n"),
        ("pyproject.toml", '[tool.yapf]\ncolumn_limit = "wide"\n'),
        ("setup.cfg", "max-line-length = 100\n"),
        ("setup.cfg", "[flake8]\nmax-line-length = wide\n"),
        ("tox.ini", "[flake8\n"),
        (".editorconfig", "[*.py\nmax_line_length = 100\n= 3\n"),
    ],
)
def test_settings_that_cannot_be_read_say_nothing(tmp_path: Path, name: str, text: str) -> None:
    assert width(tmp_path, {name: text}) == 88


def test_a_formatter_holds_rather_than_a_linter_and_that_rather_than_editors(tmp_path: Path) -> None:
    linters = {"package/.flake8": "[flake8]\nmax-line-length = 110\n", ".editorconfig": "[*]\nmax_line_length = 70\n"}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert width(tmp_path / "a", linters) == 110
    assert width(tmp_path / "b", {**linters, "pyproject.toml": "[tool.black]\nline-length = 100\n"}) == 100


def test_the_nearest_settings_hold_up_to_the_top_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 70\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert width(tmp_path / "a", {}) == 88
    near = {"ruff.toml": "line-length = 100\n", "package/ruff.toml": "line-length = 110\n"}
    assert width(tmp_path / "b", near) == 110


@pytest.mark.parametrize("base", ["ruff.toml", "pyproject.toml"])
def test_ruff_takes_the_width_from_what_its_settings_extend(tmp_path: Path, base: str) -> None:
    table = "[tool.ruff]\n" if base == "pyproject.toml" else ""
    files = {base: f"{table}line-length = 100\n", "package/ruff.toml": f'extend = "../{base}"\n'}
    assert width(tmp_path, files) == 100


def test_settings_that_extend_each_other_say_nothing(tmp_path: Path) -> None:
    assert width(tmp_path, {"ruff.toml": 'extend = "a.toml"\n', "a.toml": 'extend = "ruff.toml"\n'}) == 88
