"""The wiring: which message asks what of whom. Entry: ``make_server``."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from nanlint.baseline import DEFAULT_PATH
from nanlint.config import CONFIG_FILES, Config
from nanlint.disk import read_regular
from nanlint.lint.known_rules import without_rules
from nanlint.server.actions import KINDS, Actions, Order
from nanlint.server.checking import PAUSE, Checked, Checking, Overtaken, Worker
from nanlint.server.client import Client
from nanlint.server.configuration import key_in_table, place_of, selector_in_table
from nanlint.server.diagnostics import document_report, lsp_diagnostic, plain_diagnostic, workspace_report
from nanlint.server.documents import Document, Documents, path_of
from nanlint.server.hovering import hover, hover_at, of_key, of_selector
from nanlint.server.positions import Ruler
from nanlint.server.projects import Project, Projects
from nanlint.server.protocol import Protocol
from nanlint.server.settings import MODES, settings_of
from nanlint.server.sheet import Sheet
from nanlint.server.workspace import Progress, check_folder, shown_file, tasks_of
from nanlint.source import Source
from nanlint.source.project_files import forget
from nanlint.trust import TrustError, trust, trust_everything
from nanlint.version import __version__

logger = logging.getLogger(__name__)

#: what the user presses to let rule files run
TRUST = "Trust this folder"
#: checks all files, for those who ask for it
CHECK_WORKSPACE = "nanlint.checkWorkspace"
#: seconds that typing must pause before what is pushed is looked for; who pulls decides that for himself
DEBOUNCE = 0.01
#: files that decide what is found and shown; the client is asked to watch them
#: (a configuration may extend a file of any name)
WATCHED = ("**/*.toml", "**/.gitignore", f"**/{DEFAULT_PATH}")


class NanlintServer(LanguageServer):
    """One client's session."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "nanlint",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=types.NotebookDocumentSyncOptions(
                [types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")], "jupyter-notebook")]
            ),
            protocol_cls=Protocol,
        )
        self.client = Client()
        self.documents = Documents()
        self.projects = Projects()
        self.worker = Worker()
        self.checking = Checking(self.projects, self.worker, self.documents.unsaved)
        self.shut_down = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._pushes: dict[str, asyncio.TimerHandle] = {}
        self._said: set[str] = set()
        self._from_check: set[str] = set()
        self._changes = 0
        self._changed = asyncio.Event()
        self._faulty: set[str] = set()
        self._asked: set[str] = set()
        self._users: asyncio.TimerHandle | None = None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Answer that what came was no message; what else goes wrong is shown, or answered by who asked."""
        if source is JsonRpcException:
            self.protocol.unread(error)
        else:
            super().report_server_error(error, source)

    def start(self, work: Any) -> None:
        """Let a coroutine run by itself; what goes wrong in it is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a task failed", exc_info=error)

    def say_once(self, message: str) -> None:
        """Show the user what is wrong, the first time it is."""
        if message not in self._said:
            self._said.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"nanlint: {message}"))

    # ── findings ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def newest(self, uri: str) -> Checked | None:
        """The findings of the newest text of a document, however often it changes meanwhile; None if it is closed."""
        while (document := self.documents.get(uri)) is not None:
            try:
                checked = await self.checking.checked(document)
            except Overtaken:
                continue
            self.tell_of_configuration()
            return checked
        return None

    def sheet(self, checked: Checked) -> Sheet:
        """Where the places of a checked text are for this client."""
        return Sheet(checked.source, checked.document, self.documents.encoding)

    def shown(self, checked: Checked) -> dict[str, list[types.Diagnostic]]:
        """Findings as the client sees them, by document: those of a notebook in its cells."""
        sheet, document = self.sheet(checked), checked.document
        found: dict[str, list[types.Diagnostic]] = {
            one.uri: [] for _, one in (document.cells if document.cells is not None else ((0, document),))
        }
        for one in checked.diagnostics:
            found[sheet.location(one.span).uri].append(lsp_diagnostic(one, sheet, self.client))
        return found

    def push_soon(self, document: Document) -> None:
        """Publish what is found in a document once typing pauses, for clients that do not pull."""
        self.forget_push(document.uri)
        if self.client.pulls or not document.is_python:
            return
        loop = asyncio.get_running_loop()
        self._pushes[document.uri] = loop.call_later(DEBOUNCE, lambda: self.start(self._push(document)))

    def forget_push(self, uri: str) -> None:
        """Publish nothing of what was about to be."""
        waiting = self._pushes.pop(uri, None)
        if waiting is not None:
            waiting.cancel()

    def settled(self, checked: Checked) -> None:
        """A check of everything has found something else than what the client was told first."""
        if self.client.pulls:
            self.start(self._refresh())
        else:
            self.publish_all(checked)

    async def _push(self, document: Document) -> None:
        try:
            checked = await self.checking.checked(document)
        except Overtaken:
            return
        self.tell_of_configuration()
        if self.documents.get(document.uri) is document:
            self.publish_all(checked)

    def publish_all(self, checked: Checked) -> None:
        """Tell the client what is found in a document, or in the cells of one."""
        versions = {one.uri: one.version for _, one in checked.document.cells or ((0, checked.document),)}
        for uri, found in self.shown(checked).items():
            self.publish(uri, found, versions.get(uri))

    def publish(self, uri: str, diagnostics: Iterable[types.Diagnostic], version: int | None = None) -> None:
        """Tell the client what is found in a document, whatever was before."""
        version = version if self.client.versions else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, list(diagnostics), version))

    # ── the whole workspace ─────────────────────────────────────────────────────────────────────────────────────────

    async def check_workspace(
        self, progress: Progress, wanted: Callable[[Project], bool] = lambda project: True
    ) -> dict[str, list[types.Diagnostic]]:
        """What is found in all files that are not open, of the folders that are wanted, by address."""
        folders = [project for project in self.projects if wanted(project)]
        tasks = [(folder.root, await self.worker.run(partial(tasks_of, folder))) for folder in folders]
        open_files = {document.path for document in self.documents}
        tasks = [
            (root, [one for one in each if os.path.join(root, one.path) not in open_files]) for root, each in tasks
        ]
        total, done = sum(len(each) for _, each in tasks), 0
        found: dict[str, list[types.Diagnostic]] = {}
        progress.begin(total)
        try:
            for root, each in tasks:
                async for chunk in check_folder(root, each):
                    for file in chunk:
                        uri = from_fs_path(file.path) or file.path
                        found[uri] = shown_file(file, self.documents.encoding, self.client)
                    done += len(chunk)
                    progress.report(done, total)
        finally:
            progress.end(f"{sum(map(len, found.values()))} findings in {done} files")
        self.tell_of_configuration()
        return found

    async def publish_workspace(self, progress: Progress) -> dict[str, int]:
        """Check all files and show what is found in those that are not open; how much there is."""
        found = await self.check_workspace(progress)
        told = {uri for uri, diagnostics in found.items() if diagnostics}
        for uri in sorted(told | self._from_check):
            if self.documents.get(uri) is None:
                self.publish(uri, found.get(uri, ()))
        self._from_check = told
        return {"files": len(found), "findings": sum(map(len, found.values()))}

    def opened(self, document: Document) -> None:
        """A document is open now: what a check of the workspace said of its file is not said twice."""
        if document.uri in self._from_check:
            self._from_check.discard(document.uri)
            if self.client.pulls:
                self.publish(document.uri, ())

    async def progress_token(self) -> types.ProgressToken | None:
        """A token that the client shows progress under, and lets the user cancel; None where it does not."""
        if not self.client.progress:
            return None
        token = f"nanlint-{uuid.uuid4()}"
        await self.work_done_progress.create_async(token)
        return token

    def tell_progress(self, token: types.ProgressToken, value: object) -> None:
        self.progress(types.ProgressParams(token, value))

    def note_change(self) -> None:
        """Something is not as it was when the workspace was looked at last."""
        forget()
        self._changes += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed_since(self, number: int) -> int:
        """Wait until something has changed since then; the number of changes so far."""
        while self._changes == number:
            await self._changed.wait()
        return self._changes

    # ── configuration ───────────────────────────────────────────────────────────────────────────────────────────────

    def reloaded(self) -> None:
        """Files of configuration, or settings, have changed: everything is looked at again."""
        self.projects.reload()
        self.recheck()

    def recheck(self) -> None:
        """Look again at every open document."""
        self.checking.forget_all()
        self.note_change()
        for problem in self.projects.problems:
            self.say_once(problem)
        for document in self.documents:
            self.push_soon(document)
        if self.client.pulls and self.client.refreshes:
            self.start(self._refresh())

    def users_soon(self, document: Document) -> None:
        """Look again, once typing pauses, at what is open and depends on a document."""
        if self._users is not None:
            self._users.cancel()
        loop = asyncio.get_running_loop()
        self._users = loop.call_later(PAUSE, lambda: self.recheck_users(document.path or ""))

    def recheck_users(self, path: str) -> None:
        """Look again at what is open and depends on a file that has changed."""
        real = os.path.realpath(path)
        users = [one for one in self.documents if self.checking.seen_by(real, one.uri)]
        for user in users:
            self.checking.forget(user.uri)
            self.push_soon(user)
        if users and self.client.pulls and self.client.refreshes:
            self.start(self._refresh())

    async def _refresh(self) -> None:
        await self.workspace_diagnostic_refresh_async(None)

    def tell_of_configuration(self) -> None:
        """Show what is wrong with files of configuration in those files, and that it is not any more."""
        errors = self.projects.errors
        for file, message in errors.items():
            if file not in self._faulty:
                self._faulty.add(file)
                self.say_once(message)
                self.publish(from_fs_path(file) or file, [self._at_fault(file, message)])
        for file in self._faulty - set(errors):
            self._faulty.discard(file)
            self.publish(from_fs_path(file) or file, [])
        for config in self.projects.untrusted:
            if config.file is not None and config.file not in self._asked:
                self._asked.add(config.file)
                self.start(self._ask_for_trust(config, os.path.dirname(config.file)))

    async def _ask_for_trust(self, config: Config, directory: str) -> None:
        """Say which rule files were not loaded, and load them if the user says that they may run."""
        kind, message = types.MessageType.Warning, f"nanlint: {without_rules(config)}"
        if not self.client.asks:
            self.window_show_message(types.ShowMessageParams(kind, message))
            return
        actions = [types.MessageActionItem(TRUST), types.MessageActionItem("Not now")]
        answer = await self.window_show_message_request_async(types.ShowMessageRequestParams(kind, message, actions))
        if answer is not None and answer.title == TRUST:
            try:
                trust(directory)
            except TrustError as error:
                self.say_once(str(error))
            self.reloaded()

    def _at_fault(self, file: str, message: str) -> types.Diagnostic:
        uri = from_fs_path(file) or file
        document = self.documents.get(uri)
        source = Source(file, document.text if document is not None else _read(file))
        return plain_diagnostic(message, Ruler(source, self.documents.encoding).range(place_of(message, source)))


def _read(file: str) -> str:
    try:
        return read_regular(file).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def make_server() -> NanlintServer:
    """A server that listens to nothing yet."""
    server = NanlintServer()
    _register_lifecycle(server)
    _register_changes(server)
    _register_documents(server)
    _register_notebooks(server)
    _register_pull(server)
    _register_workspace(server)
    _register_actions(server)
    _register_hover(server)
    return server


def _register_lifecycle(server: NanlintServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.client = Client.of(params.capabilities)
        server.checking.on_settled = server.settled if server.client.refreshes or not server.client.pulls else None
        server.documents.encoding = types.PositionEncodingKind(server.workspace.position_encoding or "utf-16")
        settings, problems = settings_of(params.initialization_options, initial=True)
        if settings.trust:
            trust_everything()
        server.projects.configure(settings)
        for folder in params.workspace_folders or ():
            _add_folder(server, folder.uri)
        if not params.workspace_folders:
            _add_folder(server, params.root_uri or (from_fs_path(params.root_path) if params.root_path else None))
        for problem in problems:
            server.say_once(problem)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        for problem in server.projects.problems:
            server.say_once(problem)
        await _register_watches(server)
        await _ask_for_settings(server)
        if not server.client.pulls and any(project.settings.mode == MODES[1] for project in server.projects):
            await server.publish_workspace(Progress(server.tell_progress, await server.progress_token()))

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.shut_down = True
        server.worker.close()


def _register_changes(server: NanlintServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            path = path_of(folder.uri)
            if path is not None:
                server.projects.remove(os.path.normpath(path))
        for folder in params.event.added:
            _add_folder(server, folder.uri)
        await _ask_for_settings(server)
        server.recheck()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings_changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client.configures:
            await _ask_for_settings(server)
            return
        settings, problems = settings_of(params.settings)
        server.projects.configure(settings)
        for problem in problems:
            server.say_once(problem)
        server.recheck()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        names = [os.path.basename(path_of(change.uri) or "") for change in params.changes]
        if any(fnmatch(name, pattern.removeprefix("**/")) for name in names for pattern in WATCHED):
            server.reloaded()
            return
        server.note_change()
        for path in filter(None, (path_of(change.uri) for change in params.changes)):
            server.recheck_users(path)


def _add_folder(server: NanlintServer, uri: str | None) -> None:
    path = path_of(uri) if uri else None
    if path is not None:
        server.projects.add(os.path.normpath(path))


async def _register_watches(server: NanlintServer) -> None:
    if not server.client.watches:
        return
    everything = any(project.settings.mode == MODES[1] for project in server.projects)
    patterns = (*WATCHED, "**/*.{py,pyi,ipynb}") if everything else WATCHED
    watchers = [types.FileSystemWatcher(pattern) for pattern in patterns]
    registration = types.Registration(
        id="nanlint.configuration",
        method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers),
    )
    await server.client_register_capability_async(types.RegistrationParams([registration]))


async def _ask_for_settings(server: NanlintServer) -> None:
    """Settings by folder, where the client keeps them so."""
    roots = [project.root for project in server.projects]
    if not (server.client.configures and roots):
        return
    items = [types.ConfigurationItem(from_fs_path(root), "nanlint") for root in roots]
    answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
    told = False
    for root, answer in zip(roots, answers or (), strict=False):
        if answer:
            settings, problems = settings_of(answer)
            server.projects.configure(settings, root)
            told = True
            for problem in problems:
                server.say_once(problem)
    if told:
        server.recheck()


def _register_documents(server: NanlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = server.documents.opened(params.text_document)
        server.opened(document)
        server.push_soon(document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        identifier = params.text_document
        document = server.documents.changed(identifier.uri, identifier.version, params.content_changes)
        if document is not None:
            server.checking.overtake(document.uri)
            server.push_soon(document)
            server.users_soon(document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        if (path_of(params.text_document.uri) or "").endswith(".toml"):
            server.reloaded()
        else:
            server.note_change()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.documents.closed(uri)
        server.checking.forget(uri)
        server.forget_push(uri)
        if not server.client.pulls:
            server.publish(uri, ())


def _register_notebooks(server: NanlintServer) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        server.push_soon(server.documents.notebook_opened(params.notebook_document, params.cell_text_documents))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        identifier = params.notebook_document
        notebook = server.documents.notebook_changed(identifier.uri, identifier.version, params.change.cells)
        if notebook is not None:
            server.checking.overtake(notebook.uri)
            server.push_soon(notebook)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        server.checking.forget(uri)
        server.forget_push(uri)
        for cell in server.documents.notebook_closed(uri):
            if not server.client.pulls:
                server.publish(cell, ())


def _register_pull(server: NanlintServer) -> None:
    options = types.DiagnosticOptions(
        identifier="nanlint", inter_file_dependencies=False, workspace_diagnostics=True, work_done_progress=True
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        checked = await server.newest(params.text_document.uri)
        uri = params.text_document.uri
        return document_report([] if checked is None else server.shown(checked).get(uri, []), params.previous_result_id)


def _register_workspace(server: NanlintServer) -> None:
    answered = -1

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def pulled_all(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        # Who has been answered asks again at once, and is answered when there is something new.
        nonlocal answered
        answered = await server.changed_since(answered)
        progress = Progress(server.tell_progress, params.work_done_token)
        previous = {one.uri: one.value for one in params.previous_result_ids}
        found = await server.check_workspace(progress, lambda project: project.settings.mode == MODES[1])
        gone: dict[str, list[types.Diagnostic]] = {
            uri: [] for uri in previous if uri not in found and server.documents.get(uri) is None
        }
        reports = [workspace_report(uri, each, previous.get(uri)) for uri, each in sorted({**gone, **found}.items())]
        return types.WorkspaceDiagnosticReport(reports)

    @server.command(CHECK_WORKSPACE)
    async def check_workspace() -> dict[str, int]:
        token = await server.progress_token()
        try:
            work = asyncio.ensure_future(server.publish_workspace(Progress(server.tell_progress, token)))
            if token is not None:
                server.work_done_progress.tokens[token].add_done_callback(
                    lambda future: work.cancel() if future.cancelled() else None
                )
            return await work
        finally:
            server.work_done_progress.tokens.pop(token, None) if token is not None else None


def _register_actions(server: NanlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(KINDS, resolve_provider=True))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        checked = await server.newest(params.text_document.uri)
        if checked is None or not checked.diagnostics or not server.client.literal_actions:
            return []
        fixes = {one: one.fix for one in checked.diagnostics if one.fix is not None}
        found = Actions(checked, server.sheet(checked), server.client)
        return await server.worker.run(
            lambda: list(found.at(params.text_document.uri, params.range, params.context, fixes))
        )

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        kept = Order.of(action.data)
        if kept is None or action.edit is not None:
            return action
        uri, version, order = kept
        checked = await server.newest(uri)
        if checked is not None and checked.document.version == version:
            found = Actions(checked, server.sheet(checked), server.client)
            action.edit = await server.worker.run(lambda: found.mended(order))
        return action


def _register_hover(server: NanlintServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        uri, position = params.text_document.uri, params.position
        document = server.documents.get(uri)
        if document is None:
            return None
        if os.path.basename(document.path or "") in CONFIG_FILES:
            return _hover_in_table(server, document, position)
        checked = await server.newest(uri)
        if checked is None or not document.is_python:
            return None
        sheet = server.sheet(checked)
        return await server.worker.run(lambda: hover_at(checked, sheet, uri, position, server.client))


def _hover_in_table(server: NanlintServer, document: Document, position: types.Position) -> types.Hover | None:
    source = Source(document.path or "", document.text)
    ruler = Ruler(source, server.documents.encoding)
    place = ruler.place(position)
    key = key_in_table(source, *place)
    if key is not None:
        return hover(of_key(key[0]), ruler.range(key[1]), server.client)
    named = selector_in_table(source, *place)
    text = of_selector(named[0]) if named is not None else None
    return hover(text, ruler.range(named[1]), server.client) if named is not None and text is not None else None
