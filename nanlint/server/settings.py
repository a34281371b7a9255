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
    """How one setting is read: its field, what is expected of it, and its value (None: it does not fit)."""

    field: str
    expected: str
    read: Callable[[Any], Any]


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


#: the settings by the names that editors give them
KINDS: Mapping[str, _Kind] = {
    "enable": _Kind("enable", "true or false", _flag),
    "configuration": _Kind("configuration", "the path of a file", _path),
    "select": _Kind("select", "a list of rules", _strings),
    "extendSelect": _Kind("extend_select", "a list of rules", _strings),
    "ignore": _Kind("ignore", "a list of rules", _strings),
    "exclude": _Kind("exclude", "a list of patterns", _strings),
    "confidence": _Kind("confidence", _one_of(CONFIDENCES), _confidence),
    "fixAll": _Kind("fix_all", "true or false", _flag),
    "unsafeFixes": _Kind("unsafe_fixes", "true or false", _flag),
    "showSyntaxErrors": _Kind("syntax_errors", "true or false", _flag),
    "diagnosticMode": _Kind("mode", _one_of(MODES), _mode),
    "trust": _Kind("trust", "true or false", _flag),
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
            problems.append("nanlint's settings: trust counts in initializationOptions only")
        elif value is not None:
            read = kind.read(value)
            if read is None:
                problems.append(f"nanlint's settings: {name}: expected {kind.expected}, got {value!r}")
            else:
                values[kind.field] = read
    return Settings(**values), tuple(problems)
