"""``nanlint graph --modules``: the files of a project, their imports, and what of these is not resolved."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from nanlint.frontend.imports import module_graph
from nanlint.output import modules
from nanlint.output.modules import render_modules
from tests.output.test_graph import NEEDS_DOT
from tests.project.test_view import written

pytest.importorskip("graphviz")

PROJECT = {
    "train.py": "import torch, os, yaml\nfrom lib.losses import focal, dice\nfrom lib.gone import x\n",
    "lib/__init__.py": "",
    "lib/losses.py": "import jax.numpy as jnp, numpy\nfrom .masks import a, b, c, d\n\ndef focal(x): pass\n",
    "lib/masks.py": "a = b = c = d = 0\n",
    "lib/broken.py": "def f(:\n",
    "lib/user.py": "from .broken import f\nfrom . import masks\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written(tmp_path, PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["graph", "--modules", *arguments], catch_exceptions=False)


def boxes(dot: str) -> dict[str, str]:
    """The boxes by their first line: what else is known of them."""
    found = re.findall(r"^\s*([mu]\d+) \[label=<<b>(.*?)</b>(.*)\]$", dot, re.MULTILINE)
    return {name: f"{box} {rest}" for box, name, rest in found}


def arrows(dot: str) -> dict[tuple[str, str, bool], str]:
    """The arrows by the boxes that they join, and whether they are dashed: what else is known of them."""
    names = {text.split()[0]: name for name, text in boxes(dot).items()}
    found = re.findall(r"^\s*([mu]\d+) -> ([mu]\d+) \[(.*?)\]$", dot, re.MULTILINE | re.DOTALL)
    return {(names[tail], names[head], "dashed" in rest): rest for tail, head, rest in found}


def test_files_are_boxes_and_imports_arrows_with_the_names_if_they_are_few(root: Path) -> None:
    dot = render_modules(module_graph(str(root / path) for path in PROJECT)).source
    drawn = arrows(dot)
    assert drawn.keys() == {
        ("train.py", "losses.py", False),
        ("train.py", "losses.py", True),
        ("train.py", "lib.gone", True),
        ("losses.py", "masks.py", False),
        ("user.py", "broken.py", True),
        ("user.py", "masks.py", False),
    }
    assert 'label="4 names"' in drawn["losses.py", "masks.py", False]
    assert "label=focal" in drawn["train.py", "losses.py", False]
    assert 'label=""' in drawn["user.py", "masks.py", False]
    assert "lib/losses.py:2: lib.masks.a\nlib/losses.py:2: lib.masks.b" in drawn["losses.py", "masks.py", False]


def test_a_box_names_the_numeric_packages_that_its_file_imports_and_no_others(root: Path) -> None:
    found = boxes(render_modules(module_graph(str(root / path) for path in PROJECT)).source)
    assert ">torch<" in found["train.py"]
    assert ">jax, numpy<" in found["losses.py"]
    assert "yaml" not in found["train.py"]
    assert "point-size" not in found["masks.py"]


def test_what_is_not_resolved_is_dashed_with_the_reason(root: Path) -> None:
    dot = render_modules(module_graph(str(root / path) for path in PROJECT)).source
    found, drawn = boxes(dot), arrows(dot)
    assert {name for name, text in found.items() if "dashed" in text} == {"lib.gone", "broken.py"}
    assert "no such module" in found["lib.gone"]
    assert "cannot be read: 1:7: invalid syntax" in found["broken.py"]
    assert 'label="dice\nno such name in lib/losses.py"' in drawn["train.py", "losses.py", True]
    assert 'label=""' in drawn["user.py", "broken.py", True]
    assert "dashed: not resolved" in dot


def test_what_is_imported_from_outside_the_paths_is_grey_and_not_followed(root: Path) -> None:
    dot = run("train.py").stdout
    found = boxes(dot)
    assert found.keys() == {"train.py", "losses.py", "lib.gone"}
    assert modules.INPUT in found["train.py"]
    assert modules._OUTSIDE in found["losses.py"]
    assert "grey: " in dot
    assert "grey: " not in run(".").stdout


def test_of_a_large_project_a_part_is_drawn_and_the_rest_is_counted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "MAX_MODULES", 2)
    monkeypatch.setattr(modules, "_MISSING", 0)
    result = run()
    assert result.stderr == (
        "warning: modules left out, those with the fewest imports: 4; name fewer files or directories to see them\n"
    )
    assert boxes(result.stdout).keys() == {"train.py", "user.py"}
    assert "modules left out, those with the fewest imports: 4" in result.stdout
    assert "unresolved imports left out: 1" in result.stdout


def test_names_stand_on_arrows_only_where_these_are_few(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "_LABELLED", 1)
    drawn = arrows(run().stdout)
    assert 'label=""' in drawn["losses.py", "masks.py", False]
    assert "dice" in drawn["train.py", "losses.py", True]


def test_it_is_the_same_each_time(root: Path) -> None:
    assert run().stdout == run(".").stdout == run("train.py", "lib").stdout == run("lib", "train.py").stdout


@NEEDS_DOT
def test_graphviz_lays_it_out_as_svg_with_tooltips(root: Path) -> None:
    assert run("-o", "modules.svg").exit_code == 0
    svg = ElementTree.parse(root / "modules.svg")
    titles = {link.get("{http://www.w3.org/1999/xlink}title") for link in svg.iter("{http://www.w3.org/2000/svg}a")}
    assert "train.py:3: lib.gone: no such module" in titles


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "error: nowhere: no such file or directory\n"),
        (["empty"], "error: no Python files found under the given paths\n"),
        (
            ["train.py:main"],
            "error: train.py:main: --modules draws files, not functions; name train.py, or leave out --modules\n",
        ),
    ],
)
def test_paths_without_modules_are_an_error_that_names_them(root: Path, arguments: list[str], message: str) -> None:
    (root / "empty").mkdir()
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)


def test_a_path_that_is_not_there_is_named_and_the_others_are_drawn(root: Path) -> None:
    result = run("train.py", "nowhere")
    assert (result.exit_code, result.stderr) == (1, "error: nowhere: no such file or directory\n")
    assert "train.py" in boxes(result.stdout)


@pytest.mark.parametrize("arguments", [[], ["train.py", "lib"]])
def test_without_modules_there_is_one_file(root: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["graph", *arguments])
    assert result.exit_code == 2
    assert "expected one FILE or FILE:FUNCTION" in result.stderr
    assert "draw their imports with --modules" in CliRunner().invoke(cli, ["graph", "lib"]).stderr


def test_what_the_configuration_excludes_is_not_drawn(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.nanlint]\nexclude = ["lib"]\n')
    assert boxes(run().stdout).keys() == {"train.py", "losses.py", "lib.gone"}
    assert "user.py" in boxes(run("--isolated").stdout)
