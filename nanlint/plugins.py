"""Rules and ops that are not nanlint's own: those of installed packages, and rule files that a configuration names.

A plugin is a module: the rules that it enters, the ops that it defines, and its ``SPELLINGS``, a table such as those
of the frameworks. It is a part of the program and is run as such; who installs it, or names it in a configuration,
trusts it. Code that is checked is never run.
"""

from __future__ import annotations

import glob
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType

from nanlint.config import ConfigError
from nanlint.disk import reason
from nanlint.entry_points import installed
from nanlint.ops.catalogue import enter_table, leave_table, nearest
from nanlint.ops.op import OPS
from nanlint.ops.spelling import SpellingError
from nanlint.rules.registry import RULES
from nanlint.selection import Rules

#: the codes that are nanlint's own
RESERVED = "NL"

_CODE = re.compile(r"([A-Z]+)([0-9]+)")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class PluginError(ConfigError):
    """A plugin that cannot be used. The message names it, and what is wrong."""


@dataclass(frozen=True)
class _Loaded:
    """What a rule file was when it was loaded, and what it entered."""

    stamp: tuple[int, int]
    codes: tuple[str, ...]
    ops: tuple[str, ...]
    origin: str


_files: dict[str, _Loaded] = {}
_installed: bool = False


# Installed packages


def load_installed() -> None:
    """Load the plugins of installed packages, once. Raises PluginError."""
    global _installed
    if _installed:
        return
    _installed = True
    try:
        for point in installed():
            package = point.dist.name if point.dist is not None else point.value
            origin = f"{package} (entry point {point.group}: {point.name} = {point.value})"
            with _entering(origin):
                _take_table(point.load(), origin)
    except BaseException:
        _installed = False
        raise


# Rule files


def rule_files(patterns: Sequence[str], root: str) -> tuple[str, ...]:
    """The files that patterns relative to ``root`` name, sorted; those whose names begin with _ are for the others.

    Raises PluginError for a pattern that names none.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        paths = glob.glob(os.path.join(glob.escape(root), pattern), recursive=True)
        files = sorted(path for path in paths if os.path.isfile(path) and not os.path.basename(path).startswith("_"))
        if not files:
            raise PluginError(f'"{pattern}" matches no file')
        found.update(dict.fromkeys(map(os.path.abspath, files)))
    return tuple(found)


def load_files(paths: Sequence[str]) -> Rules:
    """Load rule files that are new or have changed; the rules that they hold. Raises PluginError."""
    for path in paths:
        _load_file(path)
    return {code: RULES[code].name for path in paths for code in _files[path].codes}


def is_file(code: str) -> bool:
    """Whether a rule is from a rule file: it counts only where a configuration names the file."""
    return any(code in loaded.codes for loaded in _files.values())


def _load_file(path: str) -> None:
    shown = os.path.relpath(path) if not os.path.relpath(path).startswith("..") else path
    try:
        status = os.stat(path)
    except OSError as error:
        raise PluginError(f"{shown}: could not be read: {reason(error)}") from None
    stamp = (status.st_mtime_ns, status.st_size)
    known = _files.get(path)
    if known is not None and known.stamp == stamp:
        return
    if known is not None:
        _forget(path)
    before = OPS.keys() | set()
    with _entering(shown, needs_rules=True) as codes:
        _take_table(_executed(path), shown)
    _files[path] = _Loaded(stamp, tuple(codes), tuple(OPS.keys() - before), shown)


def _forget(path: str) -> None:
    loaded = _files.pop(path)
    for code in loaded.codes:
        RULES.pop(code, None)
    for name in loaded.ops:
        OPS.pop(name, None)
    leave_table(loaded.origin)


def _executed(path: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    stem = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    name = f"nanlint_rule_file_{stem}_{abs(hash(path))}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path}: is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = written
    return module


# What a plugin may enter


@contextmanager
def _entering(origin: str, *, needs_rules: bool = False) -> Iterator[list[str]]:
    """Take what the plugin enters, if it is as it must be; nothing of it otherwise. The codes of its rules, then."""
    rules, ops, codes = dict(RULES), dict(OPS), list[str]()
    try:
        yield codes
        codes += [code for code in RULES if code not in rules]
        _check_ops(ops, origin)
        _check_rules(rules, origin)
        if needs_rules and not codes:
            raise PluginError("defines no rule (a rule is a function with the decorator @rule of nanlint.authoring)")
    except BaseException as error:
        RULES.clear()
        RULES.update(rules)
        OPS.clear()
        OPS.update(ops)
        leave_table(origin)
        if isinstance(error, PluginError):
            raise PluginError(_about(origin, str(error))) from None
        if isinstance(error, SpellingError):
            raise PluginError(f"{origin}: SPELLINGS: {error}") from None
        if isinstance(error, Exception | SystemExit):
            raise PluginError(f"{origin}: cannot be loaded: {_told(error)}") from None
        raise


def _about(origin: str, message: str) -> str:
    return message if message.startswith(origin) else f"{origin}: {message}"


def _told(error: BaseException) -> str:
    """An error with the line that it comes from."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" (line {frames[-1].lineno} of {os.path.basename(frames[-1].filename)})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _check_ops(before: Mapping[str, object], origin: str) -> None:
    for name, op in before.items():
        if OPS.get(name) is not op:
            raise PluginError(f"the op {name!r} is already in the catalogue; choose another name")


def _check_rules(before: Mapping[str, object], origin: str) -> None:
    for code, known in before.items():
        if RULES.get(code) is not known:
            other = getattr(known, "origin", "")
            raise PluginError(
                f"the code {code} is taken{f', by {other}' if other else ': it is one of nanlint itself'}"
            )
    names = {rule.name: code for code, rule in RULES.items() if code in before}
    for code in [code for code in RULES if code not in before]:
        rule = RULES[code]
        _check_form(code, rule.name)
        if rule.name in names:
            raise PluginError(f"{code}: the name {rule.name} is taken, by {names[rule.name]}")
        if not rule.page.strip():
            raise PluginError(
                f"{code}: has no page for `nanlint rule {code}`: write {rule.name}.md beside it, or a docstring"
            )
        if not rule.hazards | rule.nodes:
            raise PluginError(f"{code}: names no operations to check; pass hazards=… or nodes=…")
        for op in sorted(rule.hazards | rule.nodes):
            if op not in OPS:
                raise PluginError(f"{code}: no op named {op!r} in the catalogue{nearest(op)}")
        names[rule.name] = code
        RULES[code] = replace(rule, origin=origin)


def check_identity(code: str, name: str) -> None:
    """Whether a new rule may have this code and name. Raises PluginError."""
    _check_form(code, name)
    for rule in RULES.values():
        if code == rule.code or name == rule.name:
            word = f"the code {code}" if code == rule.code else f"the name {name}"
            raise PluginError(f"{word} is taken, by {rule.name} ({rule.code})")


def _check_form(code: str, name: str) -> None:
    parts = _CODE.fullmatch(code)
    if parts is None:
        raise PluginError(f"the code {code!r} must be capital letters and digits, such as ABC101")
    if parts[1] == RESERVED:
        raise PluginError(f"the code {code}: {RESERVED} is for nanlint's own rules; choose another prefix")
    if _NAME.fullmatch(name) is None:
        raise PluginError(f"{code}: the name {name!r} must be words in lower case with dashes between them")


def _take_table(loaded: object, origin: str) -> None:
    """The spelling table of a plugin: the object itself, or ``SPELLINGS`` of a module."""
    table = loaded if isinstance(loaded, Mapping) else getattr(loaded, "SPELLINGS", None)
    if table is None:
        return
    if not isinstance(table, Mapping) or not all(isinstance(x, str) for item in table.items() for x in item):
        raise PluginError("SPELLINGS: expected a table of signature and meaning, both strings")
    enter_table(origin, table)
