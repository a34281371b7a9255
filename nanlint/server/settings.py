"""What the user has set in the editor -> one frozen, validated Settings. Words of the command line, in camelCase.

They come as ``initializationOptions`` (the settings themselves, or under ``settings`` or ``nanlint``) and by
``workspace/configuration``. What cannot be read is told once, and the others hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanlint.config import CONFIDENCES, Layer, options
from nanlint.diagnostic import Confidence
from nanlint.selection import did_you_mean

MODES = ("openFilesOnly", "workspace")


@dataclass(frozen=True)
class Settings:
    """The settings of one workspace folder.

    ``enable``: check at all. ``configuration``: the one configuration file to use. ``fix_all``: offer
    ``source.fixAll.nanlint``. ``unsafe_fixes``: fix all applies unsafe fixes, too. ``syntax_errors``: show where a file
    stops being Python. ``mode``: whether files that are not open are checked, too. ``trust``: whether rule files run.
    """

    enable: bool = True
    configuration: str | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] | None = None
    confidence: Confidence | None = None
    fix_all: bool = True
    unsafe_fixes: bool = False
    syntax_errors: bool = True
    mode: str = MODES[0]
    trust: bool = False

    @property
    def overrides(self) -> Layer:
        """What is said over the configuration file, as by the command line."""
        return options(
            select=self.select,
            extend_select=self.extend_select,
            ignore=self.ignore,
            confidence=None if self.confidence is None else str(self.confidence),
            exclude=self.exclude,
        )


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
        value = getattr(Settings(), self.field)
        return list(value) if isinstance(value, tuple) else value


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _path(value: Any) -> str | None:
    return os.path.expanduser(value) if isinstance(value, str) and value else None


def _strings(value: Any) -> tuple[str, ...] | None:
    fits = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    return tuple(value) if fits else None


def _confidence(value: Any) -> Confidence | None:
    return CONFIDENCES.get(value) if isinstance(value, str) else None


def _mode(value: Any) -> str | None:
    return value if value in MODES else None


def _one_of(choices: Any) -> str:
    return "one of " + ", ".join(f'"{choice}"' for choice in choices)


_BOOLEAN: Mapping[str, Any] = {"type": "boolean"}
_STRING: Mapping[str, Any] = {"type": ["string", "null"]}
_LIST: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_LIST_OR_NOT: Mapping[str, Any] = {"type": ["array", "null"], "items": {"type": "string"}}


def _flagged(field: str, about: str) -> _Kind:
    return _Kind(field, "true or false", _flag, _BOOLEAN, about)


def _rules(field: str, about: str, schema: Mapping[str, Any] = _LIST) -> _Kind:
    return _Kind(field, "a list of rules", _strings, schema, about)


#: the settings by the names that editors give them
KINDS: Mapping[str, _Kind] = {
    "enable": _flagged("enable", "Check the files of this folder."),
    "configuration": _Kind(
        "configuration", "the path of a file", _path, _STRING, "Path of the one configuration file to use."
    ),
    "select": _rules("select", "Rules to check: codes, prefixes or names.", _LIST_OR_NOT),
    "extendSelect": _rules("extend_select", "Rules to check in addition to the selected ones."),
    "ignore": _rules("ignore", "Rules to ignore: codes, prefixes or names."),
    "exclude": _Kind(
        "exclude", "a list of patterns", _strings, _LIST_OR_NOT, "Patterns of files that are not checked."
    ),
    "confidence": _Kind(
        "confidence",
        _one_of(CONFIDENCES),
        _confidence,
        {**_STRING, "enum": [None, *CONFIDENCES]},
        "Lowest confidence level to show.",
    ),
    "fixAll": _flagged("fix_all", "Offer source.fixAll.nanlint."),
    "unsafeFixes": _flagged("unsafe_fixes", "Also apply unsafe fixes when all problems of a file are fixed."),
    "showSyntaxErrors": _flagged("syntax_errors", "Show syntax errors."),
    "diagnosticMode": _Kind(
        "mode", _one_of(MODES), _mode, {"type": "string", "enum": [*MODES]}, "Which files are checked."
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
    return Settings(**values), tuple(problems)
