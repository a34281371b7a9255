"""Sessions of a real server process with clients of several kinds, for the tests."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from lsprotocol import types
from pygls.io_ import run_async
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from nanlint.server.server import make_server

UTF8, UTF16, UTF32 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32
PATIENCE = 60.0  # seconds; a machine may be busy, and a test that waits for what never comes must end


def code_that_pulls() -> types.ClientCapabilities:
    """VS Code as it is today: pytest-lsp knows the one that did not pull yet."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.text_document is not None
    assert capabilities.workspace is not None
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    capabilities.general = types.GeneralClientCapabilities(position_encodings=[UTF16])
    return capabilities


def helix() -> types.ClientCapabilities:
    """A client that counts bytes of UTF-8, is pushed to, and resolves actions."""
    capabilities = client_capabilities("neovim@v0.10.0")
    assert capabilities.text_document is not None
    capabilities.text_document.diagnostic = None
    capabilities.general = types.GeneralClientCapabilities(position_encodings=[UTF8, UTF32, UTF16])
    return capabilities


def bare() -> types.ClientCapabilities:
    """A client that says next to nothing of itself."""
    return types.ClientCapabilities()


def plain_text() -> types.ClientCapabilities:
    """A client that shows text as it is."""
    hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    return types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=hover))


PROFILES: Mapping[str, Callable[[], types.ClientCapabilities]] = {
    "VS Code": code_that_pulls,
    "VS Code 1.65": lambda: client_capabilities("visual-studio-code@v1.65.2"),
    "Neovim 0.11": lambda: client_capabilities("neovim@v0.11.0"),
    "Neovim 0.7": lambda: client_capabilities("neovim@v0.7.0"),
    "Emacs": lambda: client_capabilities("emacs@v29.1"),
    "Helix": helix,
    "bare": bare,
    "plain text": plain_text,
}


class Session:
    """One client with its server, in words of what a user does."""

    def __init__(
        self,
        client: LanguageClient,
        folder: Path,
        result: types.InitializeResult,
        registered: Sequence[types.Registration],
    ) -> None:
        self.registered = registered
        self.client = client
        self.folder = folder
        self.capabilities = result.capabilities
        self._texts: dict[str, tuple[int, str]] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "python") -> str:
        uri = self.uri(name)
        self._texts[uri] = (1, text)
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> int:
        version = self._texts[uri][0] + 1
        self._texts[uri] = (version, "")
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, list(changes)))
        return version

    def replace(self, uri: str, text: str) -> int:
        return self.change(uri, types.TextDocumentContentChangeWholeDocument(text))

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    @property
    def pulls(self) -> bool:
        capabilities = self.client.capabilities
        assert capabilities is not None
        return capabilities.text_document is not None and capabilities.text_document.diagnostic is not None

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await patiently(self.client.text_document_diagnostic_async(params))

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What the client shows of the newest text, pulled or pushed."""
        if self.pulls:
            report = await self.pull(uri)
            return list(report.items)
        return list(await self.pushed(uri))

    async def pushed(self, uri: str) -> Sequence[types.Diagnostic]:
        # the protocol's method listens at once; the client's only once a task of its own has begun, and what came in
        # between would never be heard of
        listen = self.client.protocol.wait_for_notification_async
        while uri not in self.client.diagnostics:
            await patiently(listen(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS))
        return self.client.diagnostics.pop(uri)

    async def actions(
        self, uri: str, range: types.Range, told: Sequence[types.Diagnostic] = (), only: Sequence[str] | None = None
    ) -> list[types.CodeAction]:
        context = types.CodeActionContext(list(told), only=list(only) if only is not None else None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), range, context)
        found = await patiently(self.client.text_document_code_action_async(params)) or []
        return [one for one in found if isinstance(one, types.CodeAction)]

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        if action.edit is not None:
            return action
        resolved: types.CodeAction = await patiently(self.client.code_action_resolve_async(action))
        return resolved

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await patiently(self.client.text_document_hover_async(params))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


async def patiently(awaited: Any) -> Any:
    return await asyncio.wait_for(awaited, PATIENCE)


@asynccontextmanager
async def session(
    profile: str,
    folder: Path,
    settings: object = None,
    *,
    folders: Sequence[Path] | None = None,
    process: bool = False,
) -> AsyncIterator[Session]:
    """A client of that profile with a server of its own, in a workspace.

    The server is in this process, which has read the program already, or in one of its own.
    """
    client = make_test_lsp_client()
    registered: list[types.Registration] = []

    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
    writers: list[asyncio.StreamWriter] = []
    listener = None
    if process:
        await client.start_io(sys.executable, "-m", "nanlint", "server")
    else:
        listener = await asyncio.start_server(partial(serve, writers), "127.0.0.1", 0)
        await client.start_tcp(*listener.sockets[0].getsockname())
    roots = folders if folders is not None else [folder]
    params = types.InitializeParams(
        PROFILES[profile](),
        root_uri=folder.as_uri(),
        workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name) for root in roots],
        initialization_options=json.loads(json.dumps(settings)),
    )
    try:
        result = await patiently(client.initialize_session(params))
        yield Session(client, folder, result, registered)
        if client._server is None:
            await patiently(client.shutdown_async(None))
        else:
            await patiently(client.shutdown_session())
            assert client._server.returncode == 0
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        if listener is not None:
            listener.close()
            for writer in writers:
                writer.close()
        await client.stop()  # type: ignore[no-untyped-call]


async def serve(
    writers: list[asyncio.StreamWriter], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """A server for one client, until its writer is closed."""
    writers.append(writer)
    server = make_server()
    server.protocol.set_writer(writer)
    await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)


def applied(text: str, edit: types.WorkspaceEdit, encoding: types.PositionEncodingKind) -> str:
    """``text`` after an edit, as a client that counts so applies it."""
    edits: list[types.TextEdit] = []
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        edits += [one for one in change.edits if isinstance(one, types.TextEdit)]
    for changed in (edit.changes or {}).values():
        edits += changed
    width = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}[encoding]
    lines = text.split("\n")

    def offset(position: types.Position) -> int:
        codec, size = width
        line = lines[position.line].encode(codec)[: position.character * size].decode(codec)
        return sum(len(one) + 1 for one in lines[: position.line]) + len(line)

    for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        text = text[: offset(one.range.start)] + one.new_text + text[offset(one.range.end) :]
    return text


GUIDE = Path(__file__).parents[2] / "docs" / "editors.md"


def from_the_guide(language: str, number: int = 0) -> str:
    """A block of configuration of docs/editors.md, as a user copies it."""
    parts = GUIDE.read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return parts[number].partition("```")[0]


def on_the_path(folder: Path) -> str:
    """A PATH on which the command ``nanlint`` is this one."""
    program = folder / "bin" / "nanlint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nanlint "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"
