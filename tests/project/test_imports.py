"""Where the imports of a project lead: each kind that is resolved, and each reason why one is not."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import nanlint
from nanlint.config import Configs
from nanlint.frontend import imports as graph_imports
from nanlint.frontend import project as other_files
from nanlint.frontend.imports import Import, module_graph, resolved_imports, source_at
from nanlint.lint.known_rules import rule_names
from nanlint.lint.many_files import check, unresolved
from nanlint.lint.report import Action
from nanlint.source import project_files
from tests.project.test_view import written

#: files that others import, each for a reason of its own
LIBRARY = {
    "lib/__init__.py": "from .losses import focal as loss\n",
    "lib/losses.py": "EPS = 0\n\ndef focal(x):\n    global CACHE\n    CACHE = x\n",
    "lib/lazy.py": "def __getattr__(name):\n    return name\n",
    "lib/broken.py": "x = 1\ndef f(:\n",
    "lib/large.py": "#" * (project_files.MAX_BYTES + 1),
    "lib/hands_on.py": "from torch import *\nfrom .losses import *\n",
    "lib/one.py": "from lib.two import circle\n",
    "lib/two.py": "from lib.one import circle\n",
    "space/inner/module.py": "",
    "lib/sub/data.txt": "",
    "datasets/notes.txt": "",
}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written(tmp_path, LIBRARY)
    (tmp_path / "lib" / "latin.py").write_bytes(b"x = '\xe9'\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(root: Path, text: str, path: str = "main.py") -> list[Import]:
    """Where the imports of a file lead that is written into the project."""
    written(root, {path: text + "\n"})
    return list(resolved_imports(source_at(str(root / path))))


def reported(root: Path, *paths: str) -> list[tuple[str, int, str, str]]:
    """What a check of some paths did not resolve: path, row, name and reason."""
    found = unresolved(nanlint.check_paths([str(root / path) for path in paths]))
    assert list(found) == sorted(found)
    return [(Path(os.path.relpath(one.path, root)).as_posix(), one.row, one.name, one.problem) for one in found]


@pytest.mark.parametrize(
    ("text", "path", "target", "symbol"),
    [
        ("import lib", "main.py", "lib/__init__.py", ""),
        ("import lib.losses as l", "main.py", "lib/losses.py", ""),
        ("from lib import losses", "main.py", "lib/losses.py", ""),
        ("from lib import loss", "main.py", "lib/__init__.py", "loss"),
        ("from lib.losses import focal", "main.py", "lib/losses.py", "focal"),
        ("from lib.losses import CACHE", "main.py", "lib/losses.py", "CACHE"),
        ("from lib.losses import __name__", "main.py", "lib/losses.py", "__name__"),
        ("from lib.losses import *", "main.py", "lib/losses.py", "*"),
        ("from lib.hands_on import focal", "main.py", "lib/hands_on.py", "focal"),
        ("from lib.hands_on import log", "main.py", "lib/hands_on.py", "log"),
        ("from space.inner import module", "main.py", "space/inner/module.py", ""),
        ("def f():\n    from lib.losses import EPS", "main.py", "lib/losses.py", "EPS"),
        ("try:\n    import lib.losses\nexcept ImportError:\n    pass", "main.py", "lib/losses.py", ""),
        ("from .losses import EPS", "lib/main.py", "lib/losses.py", "EPS"),
        ("from . import losses", "lib/main.py", "lib/losses.py", ""),
        ("from ..losses import EPS", "lib/deep/main.py", "lib/losses.py", "EPS"),
        ("from lib.main import own\nown = 1", "lib/main.py", "lib/main.py", "own"),
    ],
)
def test_an_import_leads_to_a_file_and_a_name_of_it(
    library: Path, text: str, path: str, target: str, symbol: str
) -> None:
    (library / "lib" / "deep").mkdir()
    (library / "lib" / "deep" / "__init__.py").touch()
    (one,) = imported(library, text, path)
    assert (one.target, one.symbol, one.problem) == (os.path.realpath(library / target), symbol, "")


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "from torch.nn import functional",
        "import os.path",
        "import somewhere.else_",
        "import datasets",
        "from datasets import load_dataset",
        "import lib.sub",
        "from lib import sub",
    ],
)
def test_what_is_outside_of_the_project_or_has_no_file_is_no_problem(library: Path, text: str) -> None:
    assert [(one.target, one.problem) for one in imported(library, text)] == [("", "")]


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("import lib.gone", "lib.gone", "no such module"),
        ("from lib.gone.deeper import x", "lib.gone", "no such module"),
        ("from lib.sub.gone import x", "lib.sub.gone", "no such module"),
        ("from lib.gone import *", "lib.gone", "no such module"),
        ("from lib import gone", "lib.gone", "no such module, and no such name in lib/__init__.py"),
        ("from lib.losses import gone", "lib.losses.gone", "no such name in lib/losses.py"),
        ("from lib.lazy import x", "lib.lazy.x", "defined at run time by __getattr__ in lib/lazy.py"),
        ("from lib.broken import f", "lib.broken", "cannot be read: 2:7: invalid syntax"),
        ("import lib.large", "lib.large", "cannot be read: has more than 1000000 bytes"),
        ("from .x import y", ".xy", "goes beyond the top-level package"),
        ("from lib.one import circle", "lib.one.circle", "re-exported in a cycle: lib/one.py, lib/two.py"),
    ],
)
def test_an_import_that_is_not_resolved_says_why(library: Path, text: str, name: str, problem: str) -> None:
    assert [(one.name, one.problem) for one in imported(library, text)] == [(name, problem)]


def test_a_file_in_a_wrong_encoding_is_named_once(library: Path) -> None:
    (one,) = imported(library, "import lib.latin")
    assert one.problem.startswith("cannot be read: byte 0xe9 in line 1 is not valid utf-8; ")
    assert one.target == os.path.realpath(library / "lib" / "latin.py")


def test_a_file_that_imports_a_name_from_itself_is_a_circle(library: Path) -> None:
    (one,) = imported(library, "from lib.main import x", "lib/main.py")
    assert one.problem == "re-exported in a cycle: lib/main.py"


def test_two_packages_of_one_name_are_a_problem_of_who_names_them(library: Path) -> None:
    written(library, {"src/lib/__init__.py": "", "src/lib/more.py": ""})
    (one,) = imported(library, "from lib.losses import EPS")
    assert one.target == os.path.realpath(library / "lib" / "losses.py")
    assert (one.name, one.problem) == (
        "lib",
        "is ambiguous, and the first match is used: lib/__init__.py, src/lib/__init__.py",
    )
    assert [other.problem for other in imported(library, "from .losses import EPS", "lib/main.py")] == [""]


def test_a_package_that_is_called_as_a_framework_stands_for_it(library: Path) -> None:
    files = {"torch/__init__.py": "", "torch/nn.py": "from .gone import x\nfrom torch import y\n"}
    written(library, files)
    assert [one.problem for one in resolved_imports(source_at(str(library / "torch" / "nn.py")))] == ["", ""]


def test_an_import_of_several_names_is_one_for_each_in_its_row(library: Path) -> None:
    found = imported(library, "import torch\nfrom lib.losses import (\n    focal,\n    gone,\n)")
    assert [(one.row, one.symbol, bool(one.problem)) for one in found] == [
        (1, "", False),
        (3, "focal", False),
        (4, "gone", True),
    ]


def test_an_import_in_a_notebook_is_told_by_cell(library: Path) -> None:
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": [line]}
        for line in ("import torch", "import lib.gone")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (library / "book.ipynb").write_text(json.dumps(notebook))
    (one,) = [one for one in resolved_imports(source_at(str(library / "book.ipynb"))) if one.problem]
    assert one.place == "book.ipynb:cell 2:1"


# ── of a whole check ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_check_reports_files_that_were_checked_and_files_that_were_read_for_them(tmp_path: Path) -> None:
    files = {
        "main.py": "from lib.losses import focal\n",
        "lib/__init__.py": "",
        "lib/losses.py": "import torch\nfrom . import gone\n\ndef focal(x):\n    return torch.log(x)\n",
        "lib/alone.py": "import lib.gone\n",
    }
    written(tmp_path, files)
    of_losses = ("lib/losses.py", 2, "lib.gone", f"no such module, and no such name in {tmp_path}/lib/__init__.py")
    assert reported(tmp_path, "main.py") == [of_losses]
    assert reported(tmp_path, ".") == [("lib/alone.py", 1, "lib.gone", "no such module"), of_losses]


def test_a_file_that_is_not_analysed_since_its_import_is_missing_is_reported(tmp_path: Path) -> None:
    written(tmp_path, {"lib/__init__.py": "", "lib/main.py": "from .gone import log\n\nprint(log(0))\n"})
    assert reported(tmp_path, "lib") == [("lib/main.py", 1, "lib.gone", "no such module")]


@pytest.mark.parametrize("action", [Action.CHECK, Action.FIX])
def test_more_files_than_are_followed_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Action
) -> None:
    numbers = range(6)
    imports = "".join(f"from part{number} import f{number}\n" for number in numbers)
    calls = "\n".join(f"    x = f{number}(x)" for number in numbers)
    files = {f"part{n}.py": f"import torch\n\ndef f{n}(x):\n    return torch.exp(x)\n" for n in numbers}
    written(tmp_path, {**files, "main.py": f"import torch\n{imports}\ndef f(x):\n{calls}\n    return torch.log(x)\n"})
    main = str(tmp_path / "main.py")
    assert reported(tmp_path, "main.py") == []
    monkeypatch.setattr(other_files, "MAX_MODULES", 1)
    (one,) = unresolved(check([main], Configs(rule_names(), isolated=True), action=action))
    assert (one.path, one.row, one.name) == (os.path.realpath(main), 0, "")
    assert one.problem.startswith("imports so many files that some are not followed: part")
    assert one.problem.endswith(", …")


def test_a_project_of_more_files_than_are_looked_through_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, dict.fromkeys(("a.py", "b/c.py", "d/e.py"), "import torch\n"))
    for module in (graph_imports, project_files):
        monkeypatch.setattr(module, "MAX_FILES", 2)
    assert reported(tmp_path, ".") == [(".", 0, "", "has more than 2 files: callers in the other files are not seen")]


# ── as a graph ──────────────────────────────────────────────────────────────────────────────────────────────────────


def edges(root: Path, *paths: str) -> Mapping[tuple[str, str], Sequence[str]]:
    """What files import, by importer and file."""
    graph = module_graph(str(root / path) for path in paths)
    top = os.path.realpath(root)
    return {
        (os.path.relpath(importer, top), os.path.relpath(target, top)): [one.symbol for one in found]
        for (importer, target, _), found in graph.edges.items()
    }


def test_the_graph_holds_the_files_named_and_those_that_they_import(library: Path) -> None:
    written(library, {"main.py": "from lib import loss\nfrom lib.losses import EPS, focal\n"})
    assert edges(library, "main.py") == {
        ("main.py", "lib/__init__.py"): ["loss"],
        ("main.py", "lib/losses.py"): ["EPS", "focal"],
    }
    assert edges(library, "lib/one.py", "lib/two.py") == {
        ("lib/one.py", "lib/two.py"): ["circle"],
        ("lib/two.py", "lib/one.py"): ["circle"],
    }


def test_a_file_that_cannot_be_read_is_in_the_graph_with_the_reason(library: Path) -> None:
    graph = module_graph([str(library / "lib" / "broken.py")])
    assert dict(graph.unreadable) == {graph.files[0]: "cannot be read: 2:7: invalid syntax"}


def test_of_a_large_graph_what_is_not_resolved_and_what_has_most_neighbours_is_kept(tmp_path: Path) -> None:
    files = {f"user{number}.py": "import hub\n" for number in range(5)}
    files |= {"hub.py": "import user1\n", "failing.py": "from .gone import x\n", "alone.py": ""}
    written(tmp_path, files)
    graph = module_graph(str(tmp_path / name) for name in files)
    kept = graph.densest(3)
    assert [os.path.basename(path) for path in kept.files] == ["failing.py", "hub.py", "user1.py"]
    assert (kept.left_out, len(kept.edges)) == (5, 2)
    assert graph.densest(99) == graph


def test_nothing_that_is_read_is_imported(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = library / "trace"
    effect = f"open({str(trace)!r}, 'w')\n"
    monkeypatch.syspath_prepend(str(library))
    written(library, {"effects.py": effect, "main.py": "import effects\n"})
    before = set(sys.modules)
    assert edges(library, "main.py") == {("main.py", "effects.py"): [""]}
    assert not trace.exists()
    assert "effects" not in set(sys.modules) - before
