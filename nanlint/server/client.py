"""What the client can do, read once from its capabilities: nothing is sent that it would not understand."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability


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
        def has(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        resolvable = get_capability(capabilities, "text_document.code_action.resolve_support.properties", ()) or ()
        tags = get_capability(capabilities, "text_document.publish_diagnostics.tag_support.value_set", ()) or ()
        formats = get_capability(capabilities, "text_document.hover.content_format", None)
        return cls(
            pulls=get_capability(capabilities, "text_document.diagnostic", None) is not None,
            refreshes=has("workspace.diagnostics.refresh_support"),
            related=has("text_document.publish_diagnostics.related_information"),
            describes=has("text_document.publish_diagnostics.code_description_support"),
            tags=types.DiagnosticTag.Unnecessary in tags,
            keeps_data=has("text_document.publish_diagnostics.data_support"),
            versions=has("text_document.publish_diagnostics.version_support"),
            document_changes=has("workspace.workspace_edit.document_changes"),
            literal_actions=get_capability(capabilities, "text_document.code_action.code_action_literal_support", None)
            is not None,
            resolves_edits="edit" in resolvable,
            prefers=has("text_document.code_action.is_preferred_support"),
            markdown=formats is None or types.MarkupKind.Markdown in formats,
            progress=has("window.work_done_progress"),
            watches=has("workspace.did_change_watched_files.dynamic_registration"),
            configures=has("workspace.configuration"),
            asks=get_capability(capabilities, "window.show_message", None) is not None,
        )
