"""Which formats there are, for ``--output-format`` and ``--output``, and in which module each is rendered."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanlint.output.view import View


class Format(NamedTuple):
    """A format: the module whose ``render`` makes it of a View, and whether a person reads it (and its footer).

    ``has_edits``: whether who reads it can make the fixes.
    ``dated``: whether it says when the check was made.
    """

    module: str
    for_people: bool = False
    has_edits: bool = False
    dated: bool = False


FORMATS = {
    "full": Format("full", for_people=True),
    "concise": Format("concise", for_people=True),
    "grouped": Format("grouped", for_people=True),
    "json": Format("json", has_edits=True),
    "json-lines": Format("json_lines", has_edits=True),
    "sarif": Format("sarif", has_edits=True, dated=True),
    "github": Format("github"),
    "gitlab": Format("gitlab"),
    "junit": Format("junit", dated=True),
    "rdjson": Format("rdjson", has_edits=True),
    "azure": Format("azure"),
    "markdown": Format("markdown", has_edits=True),
    "html": Format("html", has_edits=True, dated=True),
}


def render(name: str, view: View) -> str:
    """``view`` in the format of that name."""
    rendered: Callable[[View], str] = import_module(f"nanlint.output.{FORMATS[name].module}").render
    return rendered(view)
