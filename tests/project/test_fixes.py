"""Fixes of what two functions do together: in one file, and in two that are written both or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lsprotocol import types

import nanlint
from nanlint.cli import cli
from nanlint.diagnostic import Applicability
from tests.project.test_view import written
from tests.server.sessions import session

PRIVATE = "def _soft(z):\n    return torch.softmax(z, -1)\n"
LOSS = "def loss(x, y):\n    return -(y * torch.log(_soft(x))).sum()\n"
STABLE = ("    return torch.log_softmax(z, -1)\n", "    return -(y * _soft(x)).sum()\n")
NET = (
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = torch.nn.Linear(3, 4)\n\n    def forward(self, x):\n        return self.fc(x).softmax(-1)\n"
)
TRAIN = (
    "def train(loader):\n    model = Net()\n    for x, y in loader:\n        (y * model(x).log()).sum().backward()\n"
)
HELPER = f"import torch\n\n{PRIVATE}"
MAIN = f"import torch\nfrom helper import _soft\n\n{LOSS}"
FILES = {"helper.py": HELPER, "main.py": MAIN}


def applicability(root: Path, files: Mapping[str, str]) -> list[Applicability]:
    """Who may apply the fixes of what is found in a project."""
    written(root, files)
    fixes = [one.fix for one in nanlint.check_paths([str(root)]).diagnostics if one.code == "NL101"]
    return [fix.applicability for fix in fixes if fix is not None]


def check(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments, *([] if arguments[-1:] == ("main.py",) else ["."])])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of a helper that returns a softmax and a file that takes its logarithm."""
    written(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("made", "used", "expected"),
    [
        (PRIVATE, LOSS, Applicability.SAFE),
        (PRIVATE.replace("return", "p =") + "    return p\n", LOSS, Applicability.SAFE),
        (
            PRIVATE,
            LOSS.replace("    return", "    p = _soft(x)\n    return").replace("(_soft(x))", "(p)"),
            Applicability.SAFE,
        ),
        (PRIVATE.replace("_soft", "soft"), LOSS.replace("_soft", "soft"), Applicability.UNSAFE),
        (NET, TRAIN, Applicability.UNSAFE),
        (PRIVATE, LOSS + "\ndef show(x):\n    print(_soft(x))\n", Applicability.DISPLAY),
        (PRIVATE, LOSS + "\nTABLE = [_soft]\n", Applicability.DISPLAY),
        (PRIVATE, LOSS.replace("sum()", "sum() + _soft(x).sum()"), Applicability.DISPLAY),
        (PRIVATE, LOSS.replace("torch.log(", "torch.log2("), Applicability.DISPLAY),
        (PRIVATE + "\ndef best(z):\n    return _soft(z).argmax()\n", LOSS, Applicability.DISPLAY),
        (PRIVATE.replace("    return", "    if z is None:\n        return z\n    return"), LOSS, Applicability.DISPLAY),
        (
            PRIVATE,
            LOSS.replace("    return", "    p = _soft(x)\n    keep(p)\n    return").replace("(_soft(x))", "(p)"),
            Applicability.DISPLAY,
        ),
    ],
)
def test_a_softmax_of_which_only_logarithms_are_taken_becomes_a_log_softmax_where_it_is_made(
    tmp_path: Path, made: str, used: str, expected: Applicability, apart: bool
) -> None:
    names = "Net" if "Net" in made else "soft" if "_soft" not in made else "_soft"
    parts = {"helper.py": f"import torch\n\n{made}", "main.py": f"import torch\nfrom helper import {names}\n\n{used}"}
    assert applicability(tmp_path, parts if apart else {"main.py": f"import torch\n\n{made}\n{used}"}) == [expected]


@pytest.mark.parametrize(
    ("name", "third", "expected"),
    [
        ("_soft", "from helper import _soft\n\ndef show(x):\n    print(_soft(x))\n", Applicability.DISPLAY),
        ("soft", "import helper\n\ndef show(x):\n    print(helper.soft(x))\n", Applicability.DISPLAY),
        ("_soft", "def show(x, name='_soft'):\n    return getattr(x, name)\n", Applicability.UNSAFE),
        ("_soft", "def show(x):\n    print(x)\n", Applicability.SAFE),
    ],
)
def test_who_else_uses_what_would_change_decides_who_may_apply_the_fix(
    tmp_path: Path, name: str, third: str, expected: Applicability
) -> None:
    files = {path: text.replace("_soft", name) for path, text in FILES.items()}
    assert applicability(tmp_path, {**files, "third.py": third}) == [expected]


def test_a_fix_writes_both_files_and_nothing_is_found_any_more(project: Path) -> None:
    result = check(project, "--fix", "--jobs", "2")
    assert (result.exit_code, "1 fixed, 0 remaining" in result.stdout) == (0, True)
    texts = [(project / name).read_text() for name in FILES]
    assert [line in text for line, text in zip(STABLE, texts, strict=True)] == [True, True]
    assert not nanlint.check_paths([str(project)]).diagnostics


def test_the_mended_files_compute_the_same(project: Path) -> None:
    torch = pytest.importorskip("torch")
    check(project, "--fix")
    texts = [FILES, {name: (project / name).read_text() for name in FILES}]
    results = []
    for files in texts:
        scope: dict[str, object] = {}
        exec(files["helper.py"] + files["main.py"].replace("from helper import _soft", ""), scope)
        x = torch.linspace(-3, 3, 12).reshape(3, 4).requires_grad_()
        value = scope["loss"](x, torch.ones(3, 4))  # type: ignore[operator]
        results.append((value, *torch.autograd.grad(value, x)))
    assert texts[0] != texts[1]
    assert all(torch.allclose(one, other) for one, other in zip(*results, strict=True))


def test_both_files_are_in_the_diff_and_nothing_is_written(project: Path) -> None:
    diff = check(project, "--diff").stdout
    assert [f"+{line}" in diff for line in STABLE] == [True, True]
    assert [f"--- {name}" in diff for name in FILES] == [True, True]
    assert {name: (project / name).read_text() for name in FILES} == FILES


def test_a_file_that_is_not_checked_is_not_changed(project: Path) -> None:
    result = check(project, "--fix", "main.py")
    assert (result.exit_code, "NL101" in result.stdout) == (1, True)
    assert {name: (project / name).read_text() for name in FILES} == FILES


def test_a_file_that_cannot_be_written_leaves_the_other_as_it_was(project: Path) -> None:
    (project / "helper.py").chmod(0o444)
    result = check(project, "--fix")
    assert "helper.py: is read-only" in result.stderr
    assert "NL101" in result.stdout
    assert {name: (project / name).read_text() for name in FILES} == FILES


def test_two_files_that_use_a_helper_are_left_alone(project: Path) -> None:
    (project / "other.py").write_text(MAIN)
    assert "suggestion" in check(project, "--fix", "--unsafe-fixes").stdout
    assert {name: (project / name).read_text() for name in FILES} == FILES


def test_reports_name_the_other_file_of_a_fix(project: Path) -> None:
    (found,) = json.loads(check(project, "--output-format", "json").stdout)
    assert [one.get("filename") for one in found["fix"]["edits"]] == [None, str(project / "helper.py")]
    log = json.loads(check(project, "--output-format", "sarif").stdout)
    (fix,) = log["runs"][0]["results"][0]["fixes"]
    changes = [(one["artifactLocation"]["uri"], len(one["replacements"])) for one in fix["artifactChanges"]]
    assert changes == [("main.py", 1), ("helper.py", 1)]
    assert "suggestions" not in check(project, "--output-format", "rdjson").stdout


@pytest.mark.asyncio
@pytest.mark.parametrize("client", ["Helix", "VS Code"])
async def test_an_editor_is_given_the_edits_of_both_files(client: str, project: Path) -> None:
    async with session(client, project) as editor:
        main = editor.open("main.py", MAIN)
        (found,) = await editor.diagnostics(main)
        (action,) = [a for a in await editor.actions(main, found.range, [found]) if "from `_soft`" in a.title]
        assert action.edit is not None
        edits = dict(action.edit.changes or {})
        for change in action.edit.document_changes or ():
            assert isinstance(change, types.TextDocumentEdit)
            edits[change.text_document.uri] = [e for e in change.edits if isinstance(e, types.TextEdit)]
        assert {uri.rpartition("/")[2]: [e.new_text for e in own] for uri, own in edits.items()} == {
            "main.py": ["_soft(x)"],
            "helper.py": ["log_softmax"],
        }


def test_a_notebook_may_call_what_is_private(tmp_path: Path) -> None:
    assert applicability(tmp_path, FILES) == [Applicability.SAFE]
    assert applicability(tmp_path, {"plots.ipynb": json.dumps({"cells": ["helper._soft(z)"]})}) == [
        Applicability.UNSAFE
    ]
