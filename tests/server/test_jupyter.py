"""JupyterLab without configuration: the entry point, and the document that jupyterlab-lsp makes of a notebook."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from nanlint.server.jupyter import WITHOUT_EFFECT, spec
from nanlint.server.settings import KINDS, settings_of
from nanlint.version import __version__
from tests.server.sessions import session

#: of the JSON schema of jupyter-lsp 2.3: what a description may hold
FIELDS = {
    "argv": list,
    "config_schema": dict,
    "debug_argv": list,
    "display_name": str,
    "env": dict,
    "extend": list,
    "install": dict,
    "languages": list,
    "mime_types": list,
    "requires_documents_on_disk": bool,
    "troubleshoot": str,
    "urls": dict,
    "version": int,
    "workspace_configuration": dict,
}


def described() -> dict[str, Any]:
    (named,) = (one for one in entry_points(group="jupyter_lsp_spec_v1") if one.name == "nanlint")
    assert named.load() is spec
    (described,) = spec(None).values()
    return described


def test_jupyter_lsp_finds_a_description_that_it_takes() -> None:
    found = described()
    assert {name: type(value) for name, value in found.items()}.items() <= FIELDS.items()
    assert found["version"] == 2
    assert "python" in found["languages"]
    assert not found["requires_documents_on_disk"]


def test_the_schema_of_jupyter_lsp_takes_the_description() -> None:
    schema = pytest.importorskip("jupyter_lsp.schema", reason="jupyter-lsp is not installed: pip install '.[jupyter]'")
    assert not list(schema.LANGUAGE_SERVER_SPEC_MAP.iter_errors(spec(None)))


def test_the_command_starts_a_server() -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    request = f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    done = subprocess.run(described()["argv"], input=request, capture_output=True, timeout=100)
    answer = json.loads(done.stdout.partition(b"\r\n\r\n")[2])
    assert answer["result"]["serverInfo"] == {"name": "nanlint", "version": __version__}


def test_the_settings_are_those_of_the_server_with_their_defaults() -> None:
    properties = described()["config_schema"]["properties"]
    assert set(properties) == {f"nanlint.{name}" for name in set(KINDS) - WITHOUT_EFFECT}
    defaults = {name.removeprefix("nanlint."): schema["default"] for name, schema in properties.items()}
    assert settings_of({"nanlint": defaults}) == settings_of(None)


#: what jupyterlab-lsp 5.3 sends of a notebook: its cells with magics as calls, in the notebook's own address
VIRTUAL = """\
get_ipython().run_line_magic("matplotlib", " inline")
import torch


probs = torch.softmax(logits, dim=-1)


loss = -torch.log(probs)[0, 1]
"""


@pytest.mark.asyncio
async def test_what_jupyterlab_makes_of_a_notebook_is_checked_as_the_text_that_it_is(tmp_path: Path) -> None:
    async with session("bare", tmp_path) as editor:
        (found,) = await editor.diagnostics(editor.open("study.ipynb", VIRTUAL))
        assert found.code == "NL101"
        assert found.range == types.Range(types.Position(7, 8), types.Position(7, 24))


@pytest.mark.asyncio
async def test_the_settings_of_jupyterlab_count(tmp_path: Path) -> None:
    async with session("bare", tmp_path) as editor:
        uri = editor.open("study.ipynb", VIRTUAL)
        assert len(await editor.diagnostics(uri)) == 1
        params = types.DidChangeConfigurationParams({"nanlint": {"ignore": ["NL1"], "select": None}})
        editor.client.workspace_did_change_configuration(params)
        assert await editor.diagnostics(uri) == []
