"""Whatever a client sends, it is answered, and the next message is read."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.running import environment

PATIENCE = 20.0
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002
PROGRAM = "import torch\n\ny = torch.log(torch.softmax(x, -1))\n"


class Raw:
    """A server process that is spoken to in bytes."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nanlint", "server", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment(),
        )  # fmt: skip
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        while (line := self.process.stdout.readline()) != b"":
            size = int(line.removeprefix(b"Content-Length: "))
            while self.process.stdout.readline() != b"\r\n":
                pass
            self.messages.put(json.loads(self.process.stdout.read(size)))

    def send(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next answer to what was sent; messages of the server's own are passed over."""
        while "method" in (message := self.messages.get(timeout=PATIENCE)):
            pass
        return message

    def asked(self, number: object, method: object, params: object = None, **more: object) -> dict[str, Any]:
        self.send(message(id=number, method=method, params=params, **more))
        return self.answer()

    def end(self) -> tuple[int, str]:
        """How the process ends, and what it has logged."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        logged = self.process.stderr.read().decode()
        return self.process.wait(PATIENCE), logged


def framed(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(body) + body


def message(**parts: object) -> bytes:
    return framed(json.dumps({"jsonrpc": "2.0", **parts}).encode())


def code(answer: dict[str, Any]) -> int:
    found: int = answer["error"]["code"]
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One that has been initialized, for all tests that must not disturb it."""
    raw = Raw(tmp_path_factory.mktemp("folder"))
    raw.asked(0, "initialize", {"capabilities": {}})
    raw.send(message(method="initialized", params={}))
    yield raw
    raw.process.kill()
    raw.end()


URI = {"textDocument": {"uri": "file:///nowhere/a.py"}}
HERE = {**URI, "position": {"line": 0, "character": 0}}
WRONG_REQUESTS: Mapping[str, tuple[object, object, int]] = {
    "no params": ("textDocument/hover", None, INVALID_PARAMS),
    "params of another type": ("textDocument/hover", [1], INVALID_PARAMS),
    "a part that is missing": ("textDocument/hover", URI, INVALID_PARAMS),
    "a part of another type": ("textDocument/hover", {**HERE, "position": "here"}, INVALID_PARAMS),
    "no uri": ("textDocument/diagnostic", {"textDocument": {}}, INVALID_PARAMS),
    "no context": ("textDocument/codeAction", {**URI, "range": {}}, INVALID_PARAMS),
    "no such method": ("textDocument/nothing", {}, NO_METHOD),
    "no such method, no params": ("nothing", None, NO_METHOD),
    "a method that no server has": ("$/nothing", {}, NO_METHOD),
    "a notification": ("textDocument/didOpen", {"textDocument": {}}, INVALID_REQUEST),
    "a method of clients": ("window/showMessageRequest", {"type": 1, "message": ""}, NO_METHOD),
    "initialized twice": ("initialize", {"capabilities": {}}, INVALID_REQUEST),
    "a command that is none": ("workspace/executeCommand", {"command": "rm"}, INVALID_PARAMS),
    "arguments that a command has not": (
        "workspace/executeCommand",
        {"command": "nanlint.checkWorkspace", "arguments": [1, 2]},
        INVALID_PARAMS,
    ),
    "a method that is no word": (7, {}, INVALID_REQUEST),
    "a method that is a list": ([], {}, INVALID_REQUEST),
}


@pytest.mark.parametrize("wrong", WRONG_REQUESTS)
def test_a_wrong_request_is_answered_with_an_error(wrong: str, server: Raw) -> None:
    method, params, expected = WRONG_REQUESTS[wrong]
    answer = server.asked(wrong, method, params)
    assert (answer["id"], code(answer)) == (wrong, expected)
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    "uri", ["file:///nowhere/a.py", "nonsense", "", "http://a/b.py", "file:///%00.py", "file://h/a", "file:"]
)
def test_an_address_of_nothing_is_no_mistake(uri: str, server: Raw) -> None:
    there = {"textDocument": {"uri": uri}}
    assert server.asked(1, "textDocument/diagnostic", there)["result"]["items"] == []
    assert server.asked(2, "textDocument/hover", {**there, "position": {"line": 9, "character": 9}})["result"] is None
    text = {"uri": uri, "languageId": "python", "version": 1, "text": PROGRAM}
    server.send(message(method="textDocument/didOpen", params={"textDocument": text}))
    assert "result" in server.asked(3, "textDocument/diagnostic", there)
    beyond = {"start": {"line": 99, "character": 99}, "end": {"line": 1 << 20, "character": 0}}
    changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": beyond, "text": "\ud800"}]}
    server.send(message(method="textDocument/didChange", params=changed))
    assert "result" in server.asked(4, "textDocument/diagnostic", there)
    server.send(message(method="textDocument/didClose", params=there))


WRONG_MESSAGES = {
    "no JSON": (framed(b"{nonsense"), PARSE_ERROR),
    "no text": (framed(b'{"a": "\xff"}'), PARSE_ERROR),
    "nested without end": (framed(b"[" * 100_000), PARSE_ERROR),
    "no object": (framed(b"12"), INVALID_REQUEST),
    "several at once": (framed(b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]'), INVALID_REQUEST),
    "of another protocol": (framed(b'{"jsonrpc": "1.0", "method": "initialized"}'), INVALID_REQUEST),
    "of no protocol": (framed(b'{"method": "initialized"}'), INVALID_REQUEST),
    "neither question nor answer": (message(), INVALID_REQUEST),
    "an id that is none": (message(id={}, method="shutdown"), INVALID_REQUEST),
}


@pytest.mark.parametrize("wrong", WRONG_MESSAGES)
def test_what_is_no_message_is_answered_and_the_next_one_is_read(wrong: str, server: Raw) -> None:
    content, expected = WRONG_MESSAGES[wrong]
    server.send(content)
    answer = server.answer()
    assert (answer["id"], code(answer)) == (None, expected)
    assert server.asked(5, "textDocument/diagnostic", URI)["id"] == 5


def test_a_header_may_say_the_type_of_what_it_is_for(server: Raw) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 6, "method": "textDocument/diagnostic", "params": URI}).encode()
    content = framed(body, b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n")
    for part in (content[:9], content[9:]):
        server.send(part)
    assert server.answer()["id"] == 6


def test_notifications_and_answers_that_are_wrong_are_passed_over(server: Raw) -> None:
    unknown = {"uri": "file:///z", "version": 1}
    for wrong in (
        message(method="textDocument/didOpen", params={}),
        message(method="textDocument/didChange", params={**URI, "contentChanges": [{"text": ""}]}),
        message(
            method="textDocument/didChange",
            params={"textDocument": unknown, "contentChanges": []},
        ),
        message(method="notebookDocument/didClose", params={"notebookDocument": {"uri": "x"}, "cellTextDocuments": []}),
        message(method="textDocument/hover", params=HERE),
        message(method="$/cancelRequest", params={"id": 12345}),
        message(method="nothing/at/all"),
        message(id="never asked", result=1),
        message(id=None, error={"code": 1, "message": ""}),
        message(id=3),
    ):
        server.send(wrong)
    assert server.asked(7, "textDocument/diagnostic", URI)["id"] == 7


def test_nothing_is_done_before_the_beginning_or_after_the_end(tmp_path: Path) -> None:
    raw = Raw(tmp_path)
    raw.send(message(method="textDocument/didOpen", params={}) + message(method="initialized", params={}))
    early = raw.asked(1, "textDocument/hover", HERE)
    assert (early["id"], code(early)) == (1, NOT_INITIALIZED)
    assert code(raw.asked(2, "shutdown")) == NOT_INITIALIZED
    assert code(raw.asked(3, "initialize", {})) == INVALID_PARAMS
    assert "capabilities" in raw.asked(4, "initialize", {"capabilities": {}})["result"]
    assert raw.asked(5, "shutdown")["result"] is None
    assert code(raw.asked(6, "textDocument/hover", HERE)) == INVALID_REQUEST
    assert code(raw.asked(7, "shutdown")) == INVALID_REQUEST
    raw.send(framed(b"{"))
    assert code(raw.answer()) == PARSE_ERROR
    raw.send(message(method="exit"))
    ended, logged = raw.end()
    assert ended == 0
    assert "Traceback" not in logged
    assert "a message could not be processed: initialize must be sent first" in logged


@pytest.mark.parametrize("last", [b"", b"Content-Len", b"Content-Length: 50\r\n\r\n{", b"\xff\xfe"])
def test_a_client_that_leaves_in_the_middle_ends_the_server(last: bytes, tmp_path: Path) -> None:
    raw = Raw(tmp_path)
    raw.send(last)
    ended, logged = raw.end()
    assert ended == 1
    assert "Traceback" not in logged
