"""``[tool.nanlint]`` in pyproject.toml, or nanlint.toml, and the command line over it -> one frozen, validated Config.

The rules come in as an argument (code -> name): this module knows how they are selected, not what they are.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from nanlint.diagnostic import STYLES, Confidence, Severity
from nanlint.disk import is_file, read_regular, reason
from nanlint.keys import DEFAULT_EXCLUDE, KEYS, is_strings
from nanlint.refused import Refused
from nanlint.selection import Rules, always_on, codes_of, did_you_mean, select_codes, specificity

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

T = TypeVar("T")


class ConfigError(Refused):
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
        return self.files.covers(path) != self.negated


@dataclass(frozen=True)
class Layer:
    """One table of keys: that of a file, of ``--config KEY=VALUE``, or the options of the command line.

    ``root`` is the absolute directory that patterns and paths in it are relative to. ``where`` names the table in
    messages; options, which have none, are named as they are given.
    """

    values: Mapping[str, Any]
    root: str
    where: str = ""
    file: str | None = None

    def named(self, *keys: str) -> str:
        """How a key is named in a message."""
        return ": ".join((self.where, *keys) if self.where else (f"--{keys[0]}", *keys[1:]))

    def take(self, key: str, expected: str, fits: Callable[[Any], bool], default: T) -> T:
        """The value of a key, or the default where it has none; raises ConfigError if it does not fit."""
        value = self.values.get(key)
        if value is None:
            return default
        if not fits(value):
            raise ConfigError(f"{self.named(key)}: expected {expected}, got {_described(value)}")
        taken: T = value
        return taken

    def strings(self, key: str) -> tuple[str, ...] | None:
        """A list of strings, or None; raises ConfigError."""
        taken: list[str] | None = self.take(key, "a list of strings", is_strings, None)
        return None if taken is None else tuple(taken)

    def string(self, key: str, expected: str) -> str | None:
        """A string that is not empty, or None; raises ConfigError."""
        return self.take(key, expected, lambda value: isinstance(value, str) and value != "", None)

    def table(self, key: str) -> Mapping[str, Any]:
        """A table, empty where there is none; raises ConfigError."""
        empty: Mapping[str, Any] = {}
        return self.take(key, "a table", lambda value: isinstance(value, Mapping), empty)


@dataclass(frozen=True)
class Config:
    """What to check and how to show it, for all files under one configuration file.

    ``selected``: the rules that run, None for all that there are. ``ignored``: those that an ``ignore`` takes out; the
    hazards that they would report are reported by no other rule. ``unfixable``: the rules whose fixes are only shown.
    ``preview``: whether rules in preview run. ``layers``: what it was made of. ``rule_files``: those that were loaded.
    ``untrusted``: the patterns of those that were not, as nobody has said that they may run.
    """

    file: str | None
    selected: frozenset[str] | None
    exclude: tuple[PathPatterns, ...]
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    fix_style: str = STYLES[0]
    severity: Mapping[str, Severity] = field(default_factory=dict)
    ops: Mapping[str, object] = field(default_factory=dict)
    respect_gitignore: bool = True
    prove_timeout: float = 5.0
    file_timeout: float = 60.0
    baseline: str | None = None
    rule_files: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    unfixable: frozenset[str] = frozenset()
    preview: bool = False
    layers: tuple[Layer, ...] = field(default=(), compare=False)

    def selects(self, code: str) -> bool:
        return code not in self.ignored and (self.selected is None or code in self.selected)

    def among(self, rules: Iterable[str]) -> frozenset[str]:
        """The codes of ``rules`` that are enabled."""
        return frozenset(filter(self.selects, rules))

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
        selected = None if self.selected is None else self.selected - ignored
        return replace(self, selected=selected, ignored=self.ignored | ignored, per_file_ignores=())


Given = TypeVar("Given", bound="Options")


@dataclass(frozen=True)
class Options:
    """What is asked for over the files of configuration, at a command line or in an editor.

    ``keys``: values that hold for all files. ``config``: a file that configures all of them, or keys as lines of TOML.
    """

    keys: Mapping[str, Any] = field(default_factory=dict)
    config: tuple[str, ...] = ()
    isolated: bool = False
    unsafe_fixes: bool = False

    @classmethod
    def of(cls: type[Given], **given: Any) -> Given:
        """What has the name of a key (with underscores) is one; None says nothing."""
        named = {name: name.replace("_", "-") for name in given}
        keys = {
            named[name]: value for name, value in given.items() if value not in (None, (), []) and named[name] in KEYS
        }
        return cls(keys=keys, **{name: value for name, value in given.items() if named[name] not in KEYS})

    @property
    def over(self) -> Layer:
        """The layer of the keys, each named as an option."""
        return Layer(self.keys, _working_directory())


def inline(text: str) -> Layer:
    """The layer of ``--config KEY=VALUE``, which is a line of TOML. Raises ConfigError."""
    from nanlint import toml

    where = f"--config '{text}'"
    try:
        return Layer(toml.loads(text), _working_directory(), where)
    except (toml.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: is neither an existing file nor valid TOML: {error}") from None


def _working_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # taken away below us
        return os.sep


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


def _described(value: object) -> str:
    shown = repr(value)
    kind = {str: "the string", bool: "the boolean", int: "the number", float: "the number", list: "the list"}
    return f"{kind.get(type(value), 'the ' + type(value).__name__)} {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _choice(where: str, value: object, choices: Mapping[str, T]) -> T:
    if isinstance(value, str) and value in choices:
        return choices[value]
    expected = ", ".join(f'"{choice}"' for choice in choices)
    hint = did_you_mean(value, choices) if isinstance(value, str) else ""
    raise ConfigError(f"{where}: expected one of {expected}, got {_described(value)}{hint}")


CONFIDENCES = {str(level): level for level in Confidence}
SEVERITIES = {str(level): level for level in Severity}


def config_of(
    layers: Sequence[Layer], rules: Rules, *, ops_problem: OpsProblem = no_problem, rules_in: RulesIn = no_rules
) -> Config:
    """Validate tables of keys and lay each over those before it.

    ``ops_problem`` says what is wrong with the user's ops, ``rules_in`` loads rule files. Raises ConfigError.
    """
    return _Reader(layers, rules, ops_problem, rules_in).config()


class _Reader:
    """What the layers of one configuration say, each key in its own way."""

    def __init__(self, layers: Sequence[Layer], rules: Rules, ops_problem: OpsProblem, rules_in: RulesIn) -> None:
        self._layers = layers
        self._ops_problem = ops_problem
        for layer in layers:
            self._check_keys(layer)
        self._untrusted: tuple[str, ...] = ()
        self._rule_files, more = self._load_rules(rules_in)
        self._rules = {**rules, **more} if more else rules

    def config(self) -> Config:
        files = [layer.file for layer in self._layers if layer.file is not None]
        selected, ignored = self._selection()
        return Config(
            file=files[-1] if files else None,
            layers=tuple(self._layers),
            selected=selected,
            ignored=frozenset() if selected is None else ignored - selected,
            exclude=self._excludes(),
            per_file_ignores=self._per_file_ignores(),
            confidence=self._chosen("confidence", CONFIDENCES),
            fix_style=self._chosen("fix-style", dict(zip(STYLES, STYLES, strict=True))),
            severity=self._severities(),
            ops=self._ops(),
            respect_gitignore=self._last("respect-gitignore"),
            prove_timeout=float(self._last("prove-timeout")),
            file_timeout=float(self._last("file-timeout")),
            baseline=self._baseline(),
            preview=self._last("preview"),
            unfixable=self._unfixable(),
            rule_files=self._rule_files,
            untrusted=self._untrusted,
        )

    def _check_keys(self, layer: Layer) -> None:
        for key in layer.values:
            if key == "tool":
                raise ConfigError(
                    f"{layer.where}: [tool.nanlint] is for pyproject.toml; here the keys are at the top level"
                )
            if key in _TABLES_OF_RUFF:
                place = "in [tool.nanlint]" if layer.where.endswith("[tool.nanlint]") else "at the top level"
                raise ConfigError(f'{layer.where}: unknown table "{key}"; nanlint\'s keys belong {place}')
            if key not in KEYS:
                raise ConfigError(f'{layer.where}: unknown key "{key}"{did_you_mean(key, KEYS)}')
        if layer.file is None and layer.string("extend", _A_FILE) is not None:
            raise ConfigError(f"{layer.named('extend')}: only a configuration file can extend another one")
        required = layer.string("required-version", 'a version specifier such as ">=0.1"')
        if required is not None:
            _require(layer.named("required-version"), required)

    def _last(self, key: str) -> Any:
        found = KEYS[key].default
        for layer in self._layers:
            found = layer.take(key, KEYS[key].expected, KEYS[key].fits, found)
        return found

    def _chosen(self, key: str, choices: Mapping[str, T]) -> T:
        found = choices[str(KEYS[key].default)]
        for layer in self._layers:
            if key in layer.values:
                found = _choice(layer.named(key), layer.values[key], choices)
        return found

    def _codes(self, layer: Layer, key: str, *inner: str, selectors: Iterable[str]) -> frozenset[str]:
        """The codes that the selectors of a key mean; raises ConfigError for one that means none."""
        found = frozenset[str]()
        for selector in selectors:
            codes = codes_of(selector, self._rules)
            if not codes and not self._untrusted:  # it may be a rule that was not loaded
                names = self._rules.values()
                prefixes = {code[:length] for code in self._rules for length in range(2, len(code) + 1)}
                known = (*sorted(self._rules), *sorted(names), *sorted(prefixes - set(self._rules)), "ALL")
                hint = did_you_mean(selector, known)
                raise ConfigError(f'{layer.named(key, *inner)}: unknown rule "{selector}"{hint}')
            found |= codes
        return found

    def _load_rules(self, rules_in: RulesIn) -> tuple[tuple[str, ...], Rules]:
        naming = [layer for layer in self._layers if layer.strings("rules")]
        if not naming:
            return (), {}
        layer = naming[-1]
        patterns = layer.strings("rules") or ()
        try:
            loaded = rules_in(patterns, layer.root, layer.file)
        except ConfigError as error:
            raise ConfigError(f"{layer.named('rules')}: {error}") from None
        if loaded is None:
            self._untrusted = patterns
        return loaded or ((), {})

    def _selection(self) -> tuple[frozenset[str] | None, frozenset[str]]:
        """The rules that run, and those that an ``ignore`` names: a layer that selects begins with neither."""
        if not self._any_has("select", "extend-select", "ignore"):
            return None, frozenset()  # the rules are not loaded for that
        selected, ignored = frozenset(self._rules), frozenset[str]()
        by_name: list[str] = []
        for layer in self._layers:
            select, ignore = layer.strings("select"), layer.strings("ignore") or ()
            extended = layer.strings("extend-select") or ()
            for key, selectors in (("select", select or ()), ("extend-select", extended)):
                self._codes(layer, key, selectors=selectors)  # refuses unknown ones
            codes = self._codes(layer, "ignore", selectors=ignore)
            ignored = codes if select is not None else ignored | codes
            again = {*(select or ()), *extended}
            by_name = [one for one in by_name if select is None and one not in again] + list(ignore)
            selected = select_codes(self._rules, selected, select=select, extend_select=extended, ignore=ignore)
        selected |= always_on(self._rules, by_name)
        return (None if selected == frozenset(self._rules) else selected), ignored

    def _any_has(self, *keys: str) -> bool:
        return any(key in layer.values for layer in self._layers for key in keys)

    def _baseline(self) -> str | None:
        found = None
        for layer in self._layers:
            named = layer.string("baseline", "the name of a file")
            found = found if named is None else os.path.normpath(os.path.join(layer.root, named))
        return found

    def _excludes(self) -> tuple[PathPatterns, ...]:
        base = PathPatterns(self._layers[0].root, DEFAULT_EXCLUDE)
        extended = []
        for layer in self._layers:
            own = layer.strings("exclude")
            base = base if own is None else PathPatterns(layer.root, own)
            more = layer.strings("extend-exclude")
            extended += [PathPatterns(layer.root, more)] if more else []
        return (base, *extended)

    def _per_file_ignores(self) -> tuple[PerFileIgnore, ...]:
        base: list[PerFileIgnore] = []
        extended: list[PerFileIgnore] = []
        for layer in self._layers:
            if "per-file-ignores" in layer.values:
                base = self._ignored_in_files(layer, "per-file-ignores")
            extended += self._ignored_in_files(layer, "extend-per-file-ignores")
        return (*base, *extended)

    def _ignored_in_files(self, layer: Layer, key: str) -> list[PerFileIgnore]:
        entries = []
        inner = Layer(layer.table(key), layer.root, layer.named(key))
        for pattern in inner.values:
            codes = self._codes(layer, key, pattern, selectors=inner.strings(pattern) or ())
            files = PathPatterns(layer.root, (pattern.removeprefix("!"),))
            entries.append(PerFileIgnore(files, codes, negated=pattern.startswith("!")))
        return entries

    def _unfixable(self) -> frozenset[str]:
        if not self._any_has("fixable", "unfixable"):
            return frozenset()
        fixable, unfixable = frozenset(self._rules), frozenset[str]()
        for layer in self._layers:
            able, unable = layer.strings("fixable"), layer.strings("unfixable")
            fixable = fixable if able is None else self._codes(layer, "fixable", selectors=able)
            if able is not None or unable is not None:  # of two files, the nearer one decides
                unfixable = self._codes(layer, "unfixable", selectors=unable or ())
        return (frozenset(self._rules) - fixable) | unfixable

    def _severities(self) -> Mapping[str, Severity]:
        chosen: dict[str, Severity] = {}
        for layer in self._layers:
            levels = layer.table("severity")
            for selector in sorted(levels, key=lambda selector: specificity(selector, self._rules)):
                codes = self._codes(layer, "severity", selectors=[selector])
                level = _choice(layer.named("severity", selector), levels[selector], SEVERITIES)
                chosen.update(dict.fromkeys(sorted(codes), level))
        return chosen

    def _ops(self) -> Mapping[str, object]:
        merged: dict[str, object] = {}
        for layer in self._layers:
            ops = layer.table("ops")
            for name, spelled in ops.items():
                if not isinstance(spelled, str | dict):
                    raise ConfigError(
                        f"{layer.named('ops', name)}: expected the name of an op or a table, got {_described(spelled)}"
                    )
            problem = self._ops_problem(ops) if ops else None
            if problem is not None:
                raise ConfigError(f"{layer.named('ops')}: {problem}")
            merged |= ops
        return merged


def _require(where: str, required: str) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    from nanlint.version import __version__

    try:
        wanted = SpecifierSet(required if not required[:1].isdigit() else f"=={required}", prereleases=True)
    except InvalidSpecifier:
        raise ConfigError(
            f'{where}: expected a version specifier such as ">=0.1", got {_described(required)}'
        ) from None
    if __version__ not in wanted:
        raise ConfigError(f"{where}: this project requires nanlint {required}, but this is nanlint {__version__}")


# Files


#: what no text has, in whichever encoding of one byte
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
#: tables that Ruff has, which people write for nanlint as well
_TABLES_OF_RUFF = ("lint", "format", "analyze")
_A_FILE = "the name of a configuration file"

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
        if _CONTROL.search(content) and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ConfigError(f"{shown}: is a binary file, not a configuration in TOML") from None
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


def layers_of(path: str, table: Mapping[str, Any]) -> tuple[Layer, ...]:
    """The layers of a configuration file, after those of the files that it extends. Raises ConfigError."""
    layers: list[Layer] = []
    seen: list[str] = []
    while True:
        section = " [tool.nanlint]" if os.path.basename(path) == "pyproject.toml" else ""
        layer = Layer(table, os.path.dirname(path), _shown(path) + section, path)
        layers.insert(0, layer)
        seen.append(path)
        extended = layer.string("extend", _A_FILE)
        if extended is None:
            return tuple(layers)
        path = os.path.normpath(os.path.join(layer.root, os.path.expanduser(extended)))
        if path in seen:
            raise ConfigError(f"{layer.named('extend')}: {' extends '.join(map(_shown, (*seen, path)))}")
        if not is_file(path):
            raise ConfigError(f"{layer.named('extend')}: {_shown(path)}: no such file")
        table = read_table(path) or {}


class Configs:
    """Finds the Config of each directory: the nearest file wins, as with Ruff. Every directory is looked up once.

    ``overrides`` lie over each. With a ``file`` (``--config FILE``) that one holds everywhere, if ``isolated`` none.
    Raises ConfigError for such a file that cannot be used.
    """

    def __init__(
        self,
        rules: Rules,
        *overrides: Layer,
        file: str | None = None,
        isolated: bool = False,
        ops_problem: OpsProblem = no_problem,
        rules_in: RulesIn = no_rules,
    ) -> None:
        self._rules = rules
        self._overrides = overrides
        self._ops_problem = ops_problem
        self._rules_in = rules_in
        self._found: dict[str, Config | ConfigError] = {}
        self._default: Config | None = None
        self._fixed: Config | None = None
        if file is not None:
            path = os.path.abspath(file)
            self._fixed = self._config(layers_of(path, read_table(path) or {}))
        elif isolated:
            self._fixed = self.default()

    @property
    def untrusted(self) -> tuple[Config, ...]:
        """Those found so far whose rule files were not loaded, each once."""
        found = (one for one in (self._fixed, *tuple(self._found.values())) if isinstance(one, Config))
        return tuple({one.file: one for one in found if one.untrusted}.values())

    def default(self) -> Config:
        """What holds where there is no configuration file. Raises ConfigError."""
        if self._default is None:
            self._default = self._config([Layer({}, _working_directory(), "defaults")])
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

    def _config(self, layers: Sequence[Layer]) -> Config:
        return config_of(
            [*layers, *self._overrides], self._rules, ops_problem=self._ops_problem, rules_in=self._rules_in
        )

    def _look_up(self, directory: str) -> Config:
        for name in CONFIG_FILES:
            path = os.path.join(directory, name)
            if is_file(path):
                try:
                    table = read_table(path)
                    if table is not None:
                        return self._config(layers_of(path, table))
                except ConfigError as error:
                    error.file = path
                    raise
        parent = os.path.dirname(directory)
        return self.default() if parent == directory else self.for_directory(parent)
