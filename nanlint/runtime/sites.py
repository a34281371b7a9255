"""Sites: the flagged expressions of a file, as the verifier watches them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields

from nanlint.diagnostic import Diagnostic, Probe, Span
from nanlint.runtime.approach import apart

#: how a role of what is sent back to an operand, or comes for the result, begins
GRADIENT_OF = "gradient of "
#: the group of rules about gradients that do not arrive
GRADIENT_PATH = "NL6"
#: and the group about digits that are lost
ROUNDING = "NL5"


@dataclass(frozen=True, kw_only=True)
class Site(Probe):
    """A flagged expression: what is probed there, and the pole that it must not meet.

    ``key`` is the same in every process and run on the same source. ``finding`` is what the finding underlines,
    ``span`` the op's own expression, ``causes`` the lines of what makes it so, with their files.
    """

    key: str
    path: str
    code: str
    finding: Span
    causes: frozenset[tuple[str, int]] = frozenset()

    @property
    def measured(self) -> str:
        """The role whose elements are counted."""
        return self.operand or next((name for name, _, cls in self.poles if cls == "empty"), "result")

    @property
    def loses(self) -> bool:
        """Whether it is about a gradient that does not arrive."""
        return self.code.startswith(GRADIENT_PATH)

    @property
    def extent(self) -> tuple[int, int]:
        """How large its expression is, in lines and columns, for choosing the innermost."""
        return (self.span.end_row - self.span.row, self.span.end_column - self.span.column)

    def covers(self, row: int, column: int) -> bool:
        """Whether what it underlines, or is made of, holds a position."""
        spans = [self.span, self.finding, *(part.span for part in self.parts)]
        return any((s.row, s.column) <= (row, column) < (s.end_row, s.end_column) for s in spans)

    @property
    def lines(self) -> set[int]:
        """The lines that it touches, with those of its parts."""
        spans = [self.span, *(part.span for part in self.parts)]
        return {row for span in spans for row in range(span.row, span.end_row + 1)}


def key_of(code: str, span: Span, digest: str) -> str:
    """What names a finding in the events of a run: its code, its place, the source it is in."""
    return f"{digest}:{span.row}:{span.column}-{span.end_row}:{span.end_column}:{code}"


def code_of(key: str) -> str:
    """The rule of the finding that a key names."""
    return key.rpartition(":")[2]


def digest_of(content: bytes) -> str:
    """What names the content of a file."""
    return hashlib.sha256(content).hexdigest()[:16]


def sites_of(diagnostics: Iterable[Diagnostic], path: str, digest: str) -> tuple[Site, ...]:
    """The findings of a file that can be watched."""
    return tuple(
        site_of(
            diagnostic.probe,
            key=key_of(diagnostic.code, diagnostic.span, digest),
            path=path,
            code=diagnostic.code,
            finding=diagnostic.span,
            causes=[
                (os.path.abspath(cause.path or path), row)
                for cause in diagnostic.causes
                for row in range(cause.span.row, cause.span.end_row + 1)
            ],
        )
        for diagnostic in diagnostics
        if diagnostic.probe is not None
    )


def site_of(
    probe: Probe, *, key: str, path: str, code: str, finding: Span, causes: Iterable[tuple[str, int]] = ()
) -> Site:
    """A site for what is to be watched."""
    watched = {one.name: getattr(probe, one.name) for one in fields(probe)}
    return Site(key=key, path=path, code=code, finding=finding, causes=frozenset(causes), **watched)


def distance(site: Site, least: float, greatest: float, near: float | None = None) -> float | None:
    """How near an operand came to the pole of a site, in its own units; None where its ends do not tell."""
    return apart(site.shift, site.cls, least, greatest, near)
