"""The programs on a rule's page: bad, what its fix makes of it, and good, with what each returns on its witness.

They are the page programs of ``tests/fixtures/<rule>/``, shown without markers and ``witness()``. What they return is
kept beside them in ``witness.json``, with a digest of the program that returned it, so that a page can be built, and
found stale, without any framework.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nanlint.diagnostic import Applicability
from tests.programs.fixtures import CODES, FIXTURES, MARKER, PROGRAMS, by_family, run

TITLES = {"torch": "PyTorch", "tf": "TensorFlow", "keras": "Keras", "jax": "JAX", "numpy": "NumPy"}
#: numbers of an array that a page shows
NUMBERS = 6

Record = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Shown:
    """A program on a page: whose, which of the three (bad, fixed, good), its text, and who may apply the fix."""

    rule: str
    framework: str
    which: str
    text: str
    applicability: Applicability | None = None

    @property
    def name(self) -> str:
        """Its key in the record of its rule."""
        return f"{self.framework}/{self.which}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def program(self) -> str:
        """The text above ``witness``, without the docstring and the markers."""
        docstring = ast.parse(self.text).body[0]
        lines = self.text[: self.text.index("def witness")].splitlines()[docstring.end_lineno :]
        return MARKER.sub("", "\n".join(lines)).strip()

    @cached_property
    def inputs(self) -> str:
        """The docstring of ``witness``: the input in words."""
        functions = (node for node in ast.parse(self.text).body if isinstance(node, ast.FunctionDef))
        return next(ast.get_docstring(function) or "" for function in functions if function.name == "witness")


@cache
def shown(rule: str) -> tuple[Shown, ...]:
    """The page programs of a rule, framework by framework: bad, fixed if there is a fix, good."""
    pages = {(p.framework, p.is_bad): p for p in PROGRAMS if p.rule == rule and p.is_page}
    found: list[Shown] = []
    for framework in TITLES:
        bad, good = pages.get((framework, True)), pages.get((framework, False))
        if bad is None or good is None:
            continue
        mended = bad.mended()
        found.append(Shown(rule, framework, "bad", bad.text))
        found += [Shown(rule, framework, "fixed", *mended)] if mended is not None else []
        found.append(Shown(rule, framework, "good", good.text))
    return tuple(found)


def record_of(rule: str) -> Path:
    """Where it is written what the page programs of a rule return."""
    return FIXTURES / rule / "witness.json"


def recorded(rule: str) -> Record:
    """What the programs of a rule returned when last executed, by their names; without those that have changed."""
    path = record_of(rule)
    record: Record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {one.name: record[one.name] for one in shown(rule) if record.get(one.name, {}).get("program") == one.digest}


def execute() -> Iterator[tuple[Path, str]]:
    """Run every program that is not on record. Each record that changes, with the text it should have.

    Raises:
        RuntimeError: if a program fails.
    """
    records = {rule: recorded(rule) for rule in CODES}
    with TemporaryDirectory() as directory:
        paths: dict[Path, Shown] = {}
        for rule, record in records.items():
            for one in shown(rule):
                if one.name not in record:
                    path = Path(directory) / rule / f"{one.which}_{one.framework}.py"
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(one.text, encoding="utf-8")
                    paths[path] = one
        for group in by_family(paths).values():
            for path, line in run("witness", group).items():
                one = paths[path]
                if "result" not in line:
                    raise RuntimeError(f"{one.rule} {one.name}: {line}")
                records[one.rule][one.name] = {"program": one.digest, "returns": line["result"]}
    for rule, record in records.items():
        lines = [f"  {json.dumps(one.name)}: {json.dumps(record[one.name])}" for one in shown(rule)]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        path = record_of(rule)
        if lines and (not path.exists() or path.read_text(encoding="utf-8") != text):
            yield path, text


def unexecuted() -> Iterator[Path]:
    """Records that lack one of the programs."""
    for rule in CODES:
        if recorded(rule).keys() != {one.name for one in shown(rule)}:
            yield record_of(rule)


def programs_of(rule: str) -> str:
    """The section of a rule's page with its programs; empty where it has none."""
    record, parts = recorded(rule), list[str]()
    for framework, title in TITLES.items():
        programs = {one.which: one for one in shown(rule) if one.framework == framework}
        if not programs:
            continue
        parts.append(f"### {title}\n")
        bad, fixed, good = programs["bad"], programs.get("fixed"), programs["good"]
        parts.append(_block("Bad", bad))
        if fixed is None:
            parts.append(_block("Good", good))
        elif fixed.program == good.program:
            parts.append(_block(f"Good, and what the fix ({fixed.applicability}) makes of it", good))
        else:
            parts.append(_block(f"Fixed ({fixed.applicability})", fixed))
            parts.append(_block("Good", good))
        parts.append(_table(list(programs.values()), record))
    return "\n".join(["\n## Programs\n", *parts]) if parts else ""


def _block(title: str, one: Shown) -> str:
    return f"{title}:\n\n```python\n{one.program}\n```\n"


def _table(programs: list[Shown], record: Record) -> str:
    """What the programs return: a row for each, a column for each key."""
    returns: dict[str, Mapping[str, list[str] | None]] = {
        one.which: record.get(one.name, {}).get("returns", {}) for one in programs
    }
    keys = list(dict.fromkeys(key for values in returns.values() for key in values))
    rows = [
        f"| {which} | {' | '.join(_numbers(values[key]) if key in values else '' for key in keys)} |"
        for which, values in returns.items()
    ]
    head = [f"| {programs[0].inputs} | {' | '.join(keys)} |", f"| --- |{' --- |' * len(keys)}"]
    return "\n".join([*head, *rows]) + "\n"


def _numbers(values: list[str] | None) -> str:
    """Up to NUMBERS of them, each to four digits."""
    if values is None:
        return "None"
    texts = [f"{float(value):.4g}" for value in values[:NUMBERS]]
    if len(values) == 1:
        return texts[0]
    return f"[{', '.join(texts)}{', …' if len(values) > NUMBERS else ''}]"
