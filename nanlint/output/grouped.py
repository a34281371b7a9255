"""``--output-format grouped``: findings under the name of their file."""

from __future__ import annotations

from collections.abc import Sequence

from nanlint.diagnostic import Diagnostic
from nanlint.output.concise import line_of
from nanlint.output.view import View


def render(view: View) -> str:
    """``path:``, its findings as ``row:column CODE [*] message (confidence)`` in columns, and an empty line."""
    found: dict[str, list[Diagnostic]] = {}
    for file, one in view.findings():
        found.setdefault(file.path, []).append(one)
    return "".join(_group(path, diagnostics, view) for path, diagnostics in found.items())


def _group(path: str, diagnostics: Sequence[Diagnostic], view: View) -> str:
    width = max(len(one.span.start) for one in diagnostics)
    lines = (f"  {one.span.start:<{width}} {line_of(one, view.unsafe, view.paint)}\n" for one in diagnostics)
    return f"{view.paint(path, 'path')}:\n{''.join(lines)}\n"
