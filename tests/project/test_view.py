"""Sight across files: what a project of a few files lets nanlint know of one of them."""

from __future__ import annotations

import ast
import builtins
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.lint.one_file import diagnose_source, run_task
from nanlint.lint.report import Task
from nanlint.source import Source
from nanlint.source.project import View, in_project
from nanlint.source.project_files import MAX_BYTES

Finding = tuple[str, int, str]

#: a helper: its logarithm is -inf, where nothing else is known of it there is nothing to say
SOFTMAX = "import torch\n\n\ndef probabilities(x):\n    return torch.softmax(x, -1)\n"
#: what is found in ``loss`` where its helper is seen, in row 6
SEEN = [("main.py", 6, "NL101")]


def caller(imports: str, used: str = "probabilities(x)") -> str:
    """A file that takes the logarithm of what a helper returns, in the row after its imports and two more."""
    return f"import torch\n\n{imports}\n\ndef loss(x):\n    return torch.log({used})\n"


def divided(imports: str, eps: str = "EPS") -> str:
    """A file that divides by a norm and an epsilon, in row 6."""
    return f"import torch\n\n{imports}\n\ndef unit(x):\n    return x / (x.norm(dim=-1, keepdim=True) + {eps})\n"


def written(root: Path, files: Mapping[str, str]) -> None:
    """The files of a project, of which a ``pyproject.toml`` marks the top."""
    for name, text in {"pyproject.toml": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path, *paths: str) -> list[Finding]:
    """What is found in files of a project: their paths, rows and codes; nothing may fail."""
    report = nanlint.check_paths([str(root / path) for path in paths])
    assert not report.messages
    return [(Path(os.path.relpath(d.path, root)).as_posix(), d.span.row, d.code) for d in report.diagnostics]


def checked(root: Path, files: Mapping[str, str], *paths: str) -> list[Finding]:
    written(root, files)
    return found(root, *(paths or ("main.py",)))


def view_of(source: Source) -> View:
    assert isinstance(source.view, View)
    return source.view


# ── what another file says ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("base", ["from base import Base", "import base", "from base import Base as Parent"])
def test_a_base_class_of_another_file_sets_the_epsilon(tmp_path: Path, base: str) -> None:
    name = {"import base": "base.Base"}.get(base, base.rpartition(" ")[2])
    main = f"import torch\n{base}\n\nclass Model({name}):\n    def forward(self, x):\n"
    main += "        return x / (x.norm(dim=-1, keepdim=True) + self.eps)\n"
    init = "    def __init__(self):\n        super().__init__()\n        self.eps = {}\n"
    text = "import torch\n\nclass Base(torch.nn.Module):\n" + init
    assert checked(tmp_path, {"main.py": main, "base.py": text.format("1e-50")}) == [("main.py", 6, "NL501")]
    assert checked(tmp_path, {"base.py": text.format("1e-8")}) == []


# ── how a name is imported ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("main", ["lib/main.py", "lib/sub/main.py"])
def test_relative_imports_start_from_the_own_package(tmp_path: Path, main: str) -> None:
    dots = "." * main.count("/")
    files = dict.fromkeys(("lib/__init__.py", "lib/sub/__init__.py"), "")
    files |= {main: caller(f"from {dots}helpers import probabilities"), "lib/helpers.py": SOFTMAX}
    assert checked(tmp_path, files, main) == [(main, 6, "NL101")]


# ── where files are ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_marker_the_directory_of_a_script_is_its_project(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": caller("from helpers import probabilities"), "helpers.py": SOFTMAX})
    (tmp_path / "pyproject.toml").unlink()
    assert found(tmp_path, "main.py") == SEEN


def test_a_package_is_seen_through_a_link_to_its_directory(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": caller("from lib.helpers import probabilities"), "real/lib/__init__.py": ""})
    (tmp_path / "real/lib/helpers.py").write_text(SOFTMAX)
    (tmp_path / "lib").symlink_to(tmp_path / "real" / "lib", target_is_directory=True)
    assert found(tmp_path, "main.py") == SEEN


def test_a_link_that_leads_around_in_a_circle_harms_nothing(tmp_path: Path) -> None:
    written(tmp_path, {"lib/main.py": caller("from lib.lib.lib.helpers import probabilities"), "lib/__init__.py": ""})
    (tmp_path / "lib" / "helpers.py").write_text(SOFTMAX)
    (tmp_path / "lib" / "lib").symlink_to(tmp_path / "lib", target_is_directory=True)
    assert found(tmp_path, "lib/main.py") in ([], [("lib/main.py", 6, "NL101")])


def test_a_file_that_is_checked_through_a_link_sees_its_real_neighbours(tmp_path: Path) -> None:
    written(tmp_path / "project", {"main.py": caller("from helpers import probabilities"), "helpers.py": SOFTMAX})
    (tmp_path / "link").symlink_to(tmp_path / "project", target_is_directory=True)
    assert found(tmp_path, "link/main.py") == [("link/main.py", 6, "NL101")]


# ── what cannot be read ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        SOFTMAX + "\ndef broken(:\n",
        SOFTMAX + "\0",
        "\0\1\2",
        "# coding: no-such-codec\n" + SOFTMAX,
        "if " + "(" * 500 + "x" + ")" * 500 + ":\n    pass\n",
        "",
    ],
    ids=["syntax", "null byte", "binary", "codec", "nesting", "empty"],
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    main = caller("from helpers import probabilities") + "\ndef own(x):\n    return torch.log(torch.softmax(x, -1))\n"
    written(tmp_path, {"main.py": main})
    alone = found(tmp_path, "main.py")
    assert alone == [("main.py", 9, "NL101")]
    (tmp_path / "helpers.py").write_text(text)
    assert found(tmp_path, "main.py") == alone


def test_a_directory_that_is_called_as_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").mkdir()
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities")}) == []


def test_a_very_large_file_is_not_read(tmp_path: Path) -> None:
    main = caller("from helpers import probabilities")
    padding = "# " + "x" * (MAX_BYTES - len(SOFTMAX) - 3)
    assert checked(tmp_path, {"main.py": main, "helpers.py": f"{SOFTMAX}{padding}\n"}) == SEEN
    assert checked(tmp_path, {"helpers.py": f"{SOFTMAX}{padding}xx\n"}) == []


@pytest.mark.parametrize(
    "files",
    [
        {"helpers.py": "from main import SCALE, loss\n" + SOFTMAX, "main.py": "SCALE = 2\n"},
        {"helpers.py": "from other import *\n" + SOFTMAX, "other.py": "from helpers import *\n"},
    ],
)
def test_cyclic_imports_are_followed(tmp_path: Path, files: dict[str, str]) -> None:
    main = caller("from helpers import probabilities") + files.get("main.py", "")
    assert checked(tmp_path, {**files, "main.py": main}) == SEEN


# ── what checking does not do ───────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_imported_or_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    effect = f"open({str(trace)!r}, 'w').write('executed')\n"
    files = {"main.py": caller("from lib.helpers import probabilities"), "lib/helpers.py": effect + SOFTMAX}
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    assert checked(tmp_path, {**files, "lib/__init__.py": effect}) == SEEN
    assert not trace.exists()
    assert not {name for name in set(sys.modules) - before if name.split(".")[0] in ("lib", "main", "torch")}


def test_nothing_outside_of_the_project_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "above" / "project"
    written(tmp_path / "above", {"helpers.py": SOFTMAX, "lib/__init__.py": "", "lib/helpers.py": SOFTMAX})
    imports = "\n".join(
        f"from {module} import probabilities"
        for module in (
            "helpers",
            "..helpers",
            "above.helpers",
            "lib.helpers",
            "os.path",
            "json.decoder",
            "pytest",
            "yaml",
        )
    )
    written(project, {"main.py": caller(imports), "near.py": SOFTMAX})
    text = (project / "main.py").read_text()
    found(project, "main.py")  # what the program loads of itself is loaded
    opened: list[str] = []
    real = builtins.open

    def watched(file: Any, *args: Any, **options: Any) -> Any:
        opened.append(str(file))
        return real(file, *args, **options)

    source = in_project(Source(str(project / "main.py"), text))
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", watched)
        diagnose_source(source, nanlint.config_of_keys(".", {}))
    assert [path for path in opened if not Path(path).is_relative_to(project)] == []
    assert [path for path in view_of(source).read if not Path(path).is_relative_to(os.path.realpath(project))] == []


def test_the_view_tells_what_it_has_read_and_missed(tmp_path: Path) -> None:
    files = {"main.py": caller("from lib.a import probabilities\nfrom lib.b import b\nimport lib.c", "b(lib.c.c(x))")}
    written(tmp_path, {**files, "lib/__init__.py": "", "lib/a.py": SOFTMAX, "lib/b.py": "def b(:\n", "lib/d.py": ""})
    path = str(tmp_path / "main.py")
    source = in_project(Source(path, files["main.py"]))
    diagnose_source(source, nanlint.config_of_keys(path, {}))
    view = view_of(source)
    names = {os.path.relpath(one, os.path.realpath(tmp_path)) for one, stamp in view.read.items() if stamp is not None}
    assert "lib/b.py" in names
    assert "lib/d.py" not in names
    assert "lib.b" in view.unresolved


def test_a_change_of_another_file_is_seen_at_once(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": divided("from config import EPS"), "config.py": "EPS = 0.0\n"})
    assert found(tmp_path, "main.py") == [("main.py", 6, "NL303")]
    (tmp_path / "config.py").write_text("EPS = 1e-8\n")
    assert found(tmp_path, "main.py") == []
    (tmp_path / "config.py").unlink()
    assert found(tmp_path, "main.py") == []


def test_a_text_that_is_not_saved_stands_for_the_file(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": divided("from config import EPS"), "config.py": "EPS = 1e-8\n"})
    path = str(tmp_path / "main.py")

    def codes(unsaved: dict[str, str]) -> list[str]:
        source = in_project(Source(path, (tmp_path / "main.py").read_text()), unsaved)
        return [d.code for d in diagnose_source(source, nanlint.config_of_keys(path, {}))]

    config = os.path.realpath(tmp_path / "config.py")
    assert codes({}) == []
    assert codes({config: "EPS = 0.0\n"}) == ["NL303"]
    (tmp_path / "config.py").unlink()
    assert codes({config: "EPS = 0.0\n"}) == ["NL303"]


# ── findings here, whose other half is there ────────────────────────────────────────────────────────────────────────


def test_a_package_of_many_modules_is_read_until_one_of_them_uses_a_framework(tmp_path: Path) -> None:
    names = [f"part{i:03}" for i in range(300)]
    init = "".join(f"from .{name} import *\n" for name in names)
    written(tmp_path, {"package/__init__.py": init, **{f"package/{name}.py": "import math\n" for name in names}})
    view = View.of(str(tmp_path / "package" / "__init__.py"))
    assert set(view.packages_behind(ast.parse(init))) == {(1, frozenset({"math"}))}
    assert len(view.read) < len(names)
    written(tmp_path, {f"package/{names[0]}.py": "import torch\n"})
    view = View.of(str(tmp_path / "package" / "__init__.py"))
    assert next(view.packages_behind(ast.parse(init))) == (1, frozenset({"torch"}))
    assert len(view.read) < 10


def test_a_link_to_itself_is_no_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "main.py").write_text("import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "linked.py").symlink_to(tmp_path / "folder.py")
    report = run_task(Task(str(tmp_path / "main.py"), nanlint.config_of_keys("main.py", {})))
    assert [one.code for one in report.diagnostics] == ["NL101"]
