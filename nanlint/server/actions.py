"""What may be done about findings: code actions, at once with their edits where those are at hand. Pure.

What takes time (fix all, of a file or of a rule) carries what it needs to be resolved, where the client can wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types

from nanlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from nanlint.lint.fixing import applicable, fix_until_stable
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import diagnose_source, fix_source, tidying
from nanlint.selection import ALWAYS_ON
from nanlint.server.checking import Checked
from nanlint.server.client import Client
from nanlint.server.diagnostics import SOURCE, lsp_diagnostic
from nanlint.server.edits import difference
from nanlint.server.sheet import Sheet
from nanlint.source import Source
from nanlint.source.comments import UNKNOWN
from nanlint.source.ignoring import ignore_file, ignore_lines
from nanlint.source.suppression import UNUSED
from nanlint.trust import is_trusted

QUICK_FIX = types.CodeActionKind.QuickFix.value
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
KINDS = (QUICK_FIX, FIX_ALL)

#: what a comment does not silence: that a file was not checked, and remarks on comments
_NOT_SILENCED = (*ALWAYS_ON, UNUSED, UNKNOWN)


@dataclass(frozen=True)
class Order:
    """What is asked to be mended in a whole text: all that may be, or what one rule found."""

    code: str | None = None
    unsafe: bool = False

    def as_object(self, uri: str, version: int) -> dict[str, object]:
        """What a client keeps of it until it wants the edits."""
        return {"uri": uri, "version": version, "code": self.code, "unsafe": self.unsafe}

    @classmethod
    def of(cls, kept: Any) -> tuple[str, int, Order] | None:
        """The address, the version and the order that a client kept; None if it is not one of ours."""
        try:
            return str(kept["uri"]), int(kept["version"]), cls(kept["code"], bool(kept["unsafe"]))
        except (TypeError, KeyError, ValueError):
            return None


@dataclass(frozen=True)
class Actions:
    """The code actions of one checked text for one client."""

    checked: Checked
    sheet: Sheet
    client: Client

    def at(
        self, uri: str, range: types.Range, context: types.CodeActionContext, fixes: Mapping[Diagnostic, Fix]
    ) -> Iterator[types.CodeAction]:
        """Those for a selection in a document, of the kinds that are asked for; ``fixes`` of the findings in it."""
        if wanted(QUICK_FIX, context.only):
            touched = touching(self.checked.diagnostics, self.sheet.span(uri, range))
            for diagnostic in touched:
                yield from self._fixes(diagnostic, fixes.get(diagnostic), context.diagnostics)
            for code in dict.fromkeys(one.code for one in touched):
                yield from self._of_rule(code, fixes)
            for diagnostic in touched:
                yield from self._comments(diagnostic, context.diagnostics)
        if wanted(FIX_ALL, context.only) and self.checked.held.settings.fix_all and self.checked.diagnostics:
            yield self._ordered(
                "nanlint: fix all auto-fixable problems", FIX_ALL, Order(unsafe=self.checked.held.settings.unsafe_fixes)
            )

    def _fixes(
        self, diagnostic: Diagnostic, fix: Fix | None, told: Sequence[types.Diagnostic]
    ) -> Iterator[types.CodeAction]:
        if fix is None or not fix.edits:
            return
        safe = fix.applicability is Applicability.SAFE
        label = fix.message if safe else f"{fix.message} ({fix.applicability})"
        yield types.CodeAction(
            title=f"{diagnostic.code}: {label}",
            kind=QUICK_FIX,
            diagnostics=self._told(diagnostic, told),
            is_preferred=True if safe and self.client.prefers else None,
            edit=self._edit(fix.edits),
        )

    def _of_rule(self, code: str, fixes: Mapping[Diagnostic, Fix]) -> Iterator[types.CodeAction]:
        unsafe = self.checked.held.settings.unsafe_fixes
        mendable = [
            one
            for one, fix in fixes.items()
            if one.code == code and not fix.elsewhere and applicable(replace(one, fix=fix), unsafe=unsafe)
        ]
        if len(mendable) > 1:
            name = mendable[0].name
            yield self._ordered(f"{code}: fix all {name} problems in this file", QUICK_FIX, Order(code, unsafe))

    def _comments(self, diagnostic: Diagnostic, told: Sequence[types.Diagnostic]) -> Iterator[types.CodeAction]:
        if diagnostic.code in _NOT_SILENCED:
            return
        source, rules = self.checked.source, rule_names()
        comments = {
            "disable for this line": ignore_lines(source, [diagnostic], rules),
            "disable for this file": [ignore_file(source, [diagnostic.code], rules)],
        }
        for title, edits in comments.items():
            yield types.CodeAction(
                title=f"{diagnostic.code}: {title}",
                kind=QUICK_FIX,
                diagnostics=self._told(diagnostic, told),
                edit=self._edit(edits),
            )

    def _ordered(self, title: str, kind: str, order: Order) -> types.CodeAction:
        """An action with its edits, or with what they can be made from when the user takes it."""
        document = self.checked.document
        if self.client.resolves_edits:
            kept = order.as_object(document.uri, document.version)
            return types.CodeAction(title=title, kind=kind, data=kept)
        return types.CodeAction(title=title, kind=kind, edit=self.mended(order))

    def mended(self, order: Order) -> types.WorkspaceEdit:
        """The edits that carry out an order on the text."""
        return self._edit(difference(self.checked.source, mended(self.checked, order)))

    def _edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        return self.sheet.edit(edits, self.client)

    def _told(self, diagnostic: Diagnostic, told: Sequence[types.Diagnostic]) -> list[types.Diagnostic]:
        """The diagnostic as the client knows it, or as it would be told."""
        own = lsp_diagnostic(diagnostic, self.sheet, self.client)
        return [one for one in told if one.code == own.code and one.range == own.range] or [own]


def mended(checked: Checked, order: Order) -> Source:
    """The text after an order, as ``nanlint check --fix`` leaves it, or would if there were no other rule."""
    source, config = checked.source, checked.held.config
    if config is None:
        return source
    path = checked.document.path
    formats = path is not None and is_trusted(path)
    if order.code is None:
        return fix_source(source, config, unsafe=order.unsafe, formats=formats).source

    def diagnose(text: Source) -> list[Diagnostic]:
        return [one for one in diagnose_source(text, config) if one.code == order.code]

    return fix_until_stable(source, diagnose, unsafe=order.unsafe, tidy=tidying(config, formats)).source


def wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a client that asks for ``only`` these kinds asks for ``kind``; a kind means those below it, too."""
    return only is None or any(kind == one or kind.startswith(f"{one}.") for one in map(_text, only))


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def touching(diagnostics: Iterable[Diagnostic], span: Span) -> list[Diagnostic]:
    """The findings that a selection, or the cursor, touches."""
    start, end = (span.row, span.column), (span.end_row, span.end_column)
    return [
        one
        for one in diagnostics
        if (one.span.row, one.span.column) <= end and start <= (one.span.end_row, one.span.end_column)
    ]
