"""``--diff``: what ``--fix`` would change, as a unified diff that patch and git apply understand."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator

from nanlint.output.paint import Paint, plain
from nanlint.source.text import Source


def render_diff_of(before: Source, after: Source, *, paint: Paint = plain) -> str:
    """The diff of a file, of a notebook by cell."""
    pairs = zip(before.parts, after.parts, strict=True)
    return "".join(render_diff(label, old, new, paint=paint) for (label, old), (_, new) in pairs)


def render_diff(path: str, before: str, after: str, *, paint: Paint = plain) -> str:
    """The diff of one file, empty if nothing changes."""
    lines = difflib.unified_diff(_lines(before), _lines(after), path, path)
    return "".join(_painted(lines, paint))


def _lines(text: str) -> list[str]:
    # Only these three end a line in Python; str.splitlines would also break at form feeds and others.
    return list(io.StringIO(text, newline=""))


def _painted(lines: Iterator[str], paint: Paint) -> Iterator[str]:
    roles = {"+": "added", "-": "removed", "@": "hunk"}
    for line in lines:
        body = line.rstrip("\r\n")
        end = line[len(body) :] or "\n\\ No newline at end of file\n"
        role = roles.get(line[:1])
        yield (paint(body, role) if role else body) + end
