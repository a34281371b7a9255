"""JupyterLab without configuration: the entry point, and the document that jupyterlab-lsp makes of a notebook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from nanlint.server.jupyter import WITHOUT_EFFECT, spec
from nanlint.server.settings import KINDS, settings_of
from nanlint.version import __version__
from tests.server.laboratory import laboratory
from tests.server.sessions import UTF16, applied, session
from tests.server.workbench import Workbench


def test_jupyter_lsp_starts_nanlint_for_python_without_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("JUPYTER_CONFIG_DIR", "JUPYTER_CONFIG_PATH", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(place, str(tmp_path))
    library = pytest.importorskip("jupyter_lsp", reason="jupyter-lsp is not installed: pip install '.[test]'")
    manager = library.LanguageServerManager()
    manager.initialize()  # what does not fit its schema is left out
    found = manager.language_servers["nanlint"]
    assert found["argv"] == [sys.executable, "-m", "nanlint", "server"]
    assert found["languages"] == ["python"]
    assert not found["requires_documents_on_disk"]


def test_the_command_starts_a_server() -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    request = f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    done = subprocess.run(spec(None)["nanlint"]["argv"], input=request, capture_output=True, timeout=100)
    answer = json.loads(done.stdout.partition(b"\r\n\r\n")[2])
    assert answer["result"]["serverInfo"] == {"name": "nanlint", "version": __version__}


def test_the_settings_are_those_of_the_server_with_their_defaults() -> None:
    properties = spec(None)["nanlint"]["config_schema"]["properties"]
    assert set(properties) == {f"nanlint.{name}" for name in set(KINDS) - WITHOUT_EFFECT}
    defaults = {name.removeprefix("nanlint."): schema["default"] for name, schema in properties.items()}
    assert settings_of({"nanlint": defaults}) == settings_of(None)


#: what jupyterlab-lsp 5.3 sends of a notebook with six cells: magics and shell lines are calls, not all of them Python
JOINED = """\
get_ipython().run_line_magic("matplotlib", " inline")
get_ipython().getoutput("pip install "jax[cpu]" > "a.log"")
import torch


get_ipython().run_line_magic("time", " probs = torch.softmax(logits, dim=-1)")


def unfinished(:


# START_CELL_MAGIC("time", "")
scaled = 2 * probs
# END_CELL_MAGIC


class Loss:
    name = "loss"


    def log(self):
        print(self.name)


loss = -torch.log(probs)[0, 1]
"""
WHERE = types.Range(types.Position(24, 8), types.Position(24, 24))


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["study.ipynb", ".virtual_documents/study.ipynb"])
async def test_a_notebook_as_one_text_is_checked_cell_by_cell(name: str, tmp_path: Path) -> None:
    async with session("bare", tmp_path) as editor:
        broken, found = await editor.diagnostics(editor.open(name, JOINED))
        assert (broken.code, broken.range.start.line) == ("NL000", 8)
        assert (found.code, found.range) == ("NL101", WHERE)


@pytest.mark.asyncio
async def test_the_configuration_of_the_notebooks_folder_holds(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "nanlint.toml").write_text('ignore = ["NL1"]')
    async with session("bare", tmp_path) as editor:
        (broken,) = await editor.diagnostics(editor.open("study/study.ipynb", JOINED))
        assert broken.code == "NL000"


@pytest.mark.asyncio
async def test_a_hover_names_places_by_their_code_as_no_lines_of_the_text_are_seen(tmp_path: Path) -> None:
    async with session("bare", tmp_path) as editor:
        shown = await editor.hover(editor.open("study.ipynb", JOINED), 24, 12)
        assert shown is not None
        assert "Made by: `torch.softmax(logits, dim=-1)` is exactly 0 when" in shown
        assert not re.search(r"\bline \d", shown)


@pytest.mark.asyncio
async def test_a_fix_changes_the_text_where_it_was_found(tmp_path: Path) -> None:
    async with session("Emacs", tmp_path) as editor:
        text = JOINED.replace('get_ipython().run_line_magic("time", " probs', "probs").replace('=-1)")', "=-1)")
        uri = editor.open("study.ipynb", text)
        *_, found = await editor.diagnostics(uri)
        edit = (await editor.actions(uri, found.range, [found]))[0].edit
        assert edit is not None
        # what runs between the cells may give `logits` another value
        kept = text.replace("probs = torch.softmax(logits", "probs_logits = logits\nprobs = torch.softmax(probs_logits")
        assert applied(text, edit, UTF16) == kept.replace("torch.log(probs)", "torch.log_softmax(probs_logits, dim=-1)")


@pytest.mark.asyncio
async def test_the_settings_of_jupyterlab_count(tmp_path: Path) -> None:
    async with session("bare", tmp_path) as editor:
        uri = editor.open("study.ipynb", JOINED)
        assert len(await editor.diagnostics(uri)) == 2
        settings = {"ignore": ["NL1"], "select": None, "configuration": "", "showSyntaxErrors": False}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"nanlint": settings}))
        assert await editor.diagnostics(uri) == []


CELLS = (
    '%matplotlib inline\n!echo "two quotes"\nimport torch\n\nlogits = 50 * torch.randn(8, 10)\n'
    "probs = torch.softmax(logits, dim=-1)",
    "loss = -torch.log(probs)[:, 0].mean()\nloss.item()",
)


def test_a_finding_is_shown_in_a_cell_of_jupyterlab_without_configuration(tmp_path: Path) -> None:
    """One window for everything: it takes seconds to start."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "study.ipynb").write_text(json.dumps(notebook(*CELLS)))
    with laboratory(tmp_path / "project", tmp_path, "study.ipynb") as window:
        window.until(lambda: window.browser.texts(MARKED) == ["torch.log(probs)"], "a finding")
        cell = window.browser.js("document.querySelector(arguments[0]).closest('.jp-Cell').innerText", MARKED)
        assert "loss.item()" in cell
        window.mouse(MARKED, click=True)
        shown = window.until(lambda: over(window, ".cm-tooltip-lint"), "the finding under the mouse")
        assert "log of a softmax" in shown
        window.picture("jupyterlab")

        webdriver.ActionChains(window.browser.driver).key_down(webdriver.Keys.CONTROL).perform()
        shown = window.until(lambda: over(window, ".lsp-hover"), "the explanation")
        assert "torch.softmax(logits, dim=-1): is exactly 0 when" in shown
        assert "fix (safe): replace with torch.log_softmax(logits, dim=-1)" in shown
        webdriver.ActionChains(window.browser.driver).key_up(webdriver.Keys.CONTROL).perform()

        window.mouse(".jp-Cell .cm-line:last-child", click=True)
        window.press(webdriver.Keys.END)
        window.press(" + 1e-6")
        window.until(lambda: window.browser.texts(MARKED) == [], "the cell without a finding")


MARKED = ".cm-lintRange"


def over(window: Workbench, selector: str) -> str:
    """The text of what opens when the mouse moves over the finding; empty if nothing does."""
    from selenium.webdriver import ActionChains

    marked = window.browser.driver.find_element("css selector", MARKED)
    for offset in (0, 20):
        ActionChains(window.browser.driver).move_to_element_with_offset(marked, offset, 0).perform()
        time.sleep(0.7)
        if found := window.browser.texts(selector):
            return found[0]
    return ""


def notebook(*cells: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return {
        "cells": [{**empty, "id": str(number), "source": source} for number, source in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python", "mimetype": "text/x-python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
