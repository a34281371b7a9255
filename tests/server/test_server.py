"""The session as a whole: it agrees with the command line, drops what is out of date, and ends as it should."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from nanlint.config import Configs
from nanlint.lint.known_rules import ops_problem, rule_names
from nanlint.lint.many_files import check
from tests.ports import free_port
from tests.server.sessions import patiently, session

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LOSS = "import torch\n\n\ndef loss(x):\n    return torch.log(torch.softmax(x, -1))\n"


def nanlint(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "nanlint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)


@pytest.mark.asyncio
async def test_the_editor_shows_what_the_command_line_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    printed: dict[str, list[tuple[object, ...]]] = {path.name: [] for path in EXAMPLES}
    for one in check(["examples"], Configs(rule_names(), ops_problem=ops_problem)).diagnostics:
        place = (one.span.row - 1, one.span.column - 1, one.span.end_row - 1, one.span.end_column - 1)
        printed[Path(one.path).name].append((one.code, one.sentence, *place))
    assert any(printed.values())
    async with session("Emacs", ROOT, process=True) as editor:
        for path in EXAMPLES:
            uri = editor.open(f"examples/{path.name}", path.read_text())
            shown = [
                (
                    one.code,
                    one.message.partition("\n")[0],
                    *(one.range.start.line, one.range.start.character, one.range.end.line, one.range.end.character),
                )
                for one in await editor.diagnostics(uri)
            ]
            assert shown == printed[path.name], path.name


@pytest.mark.asyncio
async def test_what_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    async with session("VS Code", tmp_path, process=True) as editor:
        uri = editor.open("loss.py", LOSS)
        first = await editor.pull(uri)
        assert first.kind == "full"
        editor.replace(uri, LOSS + "\n")
        second = await editor.pull(uri, first.result_id)
        assert (second.kind, second.result_id) == ("unchanged", first.result_id)
        editor.replace(uri, "\n" + LOSS)
        assert (await editor.pull(uri, first.result_id)).kind == "full"


@pytest.mark.asyncio
async def test_a_request_that_is_cancelled_ends_and_so_does_one_that_is_overtaken(tmp_path: Path) -> None:
    slow = "import torch\n" + "".join(
        f"\n\ndef loss_{n}(x):\n    return torch.log(torch.softmax(x / x.sum(), -1)) / x.std()\n" for n in range(300)
    )
    async with session("VS Code", tmp_path) as editor:
        uri = editor.open("slow.py", slow)
        client = editor.client
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        ask = client.protocol.send_request_async
        waiting = asyncio.ensure_future(
            ask(types.TEXT_DOCUMENT_DIAGNOSTIC, params, msg_id="pull-1")  # type: ignore[no-untyped-call]
        )
        await asyncio.sleep(0.2)
        client.cancel_request(types.CancelParams("pull-1"))
        with pytest.raises(JsonRpcException, match="cancel"):
            await patiently(waiting)
        overtaken = asyncio.ensure_future(editor.pull(uri))
        await asyncio.sleep(0.2)
        editor.replace(uri, "import torch\n")
        start = time.monotonic()
        assert list((await editor.pull(uri)).items) == []
        assert list((await overtaken).items) == []
        assert time.monotonic() - start < 10


@pytest.mark.asyncio
async def test_a_syntax_error_is_shown_unless_others_do_that(tmp_path: Path) -> None:
    broken = "import torch\ny = torch.log(\n"
    async with session("Emacs", tmp_path) as editor:
        (found,) = await editor.diagnostics(editor.open("broken.py", broken))
        assert found.code == "NL000"
    async with session("Emacs", tmp_path, {"showSyntaxErrors": False}) as editor:
        assert await editor.diagnostics(editor.open("broken.py", broken)) == []


def test_an_editor_that_leaves_without_a_word_ends_the_server() -> None:
    command = [sys.executable, "-m", "nanlint", "server"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60, cwd=ROOT)
    assert done.returncode == 1
    assert done.stdout == b""


def test_an_address_that_is_none_is_a_mistake_of_usage() -> None:
    done = nanlint("server", "--tcp", "somewhere")
    assert done.returncode == 2
    assert re.search(r"expected \[HOST:\]PORT, got 'somewhere'", done.stderr)


def test_the_server_listens_where_it_is_told() -> None:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "nanlint", "server", "--tcp", f"127.0.0.1:{port}"], cwd=ROOT)
    try:
        with connected(port) as line:
            for message in (
                {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
                {"id": 2, "method": "shutdown"},
                {"method": "exit"},
            ):
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                line.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            answer = b""
            while part := line.recv(65536):
                answer += part
        assert b'"name": "nanlint"' in answer
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()


def connected(port: int) -> socket.socket:
    until = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=60)
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.1)
