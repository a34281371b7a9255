"""Who imports whom, by the text of the files: packages, src layouts, relative and absolute imports, cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanlint.source.imports import affected_by

LAYOUT = {
    "src/pkg/__init__.py": "",
    "src/pkg/losses.py": "import torch",
    "src/pkg/model.py": "from .losses import nll",
    "src/pkg/sub/__init__.py": "",
    "src/pkg/sub/deep.py": "from .. import losses",
    "src/pkg/sub/star.py": "from ..losses import *",
    "src/pkg/other.py": "import math",
    "tests/test_losses.py": "def test():\n    from pkg.losses import nll",
    "tests/test_other.py": "import pkg.other as o",
    "scripts/train.py": "import pkg.model",
    "scripts/helper.py": "x = 1",
    "scripts/use.py": "import helper",
    "space/inner/mod.py": "",
    "space/app.py": "from space.inner import mod",
    "broken.py": "import pkg.losses (",
    "typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import space.inner.mod",
    "a.py": "import b",
    "b.py": "import c",
    "c.py": "import a",
    "book.ipynb": (
        '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": '
        '["%matplotlib inline\\n", "from pkg import losses"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    ),
}


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    for name, text in LAYOUT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "importers", "used"),
    [
        (
            "src/pkg/losses.py",
            {
                "src/pkg/model.py",
                "src/pkg/sub/deep.py",
                "src/pkg/sub/star.py",
                "tests/test_losses.py",
                "scripts/train.py",
                "book.ipynb",
            },
            {"src/pkg/__init__.py"},
        ),
        ("src/pkg/model.py", {"scripts/train.py"}, {"src/pkg/__init__.py", "src/pkg/losses.py"}),
        ("src/pkg/other.py", {"tests/test_other.py"}, {"src/pkg/__init__.py"}),
        ("scripts/helper.py", {"scripts/use.py"}, set()),
        ("space/inner/mod.py", {"space/app.py", "typed.py"}, set()),
        ("a.py", {"b.py", "c.py"}, set()),
        ("tests/test_other.py", set(), {"src/pkg/__init__.py", "src/pkg/other.py"}),
        ("src/pkg/sub/__init__.py", set(), set()),
    ],
)
def test_those_that_import_a_file_directly_or_through_others_are_found_and_what_they_use(
    layout: Path, changed: str, importers: set[str], used: set[str]
) -> None:
    found = affected_by({str(layout / changed)}, {str(layout / name) for name in LAYOUT}, str(layout))
    assert {str(Path(path).relative_to(layout)) for path in found} == {changed, *importers, *used}


@pytest.mark.parametrize("use", ["from pkg import entropy", "import pkg\npkg.entropy(1)", "from pkg import *"])
def test_a_name_that_a_package_hands_on_leads_to_the_file_that_has_it(tmp_path: Path, use: str) -> None:
    files = {
        "pkg/__init__.py": "from .losses import entropy\nfrom .layers import *\nfrom .other import unlike",
        "pkg/losses.py": "def entropy(p): ...",
        "pkg/layers.py": "",
        "pkg/other.py": "def unlike(): ...",
        "train.py": use,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = affected_by({str(tmp_path / "train.py")}, {str(tmp_path / name) for name in files}, str(tmp_path))
    unused = set() if "*" in use else {"pkg/other.py"}
    assert {str(Path(path).relative_to(tmp_path)) for path in found} == files.keys() - unused


def test_who_imports_from_a_package_imports_the_package(layout: Path) -> None:
    found = affected_by({str(layout / "src/pkg/__init__.py")}, {str(layout / name) for name in LAYOUT}, str(layout))
    names = {str(Path(path).relative_to(layout)) for path in found}
    assert {"tests/test_other.py", "scripts/train.py", "src/pkg/sub/deep.py"} <= names
    assert "scripts/use.py" not in names
