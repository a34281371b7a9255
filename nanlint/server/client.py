"""What the client can do, read once from its capabilities: nothing is sent that it would not understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

#: what a client says that it can do, by what that is called here
_FLAGS = {
    "refreshes": "workspace.diagnostics.refresh_support",
    "related": "text_document.publish_diagnostics.related_information",
    "describes": "text_document.publish_diagnostics.code_description_support",
    "keeps_data": "text_document.publish_diagnostics.data_support",
    "versions": "text_document.publish_diagnostics.version_support",
    "document_changes": "workspace.workspace_edit.document_changes",
    "prefers": "text_document.code_action.is_preferred_support",
    "progress": "window.work_done_progress",
    "watches": "workspace.did_change_watched_files.dynamic_registration",
    "configures": "workspace.configuration",
}
#: the same of what it has something to say of
_GIVEN = {
    "pulls": "text_document.diagnostic",
    "literal_actions": "text_document.code_action.code_action_literal_support",
    "asks": "window.show_message",
}
#: the same of a list, by what is in it
_AMONG: dict[str, tuple[object, str]] = {
    "resolves_edits": ("edit", "text_document.code_action.resolve_support.properties"),
    "tags": (types.DiagnosticTag.Unnecessary, "text_document.publish_diagnostics.tag_support.value_set"),
}


@dataclass(frozen=True)
class Client:
    """The abilities of an editor that answers depend on."""

    pulls: bool = False
    refreshes: bool = False
    related: bool = False
    describes: bool = False
    tags: bool = False
    keeps_data: bool = False
    versions: bool = False
    document_changes: bool = False
    literal_actions: bool = False
    resolves_edits: bool = False
    prefers: bool = False
    markdown: bool = False
    progress: bool = False
    watches: bool = False
    configures: bool = False
    asks: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        def said(path: str) -> Any:
            return get_capability(capabilities, path, None)

        formats = said("text_document.hover.content_format")
        return cls(
            **{name: bool(said(path)) for name, path in _FLAGS.items()},
            **{name: said(path) is not None for name, path in _GIVEN.items()},
            **{name: value in (said(path) or ()) for name, (value, path) in _AMONG.items()},
            markdown=formats is None or types.MarkupKind.Markdown in formats,
        )
