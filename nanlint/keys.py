"""The keys of the configuration, in one table: what each holds, in words and as JSON Schema, and what it is by default.

How they are read and what becomes of them is in ``nanlint.config``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nanlint.diagnostic import STYLES, Confidence, Severity

Schema = Mapping[str, Any]

_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_STRING: Schema = {"type": "string"}
_MEANING: Schema = {
    "type": "object",
    "properties": {"like": _STRING, "range": _STRING},
    "minProperties": 1,
    "additionalProperties": False,
}


DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nanlint_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


@dataclass(frozen=True)
class Key:
    """A key: ``kind`` is what it holds, ``about`` begins with its summary, ``example`` is in TOML.

    ``default`` is what holds where nothing is said; ``means`` says it in words where the value does not.
    """

    name: str
    kind: str
    default: object
    about: str
    example: str
    schema: Schema
    means: str = ""

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.kind == "boolean":
            return "true or false"
        return f"a positive {self.kind}" if self.kind.startswith("number") else f"a {self.kind}"

    def fits(self, value: object) -> bool:
        if self.kind == "boolean":
            return isinstance(value, bool)
        if self.kind.startswith("number"):
            return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        return value in self.schema["enum"] if "enum" in self.schema else is_strings(value)

    @property
    def summary(self) -> str:
        return self.about.partition(". ")[0].rstrip(".") + "."

    @property
    def default_shown(self) -> str:
        """What it is by default, in TOML or in words."""
        return self.means or as_toml(self.default)


def is_strings(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def as_toml(value: Any) -> str:
    """A value as TOML has it on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(name, ensure_ascii=False)} = {as_toml(one)}" for name, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _by_name(*keys: Key) -> Mapping[str, Key]:
    return {key.name: key for key in keys}


#: a word that means rules, in the schema: ``schema`` says which there are
_RULE: Schema = {"$ref": "#/definitions/rule"}
_RULES: Schema = {"type": "array", "items": _RULE}

KEYS = _by_name(
    Key(
        "extend",
        "path",
        None,
        "A configuration file that this one extends. The path is relative to this file. Keys of "
        "this file override those of the extended file; rules are selected and ignored on top of its selection.",
        'extend = "../nanlint.toml"',
        {"type": "string"},
        "none",
    ),
    Key(
        "required-version",
        "version specifier",
        None,
        "The versions of nanlint that may be used. With another one nothing is checked, and the exit code is 2.",
        'required-version = ">=0.1"',
        {"type": "string"},
        "any version",
    ),
    Key(
        "select",
        "list of rules",
        ["ALL"],
        "The rules that run. Codes (NL101), prefixes (NL1), names (log-of-softmax) and ALL; the more specific one of "
        "select and ignore wins, and ignore wins a tie.",
        'select = ["NL1", "where-gradient"]',
        _RULES,
    ),
    Key(
        "extend-select",
        "list of rules",
        [],
        "Rules that run in addition to those selected.",
        'extend-select = ["NL801"]',
        _RULES,
    ),
    Key(
        "ignore",
        "list of rules",
        [],
        "Rules whose findings are not reported, and whose hazards are not reported by another rule instead. The rules "
        "about the check itself (syntax-error, internal-error) can be ignored by their own code or name only.",
        'ignore = ["NL103"]',
        _RULES,
    ),
    Key(
        "per-file-ignores",
        "table: pattern = list of rules",
        {},
        "Rules to ignore in some files. Patterns are those of .gitignore, relative to the configuration file; one "
        "with ! before it means every file that does not match.",
        '"tests/**" = ["NL3"]',
        {"type": "object", "additionalProperties": _RULES},
    ),
    Key(
        "extend-per-file-ignores",
        "table: pattern = list of rules",
        {},
        "Rules to ignore in some files, in addition to per-file-ignores.",
        '"scripts/*.py" = ["NL6"]',
        {"type": "object", "additionalProperties": _RULES},
    ),
    Key(
        "fixable",
        "list of rules",
        ["ALL"],
        "Rules whose fixes --fix applies. Fixes of other rules are only shown.",
        'fixable = ["NL1", "where-gradient"]',
        _RULES,
    ),
    Key(
        "unfixable",
        "list of rules",
        [],
        "Rules whose fixes are only shown and never applied.",
        'unfixable = ["NL301"]',
        _RULES,
    ),
    Key(
        "preview",
        "boolean",
        False,
        "Run rules that are in preview. Without it they do not run, even if they are selected.",
        "preview = true",
        {"type": "boolean"},
    ),
    Key(
        "exclude",
        "list of patterns",
        list(DEFAULT_EXCLUDE),
        "Files and directories to leave out. These are .gitignore patterns, relative to the configuration file; "
        "this key replaces the default, which is .git, .venv, build, node_modules, site-packages and similar "
        "directories.",
        'exclude = ["third_party", "*_pb2.py"]',
        _STRINGS,
        "Ruff's defaults",
    ),
    Key(
        "extend-exclude",
        "list of patterns",
        [],
        "Files and directories to leave out in addition to those of exclude.",
        'extend-exclude = ["generated"]',
        _STRINGS,
    ),
    Key(
        "respect-gitignore",
        "boolean",
        True,
        "Leave out files that git ignores.",
        "respect-gitignore = false",
        {"type": "boolean"},
    ),
    Key(
        "confidence",
        '"possible", "likely" or "certain"',
        "likely",
        "The lowest confidence to report.",
        'confidence = "possible"',
        {"enum": [str(level) for level in Confidence]},
    ),
    Key(
        "fix-style",
        '"short", "exact", "epsilon" or "helper"',
        "short",
        "Which form of a fix to write, if there are several. short: a safe form if it is short, otherwise the usual "
        "one. exact: one that changes no value. epsilon: a small number that is added, or a bound. helper: a function "
        "that is added to the file.",
        'fix-style = "epsilon"',
        {"enum": list(STYLES)},
    ),
    Key(
        "severity",
        'table: rule = "error", "warning" or "info"',
        {},
        "Severity of the findings of a rule or a group of rules. Only errors make the exit code 1, unless --fail-on "
        "says otherwise.",
        'NL6 = "warning"',
        {
            "type": "object",
            "propertyNames": _RULE,
            "additionalProperties": {"enum": [str(level) for level in Severity]},
        },
        "error for every rule",
    ),
    Key(
        "prove-timeout",
        "number of seconds",
        5,
        "Time limit of --prove for one finding, without the time to start the framework.",
        "prove-timeout = 20",
        {"type": "number", "exclusiveMinimum": 0},
    ),
    Key(
        "file-timeout",
        "number of seconds",
        60,
        "CPU time that the check of one file may take. A longer check is stopped and reported as NL004.",
        "file-timeout = 20",
        {"type": "number", "exclusiveMinimum": 0},
    ),
    Key(
        "baseline",
        "path",
        None,
        "The baseline file, whose findings are hidden. The path is relative to the configuration file; "
        "--write-baseline writes the file.",
        'baseline = "nanlint-baseline.json"',
        {"type": "string"},
        "none",
    ),
    Key(
        "rules",
        "list of patterns",
        [],
        "Python files with custom rules, relative to the configuration file; ** matches any directories. "
        "nanlint imports these files, so their code runs.",
        'rules = ["tools/nanlint_rules/*.py"]',
        _STRINGS,
    ),
    Key(
        "ops",
        "table: function = op, or table",
        {},
        "The meaning of your own functions for the analysis: the signature of an op of nanlint's catalogue, such as "
        "log(x=x), the name of an op that the function resembles (like), or the range of its result (range).",
        '"mylib.ln" = { like = "log" }',
        {"type": "object", "additionalProperties": {"anyOf": [_STRING, _MEANING]}},
    ),
)


def schema(rules: Mapping[str, str]) -> Schema:
    """The JSON Schema (draft-07) of nanlint.toml, and of the table [tool.nanlint]; ``rules``: code -> name.

    Rules of plugins are known by their codes, which do not begin with NL.
    """
    prefixes = sorted({code[:length] for code in rules for length in range(2, len(code))})
    known = ["ALL", *prefixes, *sorted(rules), *sorted(rules.values())]
    properties = {
        key.name: {
            "description": key.about,
            **key.schema,
            **({} if key.default is None else {"default": key.default}),
        }
        for key in KEYS.values()
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://www.schemastore.org/nanlint.json",
        "title": "nanlint",
        "description": "Configuration of nanlint: a nanlint.toml, or [tool.nanlint] in pyproject.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "definitions": {
            "rule": {
                "description": "A rule's code or name, a prefix of codes, or ALL",
                "anyOf": [{"enum": known}, {"type": "string", "pattern": "^(?!NL)[A-Z]+[0-9]+$"}],
            }
        },
    }
