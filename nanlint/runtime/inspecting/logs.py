"""What a run that is over wrote of itself: CSV, JSON lines, the state of a trainer, TensorBoard's events."""

from __future__ import annotations

import csv
import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nanlint.diagnostic import Diagnostic
from nanlint.disk import read_regular, reason
from nanlint.runtime.runfile import PREFIX, RunError
from nanlint.runtime.telling import listed
from nanlint.runtime.trends import SET, first_bad, growth, jumps

#: columns that number the rows, the best first: what Lightning, Keras, transformers, Weights & Biases write
STEPS = ("step", "_step", "global_step", "iteration", "epoch")
#: columns that say when, or what is set, and measure nothing
UNMEASURED = frozenset({*STEPS, "_timestamp", "_runtime", "time", "wall_time", "total_flos"})
#: how TensorBoard names its files
EVENTS = "tfevents"
#: how many findings, and jumps of one history, are shown
MOST = 5
#: UTF-8, with or without a mark at its start
ENCODING = "utf-8-sig"


@dataclass
class History:
    """What was logged under one name: the steps, and the number at each."""

    name: str
    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def at(self, position: int) -> str:
        return f"step {self.steps[position]:,}"


def is_log(path: str) -> bool:
    """Whether a path is a file that is no part of a run of `nanlint verify`."""
    return os.path.isfile(path) and not os.path.basename(path).startswith(PREFIX)


def read_log(path: str) -> list[History]:
    """The histories in a log, by name. Raises RunError for what is none."""
    histories: dict[str, History] = {}
    rows = _events(path) if EVENTS in os.path.basename(path) else _numbered(_rows(path))
    for name, step, value in rows:
        history = histories.setdefault(name, History(name))
        history.steps.append(step)
        history.values.append(value)
    if not histories:
        raise RunError(f"{path}: no numbers in it; nanlint reads CSV, JSON lines, trainer_state.json, and tfevents")
    return sorted(histories.values(), key=lambda one: one.name)


def _rows(path: str) -> Iterable[Mapping[str, Any]]:
    """The rows of a text: what is no table of JSON objects is CSV."""
    try:
        text = read_regular(path, most=-1).decode(ENCODING)
    except OSError as error:
        raise RunError(f"{path}: could not be read: {reason(error)}") from None
    except UnicodeDecodeError:
        raise RunError(f"{path}: is no text; nanlint reads CSV, JSON lines, trainer_state.json, and tfevents") from None
    if not text.lstrip().startswith(("{", "[")):
        try:
            return list(csv.DictReader(text.splitlines()))
        except csv.Error as error:
            raise RunError(f"{path}: is no CSV: {error}") from None
    try:
        content = json.loads(text)
    except ValueError:
        return _lines(path, text)
    if isinstance(content, dict):
        content = content.get("log_history", [content])
    return [row for row in content if isinstance(row, dict)]


def _lines(path: str, text: str) -> list[Mapping[str, Any]]:
    """JSON, an object a line; the last may be cut off, as a killed run leaves it."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            if number == len(lines) > 1:
                break
            raise RunError(f"{path}: line {number} is no JSON: {error}") from None
        if isinstance(row, dict):
            rows.append(row)
    return rows


def _numbered(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, int, float]]:
    """Names, steps and numbers of rows; a row that has no step has the number of the row."""
    for number, row in enumerate(rows):
        step = next((found for name in STEPS if (found := _number(row.get(name))) is not None), float(number))
        for name, value in row.items():
            if name and name not in UNMEASURED and (found := _number(value)) is not None:
                yield name, int(step), found


def _number(value: object) -> float | None:
    """A number, however a log spells it; None for what is none, or left empty."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _events(path: str) -> Iterator[tuple[str, int, float]]:
    """What TensorBoard's own reader finds."""
    try:
        from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
            EventAccumulator,
        )
    except ImportError:
        raise RunError(f"{path}: is read by TensorBoard, which is not installed: pip install tensorboard") from None
    found = EventAccumulator(path, size_guidance={"scalars": 0, "tensors": 0})
    found.Reload()
    tags = found.Tags()
    for name in tags["scalars"]:
        yield from ((name, one.step, one.value) for one in found.Scalars(name))
    for name in tags["tensors"]:
        # as TensorFlow 2 writes scalars
        for one in found.Tensors(name):
            if not one.tensor_proto.tensor_shape.dim and one.tensor_proto.dtype in (1, 2):
                yield name, one.step, _scalar(one.tensor_proto)


def _scalar(proto: Any) -> float:
    from tensorboard.util.tensor_util import make_ndarray  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return float(make_ndarray(proto))


def told(path: str, histories: Sequence[History], findings: Callable[[], Sequence[Diagnostic]]) -> Iterator[str]:
    """What is seen in a log, on one screen: the first event first, then what the project's code says."""
    events: dict[str, list[str]] = defaultdict(list)
    firsts: dict[str, int] = {}
    for history in histories:
        for step, words in _seen(history):
            events[history.name].append(words)
            firsts[history.name] = min(step, firsts.get(history.name, step))
    rows = max(len(history.steps) for history in histories)
    yield f"{path}: {len(histories)} histor{'y' if len(histories) == 1 else 'ies'} of up to {rows:,} numbers"
    for name in sorted(events, key=lambda name: (firsts[name], name)):
        yield f"  {name}: {'; '.join(events[name])}"
    quiet = [history.name for history in histories if history.name not in events]
    if quiet:
        yield f"  finite, without growth or jumps: {listed(quiet, MOST)}"
    if not events:
        return
    if found := findings():
        yield "What may break in the code here, likeliest first:"
        likeliest = sorted(found, key=lambda one: (-one.confidence, one.path, one.span))
        yield from (
            f"  {one.path}:{one.span.row}: {one.code} [{one.confidence}] {one.message}" for one in likeliest[:MOST]
        )
        yield "See all with `nanlint check`; find the line with `nanlint verify`, around the run."
    else:
        yield "`nanlint check` has no finding here; find the line with `nanlint verify`, around the run."


def _seen(history: History) -> Iterator[tuple[int, str]]:
    """What is seen of one history, each with its step."""
    bad = first_bad(history.values)
    finite = history.values[:bad]
    grown = growth(finite)
    if grown is not None and not SET.search(history.name):
        since = history.steps[grown.first]
        yield since, f"grew from {history.at(grown.first)} on, {grown.start:.3g} to {grown.end:.3g}"
    spikes = list(jumps(finite))
    if spikes:
        where = listed([f"{history.steps[i]:,}" for i in spikes], MOST)
        yield history.steps[spikes[0]], f"jumped at step {where}"
    if bad is not None:
        count = sum(not math.isfinite(value) for value in history.values)
        always = "from then on" if count == len(history.values) - bad else f"in {count:,} of {len(history.values):,}"
        yield history.steps[bad], f"first {history.values[bad]} at {history.at(bad)}, {always}"
