"""``--output-format grouped``: findings under the name of their file."""

from __future__ import annotations

from nanlint.diagnostic import Diagnostic
from nanlint.lint.fixing import applicable
from nanlint.output.address import link_to
from nanlint.output.view import View


def render(view: View) -> str:
    """``path:``, its findings as ``row:column CODE [*] message (confidence)`` in columns, and an empty line."""
    groups = []
    found: dict[str, list[Diagnostic]] = {}
    for file, one in view.findings():
        found.setdefault(file.path, []).append(one)
    for path, diagnostics in found.items():
        width = max(len(one.span.start) for one in diagnostics)
        lines = (f"  {one.span.start:<{width}} {_line(one, view)}\n" for one in diagnostics)
        groups.append(f"{view.paint(path, 'path')}:\n{''.join(lines)}\n")
    return "".join(groups)


def _line(diagnostic: Diagnostic, view: View) -> str:
    mark = view.paint("[*] ", "mark") if applicable(diagnostic, unsafe=view.unsafe) else ""
    code = view.paint(diagnostic.code, str(diagnostic.severity), link=link_to(diagnostic.code, diagnostic.name))
    return f"{code} {mark}{diagnostic.sentence} ({diagnostic.confidence})"
