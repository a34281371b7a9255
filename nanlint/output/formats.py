"""Which formats there are, for ``--output-format`` and ``--output``, and in which module each is rendered."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from nanlint.output.view import View


class Format(NamedTuple):
    """A format: the module whose ``render`` makes it of a View, and whether a person reads it (and its footer).

    ``dated``: whether it says when the check was made.
    """

    module: str
    for_people: bool = False
    dated: bool = False


FORMATS = {
    "full": Format("full", for_people=True),
    "concise": Format("concise", for_people=True),
    "grouped": Format("grouped", for_people=True),
    "json": Format("json"),
    "json-lines": Format("json_lines"),
    "sarif": Format("sarif", dated=True),
    "github": Format("github"),
    "gitlab": Format("gitlab"),
    "junit": Format("junit", dated=True),
    "rdjson": Format("rdjson"),
    "azure": Format("azure"),
    "markdown": Format("markdown"),
    "html": Format("html", dated=True),
}


def render(name: str, view: View) -> str:
    """``view`` in the format of that name."""
    rendered: Callable[[View], str] = import_module(f"nanlint.output.{FORMATS[name].module}").render
    return rendered(view)
