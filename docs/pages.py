"""The programs on a rule's page: bad, what its fix makes of it, and good, with what each returns on its witness.

They are the page programs of ``tests/fixtures/<rule>/``, shown without markers and ``witness()``. What they return is
on record (``tests/recording.py``), so that a page can be built, and found stale, without any framework.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from textwrap import indent

from nanlint.diagnostic import Applicability, Confidence
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


def frameworks(rule: str) -> list[str]:
    """The frameworks with programs on the page of a rule, as people call them."""
    there = {one.framework for one in shown(rule)}
    return [title for framework, title in TITLES.items() if framework in there]


def breaks(rule: str) -> list[str]:
    """Where the bad programs of a page go wrong, as their witnesses measured: value, gradient or only accuracy.

    A number that is wrong though it is finite is a matter of accuracy, unless the witness says that it is a gradient.
    """
    found = set[str]()
    for one in shown(rule):
        if one.which != "bad":
            continue
        for key, values in returned(one).items():
            gradient = key == "gradient" or (key == "computed" and re.search(r"\bgradient\b", one.inputs) is not None)
            if key == "computed" or values is None or not all(map(math.isfinite, values)):
                found.add("gradient" if gradient else "accuracy" if key == "computed" else "value")
    return sorted(found, key=["value", "gradient", "accuracy"].index)


def level(rule: str) -> Confidence | None:
    """The highest confidence with which a rule reports the bad programs of its page; None where there are none."""
    found = [
        diagnostic.confidence
        for program in PROGRAMS
        if program.rule == rule and program.is_page and program.is_bad
        for outcome in [program.fixed(unsafe=True)]
        for diagnostic in (*outcome.fixed, *outcome.remaining)
        if diagnostic.name == rule
    ]
    return max(found, default=None)


def programs_of(rule: str) -> str:
    """The section of a rule's page with its programs, a tab for each framework; empty where it has none."""
    parts = list[str]()
    for framework, title in TITLES.items():
        programs = {one.which: one for one in shown(rule) if one.framework == framework}
        if programs:
            parts.append(f'=== "{title}"\n\n{indent(_tab(programs), "    ")}')
    return "\n".join(["\n## Programs\n", *parts]) if parts else ""


def _tab(programs: Mapping[str, Shown]) -> str:
    """The programs in one framework, and what they return."""
    bad, fixed, good = programs["bad"], programs.get("fixed"), programs["good"]
    if fixed is None:
        blocks = [_block("Bad", bad), _block("Good", good)]
    elif fixed.program == good.program:
        blocks = [_block("Bad", bad), _block(f"Good (also the result of the {fixed.applicability} fix)", good)]
    else:
        blocks = [_block("Bad", bad), _block(f"Fixed ({fixed.applicability})", fixed), _block("Good", good)]
    return "\n".join([*blocks, _table(list(programs.values()))])


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
