"""What the user has set in the editor -> one frozen, validated Settings. Words of the command line, in camelCase.

They come as ``initializationOptions`` (the settings themselves, or under ``settings`` or ``nanlint``) and by
``workspace/configuration``. What cannot be read is told once, and the others hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanlint.config import CONFIDENCES, Options
from nanlint.keys import KEYS
from nanlint.selection import did_you_mean

MODES = ("openFilesOnly", "workspace")


@dataclass(frozen=True)
class Settings(Options):
    """The settings of one workspace folder.

    ``enable``: check at all. ``fix_all``: offer ``source.fixAll.nanlint``. ``unsafe_fixes``: fix all applies unsafe
    fixes, too. ``syntax_errors``: show where a file stops being Python. ``mode``: whether files that are not open are
    checked, too. ``trust``: whether rule files run.
    """

    enable: bool = True
    fix_all: bool = True
    syntax_errors: bool = True
    mode: str = MODES[0]
    trust: bool = False


@dataclass(frozen=True)
class _Kind:
    """One setting: its field, its value as it is read (None: it does not fit), its schema, and its description."""

    field: str
    expected: str
    read: Callable[[Any], Any]
    schema: Mapping[str, Any]
    about: str

    @property
    def default(self) -> Any:
        """The value that it has if it is not set, as JSON."""
        nullable = "null" in self.schema["type"]
        return None if nullable else getattr(Settings(), self.field, [])


def _one_of(choices: Any) -> str:
    return "one of " + ", ".join(f'"{choice}"' for choice in choices)


_BOOLEAN: Mapping[str, Any] = {"type": "boolean"}
_STRING: Mapping[str, Any] = {"type": ["string", "null"]}
_LIST: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_LIST_OR_NOT: Mapping[str, Any] = {"type": ["array", "null"], "items": {"type": "string"}}


def _flagged(field: str, about: str) -> _Kind:
    return _Kind(field, "true or false", lambda value: value if isinstance(value, bool) else None, _BOOLEAN, about)


def _key(field: str, about: str, schema: Mapping[str, Any] = _LIST) -> _Kind:
    """A key of the configuration, under the name that it has as an option."""
    key = KEYS[field.replace("_", "-")]
    expected = _one_of(key.schema["enum"]) if "enum" in key.schema else f"a {key.kind}"
    return _Kind(field, expected, lambda value: value if key.fits(value) else None, schema, about)


#: the settings by the names that editors give them
KINDS: Mapping[str, _Kind] = {
    "enable": _flagged("enable", "Check the files of this folder."),
    "configuration": _Kind(
        "config",
        "the path of a file",
        lambda value: (os.path.expanduser(value),) if isinstance(value, str) and value else None,
        _STRING,
        "Path of the one configuration file to use.",
    ),
    "select": _key("select", "Rules to check: codes, prefixes or names.", _LIST_OR_NOT),
    "extendSelect": _key("extend_select", "Rules to check in addition to the selected ones."),
    "ignore": _key("ignore", "Rules to ignore: codes, prefixes or names."),
    "exclude": _key("exclude", "Patterns of files that are not checked.", _LIST_OR_NOT),
    "confidence": _key("confidence", "Lowest confidence level to show.", {**_STRING, "enum": [None, *CONFIDENCES]}),
    "fixAll": _flagged("fix_all", "Offer source.fixAll.nanlint."),
    "unsafeFixes": _flagged("unsafe_fixes", "Also apply unsafe fixes when all problems of a file are fixed."),
    "showSyntaxErrors": _flagged("syntax_errors", "Show syntax errors."),
    "diagnosticMode": _Kind(
        "mode",
        _one_of(MODES),
        lambda value: value if value in MODES else None,
        {"type": "string", "enum": [*MODES]},
        "Which files are checked.",
    ),
    "trust": _flagged("trust", "Run the rule files of projects without asking."),
}


def settings_of(given: Any, *, initial: bool = False) -> tuple[Settings, tuple[str, ...]]:
    """The settings, and what is wrong with those that do not count.

    ``initial``: they are the editor's own; others may come with a folder, which cannot say that it is to be trusted.
    """
    for key in ("settings", "nanlint"):
        if isinstance(given, Mapping) and isinstance(given.get(key), Mapping):
            given = given[key]
    if given is None:
        return Settings(), ()
    if not isinstance(given, Mapping):
        return Settings(), (f"nanlint's settings: expected an object, got {given!r}",)
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in given.items():
        kind = KINDS.get(name)
        if kind is None:
            problems.append(f'nanlint\'s settings: unknown setting "{name}"{did_you_mean(str(name), KINDS)}')
        elif name == "trust" and not initial:
            problems.append("nanlint's settings: trust is only read from initializationOptions")
        elif value not in (None, ""):  # a field that was cleared is not set
            read = kind.read(value)
            if read is None:
                problems.append(f"nanlint's settings: {name}: expected {kind.expected}, got {value!r}")
            else:
                values[kind.field] = read
    return Settings.of(**values), tuple(problems)
