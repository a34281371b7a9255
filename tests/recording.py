"""What frameworks gave when tests asked them, kept as data in ``tests/recorded``: ``KIND-FRAMEWORK.xz``.

nanlint's predictions and fixes are made anew at each run and held against what the framework gives. That depends on
three things only: the framework's release, the harness that asks, and what is asked. An answer is kept under a digest
of the three: what changes one of them is executed at once. What is kept is what the framework gave, never whether
nanlint was right.

- ``pytest --record`` executes everything and writes the files anew; for a part of the tests, what these asked is added.
- Each run executes some recordings of one framework again, drawn by its seed, and fails where they differ.
- A framework that is not installed answers as it did when it was recorded, and skips the test where it was not asked.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import platform
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DIRECTORY = Path(__file__).with_name("recorded")

#: numbers, texts, arrays, and lists and dicts of them; None where there is none
Answer = Any
Answers = Mapping[str, Answer]

#: the distributions whose release decides what a framework gives: each under the first of its names that is installed
RELEASES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "torch": (("torch",),),
    "tensorflow": (("tensorflow-cpu", "tensorflow"),),
    "keras": (("keras",), ("tensorflow-cpu", "tensorflow")),
    "jax": (("jax",), ("jaxlib",)),
    "optax": (("optax",), ("jax",), ("jaxlib",)),
    "numpy": (("numpy",),),
    "scipy": (("scipy",), ("numpy",)),
}
#: of the recordings of the framework whose turn it is, one in so many is executed again
DRAWN = 50


@dataclass
class Run:
    """What this process does with recordings, and what it executed."""

    everything: bool = False
    seed: int | None = None
    missing: int = 0
    again: int = 0
    executed: dict[str, dict[str, Answer]] = field(default_factory=dict)
    asked_with: dict[str, str] = field(default_factory=dict)


RUN = Run()


#: how far two results of these formats are apart after a few roundings, relative to them; where terms of about one
#: cancel, as in the gradient of a softmax, the rest is apart by as much
FEW_DIGITS = {"float16": 4e-3, "bfloat16": 3e-2}


#: of kinds of numbers, as of gradients at extremes, so many may differ: whether a sum of squares of 1e19 overflows
#: depends on its order, and on whether the processor rounds each product. On a processor that computes in float16,
#: GELU's gradient differs at one of 57 numbers
OTHERWISE = 0.02


class StaleRecordingError(AssertionError):
    """The framework gives something else than what is on record."""


@dataclass(frozen=True)
class Recordings:
    """The answers of a framework to the questions of one harness: of the sources that decide what it executes."""

    kind: str
    framework: str
    harness: tuple[Path, ...]

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.framework}"

    def answer(self, question: Sequence[object], execute: Callable[[], Answer]) -> Answer:
        """The answer to a question of texts, numbers and arrays: ``execute()`` where it is not on record."""
        installed, (recorded_with, kept) = release(self.framework), read(DIRECTORY / f"{self.name}.xz")
        asked_with = f"{installed or recorded_with.partition(';')[0]}; {sources(self.harness)}"
        RUN.asked_with[self.name] = asked_with
        key, kept = digest(question), kept if asked_with == recorded_with else {}
        executed = RUN.executed.setdefault(self.name, {})
        if key in executed:
            return executed[key]
        if key in kept and not (installed and (RUN.everything or self.is_drawn(key))):
            return kept[key]
        if not installed:
            pytest.skip(f"{self.framework} is not installed, and what it would give is not on record")
        found = executed[key] = execute()
        if RUN.everything:
            return found
        if key not in kept:
            RUN.missing += 1
            return found
        RUN.again += 1
        if not alike(found, kept[key]):
            asked = ", ".join(str(part)[:2000] for part in question)
            raise StaleRecordingError(f"{self.name}.xz has {kept[key]}, {self.framework} gives {found} for {asked}")
        return found

    def is_drawn(self, key: str) -> bool:
        """Whether a recording is one of those that this run executes again."""
        if RUN.seed is None or random.Random(RUN.seed).choice(list(RELEASES)) != self.framework:
            return False
        return random.Random(f"{RUN.seed} {key}").randrange(DRAWN) == 0


@cache
def release(framework: str) -> str | None:
    """The releases that decide what a framework gives on this sort of machine; None where it is not installed."""
    found = [next(filter(None, map(installed_version, names)), None) for names in RELEASES[framework]]
    return None if None in found else " ".join([*map(str, found), platform.machine()])


def installed_version(distribution: str) -> str | None:
    """A version without the label of its build."""
    try:
        return version(distribution).partition("+")[0]
    except PackageNotFoundError:
        return None


@cache
def sources(harness: tuple[Path, ...]) -> str:
    return digest([path.read_text(encoding="utf-8") for path in harness])


def digest(parts: Sequence[object]) -> str:
    """The same for the same texts, numbers and arrays."""
    made = hashlib.sha256()
    for part in parts:
        made.update(f"{part.dtype}{part.shape}".encode() if isinstance(part, np.ndarray) else repr(part).encode())
        made.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else b"\0")
    return made.hexdigest()[:16]


def alike(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same up to what rounds differently on another machine."""
    if isinstance(one, np.ndarray):
        if not isinstance(other, np.ndarray) or one.shape != other.shape or one.dtype != other.dtype:
            return False
        if one.dtype == np.uint8:
            return np.count_nonzero(one != other) <= OTHERWISE * one.size
        wide = complex if one.dtype.kind == "c" else float
        few, rest = FEW_DIGITS.get(one.dtype.name, 1e-3), FEW_DIGITS.get(one.dtype.name, 1e-6)
        one, other = one.astype(wide), other.astype(wide)
        if few > 1e-3 and has_float16():
            # what overflows in float32, of which float16 is made elsewhere, may be finite
            both = np.isfinite(one) & np.isfinite(other)
            one, other = one[both], other[both]
        return bool(np.allclose(one, other, rtol=few, atol=rest, equal_nan=True))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)
    return bool(one == other)


@cache
def has_float16() -> bool:
    """Whether the processor computes in float16 itself: then libraries take other ways there."""
    return Path("/proc/cpuinfo").exists() and "avx512_fp16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")


# ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def read(path: Path) -> tuple[str, Answers]:
    """The releases and the harness with which a file was recorded, and its answers by the digests of questions."""
    return unpacked(lzma.decompress(path.read_bytes())) if path.exists() else ("", {})


def write(executed: Mapping[str, Answers], *, whole: bool) -> Iterator[Path]:
    """Enter what was executed into its files, in place of all that they hold if ``whole``; gives those that change."""
    DIRECTORY.mkdir(exist_ok=True)
    for name, answers in executed.items():
        path, asked_with = DIRECTORY / f"{name}.xz", RUN.asked_with[name]
        recorded_with, kept = read(path)
        new = {**(kept if recorded_with == asked_with and not whole else {}), **answers}
        data = packed(asked_with, new)
        if answers and data != packed(recorded_with, kept):
            path.write_bytes(lzma.compress(data, preset=9))
            yield path
    read.cache_clear()


def packed(recorded_with: str, answers: Answers) -> bytes:
    """A line of JSON, and behind it the numbers of the arrays; what is equal is held once."""
    distinct: dict[str, int] = {}
    arrays: dict[tuple[str, tuple[int, ...], bytes], int] = {}

    def plain(part: Answer) -> Answer:
        if isinstance(part, np.ndarray):
            array = (part.dtype.str, part.shape, np.ascontiguousarray(part).tobytes())
            return {"array": arrays.setdefault(array, len(arrays))}
        if isinstance(part, dict):
            return {"dict": {key: plain(value) for key, value in part.items()}}
        return [plain(one) for one in part] if isinstance(part, list) else part

    index = {key: distinct.setdefault(json.dumps(plain(answers[key])), len(distinct)) for key in sorted(answers)}
    head = [recorded_with, index, list(map(json.loads, distinct)), [[kind, shape] for kind, shape, _ in arrays]]
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(data for _, _, data in arrays)


def unpacked(data: bytes) -> tuple[str, dict[str, Answer]]:
    """The other way."""
    head, _, numbers = data.partition(b"\n")
    recorded_with, index, distinct, shapes = json.loads(head)
    arrays, start = [], 0
    for kind, shape in shapes:
        count = math.prod(shape)
        arrays.append(np.frombuffer(numbers, kind, count, start if count else 0).reshape(shape))
        start += arrays[-1].nbytes

    def whole(part: Answer) -> Answer:
        if isinstance(part, dict):
            return arrays[part["array"]] if "array" in part else {k: whole(v) for k, v in part["dict"].items()}
        return [whole(one) for one in part] if isinstance(part, list) else part

    answers = [whole(one) for one in distinct]
    return recorded_with, {key: answers[n] for key, n in index.items()}


# ── a run of the tests ──────────────────────────────────────────────────────────────────────────────────────────────


def summary() -> Iterator[str]:
    """What a process has to say at its end."""
    if RUN.missing:
        yield f"{RUN.missing} answers of frameworks are not on record and were executed; --record keeps them"
    if RUN.again:
        yield f"{RUN.again} recordings executed again"
