"""``--output-format grouped``: findings under the name of their file."""

from __future__ import annotations

from nanlint.diagnostic import Diagnostic
from nanlint.fixing import applicable
from nanlint.output.address import link_to
from nanlint.output.view import View


def render(view: View) -> str:
    """``path:``, its findings as ``row:column CODE [*] message (confidence)`` in columns, and an empty line."""
    groups = []
    for file in view.report.files:
        if file.diagnostics:
            width = max(len(one.span.start) for one in file.diagnostics)
            lines = (f"  {one.span.start:<{width}} {_line(one, view)}\n" for one in file.diagnostics)
            groups.append(f"{view.paint(file.path, 'path')}:\n{''.join(lines)}\n")
    return "".join(groups)


def _line(diagnostic: Diagnostic, view: View) -> str:
    mark = view.paint("[*] ", "mark") if applicable(diagnostic, unsafe=view.unsafe) else ""
    code = view.paint(diagnostic.code, str(diagnostic.severity), link=link_to(diagnostic.code, diagnostic.name))
    return f"{code} {mark}{diagnostic.message} ({diagnostic.confidence})"
