"""Colour by role: renderers name what a piece of text is, and only here is said how that looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Paint = Callable[[str, str], str]

_STYLES: dict[str, dict[str, Any]] = {
    "path": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
    "gutter": {"fg": "blue"},
    "cause": {"fg": "blue", "bold": True},
    "effect": {"fg": "red", "bold": True},
    "mark": {"fg": "cyan"},
    "note": {"bold": True},
    "added": {"fg": "green"},
    "removed": {"fg": "red"},
    "hunk": {"fg": "cyan"},
}


def plain(text: str, role: str) -> str:
    """No colour."""
    return text


def coloured(text: str, role: str) -> str:
    """``text`` in the colour of its role, in ANSI."""
    import click

    return click.style(text, **_STYLES[role])
