"""``[tool.nanlint]`` in pyproject.toml, or nanlint.toml, and the command line over it -> one frozen, validated Config.

The rules come in as an argument (code -> name): this module knows how they are selected, not what they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from nanlint.diagnostic import Confidence, Severity
from nanlint.keys import DEFAULT_EXCLUDE, KEYS
from nanlint.opening import read_regular, reason
from nanlint.selection import Rules, always_on, codes_of, did_you_mean, select_codes, specificity

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

T = TypeVar("T")


class ConfigError(Exception):
    """Configuration that cannot be used. The message names the file (or option), the key and the nearest right one.

    ``file``: the absolute path of the configuration file at fault, where it is one.
    """

    file: str | None = None


@dataclass(frozen=True)
class PathPatterns:
    """Patterns in .gitignore's language, relative to ``root`` (an absolute directory)."""

    root: str
    patterns: tuple[str, ...]

    def names(self, path: str) -> bool:
        """Whether a plain name (``build``) is that of ``path``; a walk from the top need not seek it in the parents."""
        return os.path.basename(path) in _plain_names(self.patterns)

    def globs(self, path: str, *, directory: bool) -> bool:
        """Whether a pattern with a directory or a wildcard means the absolute ``path``."""
        globs = _globs(self.patterns)
        return bool(globs) and _spec(globs).match_file(self._relative(path) + "/" * directory)

    def covers(self, path: str) -> bool:
        """Whether the absolute ``path`` of a file, or a directory that holds it, is meant."""
        return _spec(self.patterns).match_file(self._relative(path))

    def _relative(self, path: str) -> str:
        relative = os.path.relpath(path, self.root)
        # Outside the root only patterns without a directory can mean anything.
        return os.path.basename(path) if relative.startswith("..") else relative


def _is_plain(pattern: str) -> bool:
    return not any(sign in pattern for sign in "*?[!/\\# ")


@cache
def _plain_names(patterns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(filter(_is_plain, patterns))


@cache
def _globs(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern for pattern in patterns if not _is_plain(pattern))


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    # Imported here: the default patterns are plain names, and start-up should not pay for what it does not use.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


@dataclass(frozen=True)
class PerFileIgnore:
    """Rules not selected in the files that ``files`` matches (``negated``: in all others)."""

    files: PathPatterns
    codes: frozenset[str]
    negated: bool = False

    def applies(self, path: str) -> bool:
        """Whether the absolute ``path`` is one of the files."""
        return self.files.covers(path) != self.negated


@dataclass(frozen=True)
class Config:
    """What to check and how to show it, for all files under one configuration file.

    ``rule_files``: those that were loaded. ``untrusted``: the patterns of those that were not, as nobody has said that
    they may run.
    """

    file: str | None
    selected: frozenset[str]
    exclude: tuple[PathPatterns, ...]
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    severity: Mapping[str, Severity] = field(default_factory=dict)
    ops: Mapping[str, object] = field(default_factory=dict)
    respect_gitignore: bool = True
    prove_timeout: float = 5.0
    baseline: str | None = None
    rule_files: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()

    def selects(self, code: str) -> bool:
        """Whether the rule is enabled."""
        return code in self.selected

    def excludes(self, path: str, *, directory: bool, named: str) -> bool:
        """Whether a walk of the directory ``named`` by the user leaves out the absolute ``path`` below it.

        Who names a directory that a pattern excludes wants it checked: then only plain names exclude what is in it.
        """
        if any(patterns.names(path) for patterns in self.exclude):
            return True
        return any(
            patterns.globs(path, directory=directory) and not patterns.globs(named, directory=True)
            for patterns in self.exclude
        )

    def excludes_file(self, path: str) -> bool:
        """Whether a pattern means the absolute ``path`` of a file or a directory above it, whoever names it."""
        return any(patterns.covers(path) for patterns in self.exclude)

    def for_file(self, path: str) -> Config:
        """The same configuration with per-file-ignores settled for one absolute ``path``."""
        if not self.per_file_ignores:
            return self
        ignored = frozenset[str]().union(*(entry.codes for entry in self.per_file_ignores if entry.applies(path)))
        return replace(self, selected=self.selected - ignored, per_file_ignores=())


@dataclass(frozen=True)
class Overrides:
    """What the command line says; None and () where it says nothing. Its word is heard after the file's."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    confidence: Confidence | None = None
    exclude: tuple[str, ...] | None = None
    respect_gitignore: bool | None = None
    prove_timeout: float | None = None
    baseline: str | None = None

    @property
    def names_no_rules(self) -> bool:
        """Whether no rule is selected or ignored."""
        return not (self.select or self.extend_select or self.ignore)


# The table


OpsProblem = Callable[[Mapping[str, object]], str | None]


#: the rule files that patterns name, relative to a directory, and the rules that they hold; None if the configuration
#: file that names them, where it is one, is not trusted; raises ConfigError
RulesIn = Callable[[Sequence[str], str, str | None], tuple[tuple[str, ...], Rules] | None]


def no_rules(patterns: Sequence[str], root: str, file: str | None) -> tuple[tuple[str, ...], Rules] | None:
    """Holds no rules: for those who load none."""
    return (), {}


def no_problem(ops: Mapping[str, object]) -> str | None:
    """Says nothing against the user's ops: for those who have no catalogue to hold them against."""
    return None


def _known(selector: str, rules: Rules, where: str, untrusted: Sequence[str]) -> str:
    """``selector``; raises ConfigError if it means no rule, nor can mean one that was not loaded."""
    if untrusted or codes_of(selector, rules):
        return selector
    prefixes = {code[:length] for code in rules for length in range(2, len(code) + 1)}
    hint = did_you_mean(selector, (*sorted(rules), *sorted(rules.values()), *sorted(prefixes - set(rules)), "ALL"))
    raise ConfigError(f'{where}: unknown rule "{selector}"{hint}')


@dataclass(frozen=True)
class _Table:
    """A TOML table with the words to complain about it."""

    where: str
    values: Mapping[str, Any]

    def take(self, key: str, expected: str, fits: Callable[[Any], bool], default: T) -> T:
        value = self.values.get(key)
        if value is None:
            return default
        if not fits(value):
            raise ConfigError(f"{self.where}: {key}: expected {expected}, got {_described(value)}")
        taken: T = value
        return taken

    def strings(self, key: str) -> tuple[str, ...] | None:
        taken: list[str] | None = self.take(key, "a list of strings", _is_strings, None)
        return None if taken is None else tuple(taken)

    def table(self, key: str) -> Mapping[str, Any]:
        empty: Mapping[str, Any] = {}
        return self.take(key, "a table", lambda value: isinstance(value, dict), empty)


def _is_strings(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _described(value: object) -> str:
    shown = repr(value)
    kind = {str: "the string", bool: "the boolean", int: "the number", float: "the number", list: "the list"}
    return f"{kind.get(type(value), 'the ' + type(value).__name__)} {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _choice(where: str, key: str, value: object, choices: Mapping[str, T]) -> T:
    if isinstance(value, str) and value in choices:
        return choices[value]
    expected = ", ".join(f'"{choice}"' for choice in choices)
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    raise ConfigError(f"{where}: {key}: expected one of {expected}, got {_described(value)}{hint}")


CONFIDENCES = {str(level): level for level in Confidence}
SEVERITIES = {str(level): level for level in Severity}


def config_of(
    table: Mapping[str, Any],
    rules: Rules,
    *,
    root: str,
    where: str,
    file: str | None = None,
    overrides: Overrides = Overrides(),
    ops_problem: OpsProblem = no_problem,
    rules_in: RulesIn = no_rules,
) -> Config:
    """Validate a ``[tool.nanlint]`` table and lay the command line over it.

    ``root`` is the absolute directory that patterns are relative to, ``where`` names the table in messages,
    ``ops_problem`` says what is wrong with the user's ops, ``rules_in`` loads rule files. Raises ConfigError.
    """
    for key in table:
        if key == "tool":
            raise ConfigError(f"{where}: [tool.nanlint] is for pyproject.toml; here the keys stand at the top")
        if key not in KEYS:
            raise ConfigError(f'{where}: unknown key "{key}"{did_you_mean(key, KEYS)}')
    values = _Table(where, table)
    loaded = _rule_files(values, root, file, rules_in)
    rule_files, more = loaded or ((), {})
    untrusted = () if loaded is not None else values.strings("rules") or ()
    rules = {**rules, **more}
    for option, selectors in _selectors_of(overrides):
        for selector in selectors:
            _known(selector, rules, option, untrusted)
    for key in ("select", "extend-select", "ignore"):
        for selector in values.strings(key) or ():
            _known(selector, rules, f"{where}: {key}", untrusted)

    everything = frozenset(rules)
    selected = select_codes(
        rules,
        everything,
        select=values.strings("select"),
        extend_select=values.strings("extend-select") or (),
        ignore=values.strings("ignore") or (),
    )
    selected = select_codes(
        rules,
        selected,
        select=overrides.select,
        extend_select=overrides.extend_select,
        ignore=overrides.ignore,
    )
    confidence = overrides.confidence
    if confidence is None:
        confidence = _choice(where, "confidence", table.get("confidence", str(Confidence.LIKELY)), CONFIDENCES)
    gitignore = overrides.respect_gitignore
    if gitignore is None:
        gitignore = values.take("respect-gitignore", "true or false", lambda value: isinstance(value, bool), True)
    timeout = overrides.prove_timeout
    if timeout is None:
        timeout = values.take("prove-timeout", "a positive number of seconds", _is_positive, 5.0)
    return Config(
        file=file,
        selected=selected | always_on(rules, [*(values.strings("ignore") or ()), *overrides.ignore]),
        exclude=_excludes(values, root, overrides),
        per_file_ignores=_per_file_ignores(values, rules, root, untrusted),
        confidence=confidence,
        severity=_severities(values, rules, untrusted),
        ops=_ops(values, ops_problem),
        respect_gitignore=gitignore,
        prove_timeout=float(timeout),
        baseline=_baseline(values, root, overrides),
        rule_files=rule_files,
        untrusted=untrusted,
    )


def _rule_files(values: _Table, root: str, file: str | None, rules_in: RulesIn) -> tuple[tuple[str, ...], Rules] | None:
    patterns = values.strings("rules")
    if not patterns:
        return (), {}
    try:
        return rules_in(patterns, root, file)
    except ConfigError as error:
        raise ConfigError(f"{values.where}: rules: {error}") from None


def _selectors_of(overrides: Overrides) -> Iterable[tuple[str, tuple[str, ...]]]:
    yield "--select", overrides.select or ()
    yield "--extend-select", overrides.extend_select
    yield "--ignore", overrides.ignore


def _baseline(values: _Table, root: str, overrides: Overrides) -> str | None:
    if overrides.baseline is not None:
        return os.path.abspath(overrides.baseline)
    own = values.take("baseline", "the name of a file", lambda value: isinstance(value, str) and value != "", None)
    return None if own is None else os.path.normpath(os.path.join(root, own))


def _excludes(values: _Table, root: str, overrides: Overrides) -> tuple[PathPatterns, ...]:
    own = values.strings("exclude")
    extended = values.strings("extend-exclude") or ()
    if overrides.exclude is not None:
        base = PathPatterns(os.getcwd(), overrides.exclude)
    else:
        base = PathPatterns(root, DEFAULT_EXCLUDE if own is None else own)
    return (base, PathPatterns(root, extended)) if extended else (base,)


def _per_file_ignores(values: _Table, rules: Rules, root: str, untrusted: Sequence[str]) -> tuple[PerFileIgnore, ...]:
    entries = []
    where = f"{values.where}: per-file-ignores"
    inner = _Table(where, values.table("per-file-ignores"))
    for pattern in inner.values:
        selectors = inner.strings(pattern) or ()
        codes = frozenset[str]().union(
            *(codes_of(_known(one, rules, f"{where}: {pattern}", untrusted), rules) for one in selectors)
        )
        files = PathPatterns(root, (pattern.removeprefix("!"),))
        entries.append(PerFileIgnore(files, codes, negated=pattern.startswith("!")))
    return tuple(entries)


def _severities(values: _Table, rules: Rules, untrusted: Sequence[str]) -> Mapping[str, Severity]:
    where = f"{values.where}: severity"
    levels = values.table("severity")
    for selector in levels:
        _known(selector, rules, where, untrusted)
    chosen: dict[str, Severity] = {}
    for selector in sorted(levels, key=lambda selector: specificity(selector, rules)):
        level = _choice(where, selector, levels[selector], SEVERITIES)
        chosen.update(dict.fromkeys(sorted(codes_of(selector, rules)), level))
    return chosen


def _ops(values: _Table, ops_problem: OpsProblem) -> Mapping[str, object]:
    ops = values.table("ops")
    for name, spelled in ops.items():
        if not isinstance(spelled, str | dict):
            raise ConfigError(
                f"{values.where}: ops: {name}: expected the name of an op or a table, got {_described(spelled)}"
            )
    problem = ops_problem(ops) if ops else None
    if problem is not None:
        raise ConfigError(f"{values.where}: ops: {problem}")
    return ops


# Files


#: where a configuration is looked for in a directory, in this order
CONFIG_FILES = ("nanlint.toml", ".nanlint.toml", "pyproject.toml")


def read_table(path: str) -> Mapping[str, Any] | None:
    """The nanlint table of a configuration file, or None for a pyproject.toml that has none. Raises ConfigError."""
    shown = _shown(path)
    try:
        content = read_regular(path)
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {reason(error)}") from None
    of_tool = os.path.basename(path) == "pyproject.toml"
    # in UTF-16 and UTF-32, which TOML does not have, each letter stands among zeros
    if of_tool and b"nanlint" not in content.replace(b"\0", b""):
        # Someone else's file, perhaps a template that is no TOML at all: not ours to judge.
        return None
    from nanlint import toml

    try:
        table: Mapping[str, Any] = toml.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown}: is not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8") from None
    except (toml.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{shown}: is not valid TOML: {error or 'too deeply nested'}") from None
    if not of_tool:
        return table
    tool = table.get("tool", {})
    own = tool.get("nanlint") if isinstance(tool, dict) else None
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{shown}: tool.nanlint: expected a table, got {_described(own)}")
    return own


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def load(
    path: str,
    rules: Rules,
    overrides: Overrides = Overrides(),
    ops_problem: OpsProblem = no_problem,
    rules_in: RulesIn = no_rules,
) -> Config:
    """The Config of one file given by name (``--config``), a pyproject.toml without our table counting as empty.

    Raises ConfigError.
    """
    absolute = os.path.abspath(path)
    return _config_from(absolute, read_table(absolute) or {}, rules, overrides, ops_problem, rules_in)


def _config_from(
    path: str,
    table: Mapping[str, Any],
    rules: Rules,
    overrides: Overrides,
    ops_problem: OpsProblem,
    rules_in: RulesIn,
) -> Config:
    section = " [tool.nanlint]" if os.path.basename(path) == "pyproject.toml" else ""
    return config_of(
        table,
        rules,
        root=os.path.dirname(path),
        where=_shown(path) + section,
        file=path,
        overrides=overrides,
        ops_problem=ops_problem,
        rules_in=rules_in,
    )


class Configs:
    """Finds the Config of each directory: the nearest file wins, as with Ruff. Every directory is looked up once.

    With ``fixed`` (``--config``, ``--isolated``) that one holds everywhere.
    """

    def __init__(
        self,
        rules: Rules,
        overrides: Overrides = Overrides(),
        fixed: Config | None = None,
        ops_problem: OpsProblem = no_problem,
        rules_in: RulesIn = no_rules,
    ) -> None:
        self._rules = rules
        self._rules_in = rules_in
        self._ops_problem = ops_problem
        self._overrides = overrides
        self._fixed = fixed
        self._found: dict[str, Config | ConfigError] = {}
        self._default: Config | None = None

    @classmethod
    def isolated(cls, rules: Rules, overrides: Overrides = Overrides()) -> Configs:
        """No file is read: defaults and ``overrides`` only. Raises ConfigError."""
        configs = cls(rules, overrides)
        return cls(rules, overrides, fixed=configs.default())

    @property
    def untrusted(self) -> tuple[Config, ...]:
        """Those found so far whose rule files were not loaded, each once."""
        found = (one for one in (self._fixed, *tuple(self._found.values())) if isinstance(one, Config))
        return tuple({one.file: one for one in found if one.untrusted}.values())

    def default(self) -> Config:
        """What holds where there is no configuration file. Raises ConfigError."""
        if self._default is None:
            try:
                cwd = os.getcwd()
            except FileNotFoundError:  # taken away below us
                cwd = os.sep
            self._default = config_of({}, self._rules, root=cwd, where="command line", overrides=self._overrides)
        return self._default

    def for_directory(self, directory: str) -> Config:
        """The Config that holds in an absolute ``directory``. Raises ConfigError."""
        if self._fixed is not None:
            return self._fixed
        found = self._found.get(directory)
        if found is None:
            try:
                found = self._look_up(directory)
            except ConfigError as error:
                found = error
            self._found[directory] = found
        if isinstance(found, ConfigError):
            raise found
        return found

    def _look_up(self, directory: str) -> Config:
        for name in CONFIG_FILES:
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                try:
                    table = read_table(path)
                    if table is not None:
                        return _config_from(
                            path, table, self._rules, self._overrides, self._ops_problem, self._rules_in
                        )
                except ConfigError as error:
                    error.file = path
                    raise
        parent = os.path.dirname(directory)
        return self.default() if parent == directory else self.for_directory(parent)
