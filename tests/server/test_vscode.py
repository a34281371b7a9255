"""The extension for VS Code: its manifest says what the server says, and its own tests pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nanlint.server import settings
from nanlint.server.actions import FIX_ALL
from nanlint.version import __version__
from tests.server.workbench import EXTENSION, npm, workbench

MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
PROPERTIES: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]

#: the settings that are the extension's; it passes on all others
OWN = {"path", "interpreter", "importStrategy", "args", "server.url", "trace.server"}


def of_the_server() -> dict[str, Any]:
    return {name: schema for key, schema in PROPERTIES.items() if (name := key.removeprefix("nanlint.")) not in OWN}


def test_the_extension_has_the_version_of_the_nanlint_in_it() -> None:
    assert MANIFEST["version"] == __version__
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["version"] == __version__


def test_no_host_is_in_the_lock_file() -> None:
    assert "://" not in "".join(
        json.dumps(package.get("resolved", ""))
        for package in json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))["packages"].values()
    )


def test_its_settings_are_those_of_the_server_and_its_own() -> None:
    assert set(of_the_server()) == set(settings.KINDS)
    assert {f"nanlint.{name}" for name in OWN} < set(PROPERTIES)


@pytest.mark.parametrize("name", settings.KINDS)
def test_type_choices_and_default_of_a_setting_are_those_of_the_server(name: str) -> None:
    schema, kind = PROPERTIES[f"nanlint.{name}"], settings.KINDS[name]
    assert {key: schema[key] for key in ("type", "items", "enum") if key in schema} == kind.schema
    assert schema["default"] == kind.default


def test_the_server_takes_every_default_and_choice() -> None:
    for name, schema in of_the_server().items():
        for value in (schema["default"], *schema.get("enum", ())):
            assert settings.settings_of({name: value}, initial=True)[1] == ()


def test_what_chooses_programs_or_trusts_them_does_not_come_from_a_workspace_that_is_not_trusted() -> None:
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    assert restricted == {f"nanlint.{name}" for name in ("path", "interpreter", "args", "server.url")}
    assert PROPERTIES["nanlint.trust"]["scope"] == "machine"


def test_fix_all_is_the_action_that_the_server_offers() -> None:
    assert FIX_ALL in PROPERTIES["nanlint.fixAll"]["markdownDescription"]
    assert f'"{FIX_ALL}"' in (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")


def run(script: str) -> None:
    """One of the scripts of package.json."""
    environment = os.environ | {"PYTHON": sys.executable}
    command = [npm(), "run", "--silent", script]
    done = subprocess.run(command, cwd=EXTENSION, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_types_fit() -> None:
    run("check")


def test_its_own_tests_pass() -> None:
    run("test")


LOSS = """\
import torch
import torch.nn.functional as F


def weighted_cross_entropy(logits, targets, weights):
    probs = F.softmax(logits, dim=1)
    log_probs = torch.log(probs)
    return -(weights * targets * log_probs).sum(dim=1).mean()
"""
STABLE = "log_probs = F.log_softmax(logits, dim=1)"


def test_a_workbench_shows_findings_and_fixes_them(tmp_path: Path) -> None:
    """One window for everything: it takes seconds to start."""
    keys = pytest.importorskip("selenium.webdriver", reason="selenium is not installed").Keys
    (tmp_path / "project").mkdir()
    file = tmp_path / "project" / "loss.py"
    file.write_text(LOSS)
    cells = [
        {"cell_type": "code", "id": str(number), "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
        for number, cell in enumerate(("import torch", "%time p = torch.softmax(x, 0)", "loss = torch.log(p)"))
    ]
    metadata = {"language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "project" / "study.ipynb").write_text(json.dumps(notebook))
    settings = {"[python]": {"editor.codeActionsOnSave": {FIX_ALL: "explicit"}}, "editor.minimap.enabled": False}
    run("build")
    files = ["loss.py", "study.ipynb"]
    with workbench(tmp_path / "project", tmp_path / "profile", settings, files) as window:
        window.until_squiggles(1)
        window.until(lambda: __version__ in window.status(), "the version")
        window.mouse(".squiggly-error")
        shown = window.until_text(".monaco-hover", "log of a softmax")
        assert "NL101" in shown
        window.picture("vscode-finding")

        window.press(keys.ESCAPE)
        window.mouse(".squiggly-error", click=True)
        window.mouse(".tabs-and-actions-container")
        window.press(keys.CONTROL, ".")
        offered = window.until_text(".action-widget", "NL101")
        assert "disable for this line" in offered
        window.picture("vscode-fix")
        window.press(keys.ENTER)
        window.until(lambda: STABLE in window.text(), "the fix")
        window.until_squiggles(0)

        window.press(keys.CONTROL, "z")
        window.until_squiggles(1)
        window.command("nanlint: Fix All in This File")
        window.until(lambda: STABLE in window.text(), "the fix of the file")
        window.press(keys.CONTROL, "z")
        window.until_squiggles(1)
        assert file.read_text() == LOSS

        window.command("nanlint: Restart Server")
        window.until(lambda: __version__ not in window.status(), "a server that starts")
        window.until(lambda: __version__ in window.status(), "the version")
        window.until_squiggles(1)
        window.press(keys.CONTROL, "s")
        window.until(lambda: STABLE in file.read_text(), "the fix on disk")

        window.mouse(".tab[aria-label^='study.ipynb']", click=True)
        window.until_text(".notebookOverlay .view-line", "loss = torch.log(p)")
        window.until(
            lambda: window.browser.js("!!document.querySelector('.cell .squiggly-error')"), "a finding in a cell"
        )
        window.picture("vscode-notebook")
