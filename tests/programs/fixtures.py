"""The programs under ``tests/fixtures``: what their names and markers say, what nanlint makes of them, how they run.

``tests/fixtures/<rule>/bad_<framework>_<story>.py`` must go wrong and be flagged, ``good_<framework>_<story>.py``
neither. Without a story it is a *page program*: the plainest there is for its framework, printed on the rule's page
beside what its fix makes of it.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

import nanlint
from nanlint.diagnostic import Applicability
from nanlint.lint.fixing import Fixed
from nanlint.lint.known_rules import all_rules
from nanlint.rules import RULES
from tests.recording import Answer, Recordings

FIXTURES = Path(__file__).parents[1] / "fixtures"
EXECUTE = Path(__file__).with_name("execute.py")

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

    def fixed(self, *, unsafe: bool) -> Fixed:
        """The program after its fixes: of a page program those of its rule, of one with a story all."""
        return fixed(self, unsafe)

    def mended(self) -> tuple[str, Applicability] | None:
        """The program after its fixes, and the weakest applicability of them.

        Of one with a story unsafe ones only where the rule has no others; None where none, or not all, of what is found
        is mended.
        """
        outcome = self.fixed(unsafe=self.is_page or RULES[self.code].fixable is Applicability.UNSAFE)
        assert not outcome.notes, outcome.notes
        if not outcome.fixed or (outcome.remaining and not self.is_page):
            return None
        applied = {one.fix.applicability for one in outcome.fixed if one.fix is not None}
        weakest = Applicability.UNSAFE if Applicability.UNSAFE in applied else Applicability.SAFE
        return outcome.source.text, weakest


@lru_cache(8)
def fixed(program: Program, unsafe: bool, text: str | None = None) -> Fixed:
    """What the fixes make of a program, or of a text that they made of it."""
    rule: dict[str, Any] = {"select": [program.code], "confidence": "possible"} if program.is_page else {}
    text = program.text if text is None else text
    return nanlint.fix_source(text, str(program.path), unsafe_fixes=unsafe, **rule)


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


# ── running ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def outcome(path: Path, text: str, function: str = "witness") -> Numbers:
    """What a function of a program returns: for each key its numbers, or None where it returned None.

    ``path``: its name says the framework. Raises AssertionError where the function does.
    """

    def execute() -> Answer:
        line = process(family(path)).run(path, text, function)
        if "missing" in line:
            pytest.skip(f"{line['missing']} is not installed")
        assert "error" not in line, line["error"]
        return {k: None if part is None else np.array(part, float) for k, part in line["result"].items()}

    found = Recordings("programs", library(path, text), (EXECUTE,)).answer([function, text], execute)
    return {key: None if part is None else part.tolist() for key, part in found.items()}


def family(path: Path) -> str:
    """The process that ``path`` runs in, from its name: ``bad_torch_x.py`` in a fixture, ``torch_x.py`` in examples."""
    words = path.stem.split("_")
    framework = words[1] if words[0] in {"bad", "good", "fixed"} else words[0]
    return {"scipy": "numpy", "tf2": "tf", "tape": "tf"}.get(framework, framework)


def library(path: Path, text: str) -> str:
    """The library whose release decides what a program gives: the last built of those that it imports."""
    framework = {"tf": "tensorflow", "tf1": "tensorflow"}.get(family(path), family(path))
    built_on = {"tensorflow": "keras", "jax": "optax", "numpy": "scipy"}.get(framework, framework)
    return built_on if built_on in text else framework


class Process:
    """A process that runs programs of one family.

    A family is one process because frameworks start slowly, and one process is one family because they do not mix:
    ``disable_v2_behavior`` is for the whole process.
    """

    def __init__(self) -> None:
        self.directory = tempfile.TemporaryDirectory(prefix="programs")
        self.programs = itertools.count()
        self.child: subprocess.Popen[str] | None = None

    def run(self, path: Path, text: str, function: str) -> dict[str, Any]:
        """The line that ``execute.py`` prints of a program."""
        here = Path(self.directory.name)
        copy = here / f"{path.parent.name}-{next(self.programs)}" / path.name
        copy.parent.mkdir()
        copy.write_text(text, encoding="utf-8")
        with (here / "stderr").open("a+") as errors:
            if self.child is None or self.child.poll() is not None:
                self.child = started(errors)
            assert self.child.stdin is not None
            assert self.child.stdout is not None
            print(json.dumps([str(copy), function]), file=self.child.stdin, flush=True)
            line = self.child.stdout.readline()
            if not line:
                errors.seek(0)
                return {"error": f"the process ended with {self.child.wait()}\n{errors.read()[-4000:]}"}
        answer: dict[str, Any] = json.loads(line)
        return answer


@cache
def process(kind: str) -> Process:
    """The process of a family, which starts when it has something to run."""
    return Process()


def started(errors: IO[str]) -> subprocess.Popen[str]:
    """``execute.py``, for as long as this process lives."""
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "KERAS_BACKEND": "tensorflow",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    return subprocess.Popen(
        [sys.executable, str(EXECUTE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=environment,
    )
