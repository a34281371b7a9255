"""``--output-format concise``: one finding a line, as editors and grep like it."""

from __future__ import annotations

from collections.abc import Iterable

from nanlint.diagnostic import Diagnostic
from nanlint.lint.fixing import applicable
from nanlint.output.address import link_to
from nanlint.output.paint import Paint, plain
from nanlint.output.view import View


def render(view: View) -> str:
    return render_concise((one for _, one in view.findings()), unsafe=view.unsafe, paint=view.paint)


def render_concise(diagnostics: Iterable[Diagnostic], *, unsafe: bool = False, paint: Paint = plain) -> str:
    """``path:row:col: CODE [*] message (confidence)`` and a newline for each; [*] where --fix would act."""
    return "".join(_line(diagnostic, unsafe, paint) + "\n" for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic, unsafe: bool, paint: Paint) -> str:
    return f"{paint(diagnostic.path, 'path')}:{diagnostic.span.start}: {line_of(diagnostic, unsafe, paint)}"


def line_of(diagnostic: Diagnostic, unsafe: bool, paint: Paint) -> str:
    """A finding without its place: ``CODE [*] message (confidence)``."""
    mark = paint("[*] ", "mark") if applicable(diagnostic, unsafe=unsafe) else ""
    code = paint(diagnostic.code, str(diagnostic.severity), link=link_to(diagnostic.code, diagnostic.name))
    return f"{code} {mark}{diagnostic.sentence} ({diagnostic.confidence})"
