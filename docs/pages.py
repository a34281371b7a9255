"""The programs on a rule's page: bad, what its fix makes of it, and good, with what each returns on its witness.

They are the page programs of ``tests/fixtures/<rule>/``, shown without markers and ``witness()``. What they return is
on record (``tests/recording.py``), so that a page can be built, and found stale, without any framework.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache, cached_property

from nanlint.diagnostic import Applicability
from tests.programs.fixtures import FIXTURES, MARKER, PROGRAMS, Numbers, outcome

TITLES = {"torch": "PyTorch", "tf": "TensorFlow", "keras": "Keras", "jax": "JAX", "numpy": "NumPy"}
#: numbers of an array that a page shows
NUMBERS = 6


@dataclass(frozen=True)
class Shown:
    """A program on a page: whose, which of the three (bad, fixed, good), its text, and who may apply the fix."""

    rule: str
    framework: str
    which: str
    text: str
    applicability: Applicability | None = None

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


def returned(one: Shown) -> Numbers:
    """What the ``witness`` of a program returns: as it is on record, or executed."""
    return outcome(FIXTURES / one.rule / f"{one.which}_{one.framework}.py", one.text)


def programs_of(rule: str) -> str:
    """The section of a rule's page with its programs; empty where it has none."""
    parts = list[str]()
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
        parts.append(_table(list(programs.values())))
    return "\n".join(["\n## Programs\n", *parts]) if parts else ""


def _block(title: str, one: Shown) -> str:
    return f"{title}:\n\n```python\n{one.program}\n```\n"


def _table(programs: list[Shown]) -> str:
    """What the programs return: a row for each, a column for each key."""
    returns = {one.which: returned(one) for one in programs}
    keys = list(dict.fromkeys(key for values in returns.values() for key in values))
    rows = [
        f"| {which} | {' | '.join(_numbers(values[key]) if key in values else '' for key in keys)} |"
        for which, values in returns.items()
    ]
    head = [f"| {programs[0].inputs} | {' | '.join(keys)} |", f"| --- |{' --- |' * len(keys)}"]
    return "\n".join([*head, *rows]) + "\n"


def _numbers(values: list[float] | None) -> str:
    """Up to NUMBERS of them, each to four digits."""
    if values is None:
        return "None"
    texts = [f"{value:.4g}" for value in values[:NUMBERS]]
    if len(values) == 1:
        return texts[0]
    return f"[{', '.join(texts)}{', …' if len(values) > NUMBERS else ''}]"
