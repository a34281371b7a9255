"""The programs under ``tests/fixtures``: what their names and markers say, what nanlint makes of them, how they run.

``tests/fixtures/<rule>/bad_<framework>_<story>.py`` must go wrong and be flagged, ``good_<framework>_<story>.py``
neither. Without a story it is a *page program*: the plainest there is for its framework, printed on the rule's page
beside what its fix makes of it.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nanlint
from nanlint.diagnostic import Applicability
from nanlint.linter import all_rules
from nanlint.rules import RULES

FIXTURES = Path(__file__).parents[1] / "fixtures"
EXECUTE = Path(__file__).with_name("execute.py")
TIMEOUT_SECONDS = 600

CODES = {rule.name: rule.code for rule in all_rules().values()}
MARKER = re.compile(r"[ ]*# error: \[(NL\d{3}(?:\|NL\d{3})*)\](?: (possible))?[ ]*$", re.MULTILINE)
#: how the frameworks are called in names of programs
FRAMEWORKS = {"torch": "torch", "tf": "tensorflow", "keras": "keras", "jax": "jax", "numpy": "numpy"}
#: a relative error above this is one that precision programs are about
PRECISION = 1e-3

Numbers = Mapping[str, list[float] | None]


@dataclass(frozen=True)
class Program:
    """A program of the fixtures, by its path."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.path.parent.name

    @property
    def code(self) -> str:
        return CODES[self.rule]

    @property
    def is_bad(self) -> bool:
        return self.path.name.startswith("bad_")

    @property
    def is_page(self) -> bool:
        """Whether it has no story, and is printed on the rule's page."""
        return self.path.stem.count("_") == 1

    @property
    def framework(self) -> str:
        """The word for its framework in its name: torch, tf, tf1, keras, jax, numpy, scipy."""
        return self.path.stem.split("_")[1]

    def marked(self) -> dict[tuple[int, bool], set[str]]:
        """For each row to be flagged (1-based, and whether only as possible), the codes that are right there."""
        return {
            (self.text.count("\n", 0, match.start()) + 1, match[2] is not None): set(match[1].split("|"))
            for match in MARKER.finditer(self.text)
        }

    def mended(self) -> tuple[str, Applicability] | None:
        """The program after its fixes, and the weakest applicability of them.

        Of a page program the fixes are those of its rule. Of one with a story they are all that can be applied, unsafe
        ones only where the rule has no others; None where none, or not all, of what is found is mended.
        """
        rule = RULES[self.code]
        if self.is_page:
            outcome = nanlint.fix_source(
                self.text, str(self.path), unsafe_fixes=True, select=[self.code], confidence="possible"
            )
        else:
            unsafe = rule.fixable is Applicability.UNSAFE
            outcome = nanlint.fix_source(self.text, str(self.path), unsafe_fixes=unsafe)
        assert not outcome.notes, outcome.notes
        if not outcome.fixed or (outcome.remaining and not self.is_page):
            return None
        applied = {one.fix.applicability for one in outcome.fixed if one.fix is not None}
        weakest = Applicability.UNSAFE if Applicability.UNSAFE in applied else Applicability.SAFE
        return outcome.source.text, weakest


PROGRAMS = [Program(path) for rule in sorted(CODES) for path in sorted((FIXTURES / rule).glob("*.py"))]


def goes_wrong(result: Numbers) -> bool:
    """Whether what a witness returned is wrong, by the keys it has.

    ``computed`` and ``exact``: off by more than PRECISION, relatively. ``gradient`` and ``intended``: None, or not the
    intended one. Any others: a NaN or an infinity among the numbers.
    """
    if "exact" in result:
        computed, exact = result["computed"] or [], result["exact"] or []
        assert len(computed) == len(exact) > 0, "computed and exact are numbers of one shape"
        return any(not abs(c - e) <= PRECISION * abs(e) for c, e in zip(computed, exact, strict=True))
    if "intended" in result:
        gradient, intended = result["gradient"], result["intended"] or []
        return gradient is None or any(
            not abs(g - i) <= 1e-5 * max(1.0, abs(i)) for g, i in zip(gradient, intended, strict=True)
        )
    numbers = [number for part in result.values() for number in part or []]
    assert numbers, "a witness returns at least one number"
    return not all(map(math.isfinite, numbers))


def family(path: Path) -> str:
    """The process that ``path`` runs in, from its name: ``bad_torch_x.py`` in a fixture, ``torch_x.py`` in examples."""
    words = path.stem.split("_")
    framework = words[1] if words[0] in {"bad", "good", "fixed"} else words[0]
    return {"scipy": "numpy", "tf2": "tf", "tape": "tf"}.get(framework, framework)


def run(function: str, paths: Sequence[Path]) -> dict[Path, dict[str, object]]:
    """The JSON line of each of ``paths``, all of one family; a program that took the process down has none."""
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "KERAS_BACKEND": "tensorflow",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    child = subprocess.run(
        [sys.executable, str(EXECUTE), function, *map(str, paths)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("{")]
    found = {Path(line["path"]): line for line in lines}
    died = {"error": f"the process ended with {child.returncode}\n{child.stderr[-4000:]}"}
    return {path: found.get(path, died) for path in paths}


def by_family(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Paths in groups that share a process."""
    groups: dict[str, list[Path]] = {}
    for path in paths:
        groups.setdefault(family(path), []).append(path)
    return groups
