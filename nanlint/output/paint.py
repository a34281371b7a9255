"""Colour by role, and links: renderers name what a piece of text is, and only here is said how that looks.

And what a terminal must not obey: the control characters of file names, sources and arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol


class Paint(Protocol):
    """Makes of a text, its role and what it links to what a terminal shows."""

    def __call__(self, text: str, role: str, *, link: str = "") -> str: ...


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


#: what a terminal obeys, but for tabs and ends of lines
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
#: of that, what is ours: colours, and links
_OWN = re.compile(r"(\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b\x07]*\x1b\\)")


def visible(text: str) -> str:
    """A text with its control characters made visible."""

    def picture(found: re.Match[str]) -> str:
        code = ord(found[0])
        return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"

    return _CONTROL.sub(picture, text)


def shown(text: str, *, painted: bool) -> str:
    """What a terminal may be given of a text: what is ``painted`` keeps its colours and links."""
    if not painted:
        return visible(text)
    return "".join(part if number % 2 else visible(part) for number, part in enumerate(_OWN.split(text)))


def plain(text: str, role: str, *, link: str = "") -> str:
    """No colour, no links."""
    return text


def coloured(text: str, role: str, *, link: str = "") -> str:
    """``text`` in the colour of its role, in ANSI."""
    import click

    return click.style(visible(text), **_STYLES[role])


def linking(paint: Paint) -> Paint:
    """``paint`` with links, in OSC 8."""

    def linked(text: str, role: str, *, link: str = "") -> str:
        painted = paint(text, role)
        return f"\x1b]8;;{visible(link)}\x1b\\{painted}\x1b]8;;\x1b\\" if link else painted

    return linked


#: terminals that are known to show links, by the variables they set (https://github.com/Alhadis/OSC8-Adoption)
_TERMS = ("alacritty", "contour", "foot", "rio", "xterm-ghostty", "xterm-kitty", "wezterm")
_PROGRAMS = ("Hyper", "Tabby", "WezTerm", "ghostty", "iTerm.app", "rio", "terminology", "vscode", "zed")
_OWN_VARIABLES = ("DOMTERM", "KONSOLE_VERSION", "WT_SESSION")
_FIRST_VTE = 5000  # 0.50, the version of GNOME's terminal library that shows links


def shows_links(environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether what is printed may hold links; ``FORCE_HYPERLINK`` has the last word, as elsewhere."""
    forced = environment.get("FORCE_HYPERLINK")
    if forced:
        return forced not in ("0", "false", "no")
    if not terminal or environment.get("CI"):
        return False
    version = environment.get("VTE_VERSION", "")
    return (
        environment.get("TERM", "").startswith(_TERMS)
        or environment.get("TERM_PROGRAM") in _PROGRAMS
        or any(environment.get(name) for name in _OWN_VARIABLES)
        or (version.isdigit() and int(version) >= _FIRST_VTE)
    )
