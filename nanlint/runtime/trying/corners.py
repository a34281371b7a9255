"""Ordinary inputs of functions, and the everyday corners of them: arrays and numbers only."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

#: shapes that ordinary arrays have, those first that most functions take
SHAPES = ((4, 3), (3,), (3, 3), (2, 4, 3), (2, 3, 4, 4), ())


@dataclass(frozen=True)
class Input:
    """What a parameter is given: an array, which becomes one of the framework's, or a value as it is.

    ``change``: what was done to an ordinary one.
    """

    name: str
    value: Any
    change: str = ""
    varied: bool = True

    @property
    def is_array(self) -> bool:
        """Whether it becomes an array of the framework."""
        return isinstance(self.value, np.ndarray)

    @property
    def is_float(self) -> bool:
        """Whether it is one of floating-point numbers."""
        return self.is_array and bool(self.value.dtype.kind == "f")

    def changed(self, value: Any, change: str) -> Input:
        """Another value in its place."""
        return replace(self, value=value, change=change)


Inputs = tuple[Input, ...]


def ordinary(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Numbers between 0.1 and 0.9, which nearly every function takes."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)


def alternatives(shape: tuple[int, ...], seed: int) -> Iterator[Any]:
    """What else a parameter may be, beside an array of a shape: a mask, indices, a shorter array, a number, a list."""
    random = np.random.default_rng(seed)
    lead = shape[:1] or (3,)
    yield random.uniform(size=shape) < 0.5
    yield random.integers(0, 2, shape)
    yield random.integers(0, 2, lead)
    yield ordinary(lead, seed)
    yield ordinary(shape[-1:] or (3,), seed)
    yield 0.5
    yield 3
    yield [ordinary(shape, seed), ordinary(shape, seed + 1)]
    yield None


def _row(x: np.ndarray, to: float) -> np.ndarray:
    x[(0,) * max(x.ndim - 1, 0)] = to
    return x


def _constant_column(x: np.ndarray) -> np.ndarray:
    x[..., 0] = 0.5
    return x


def _duplicate(x: np.ndarray) -> np.ndarray:
    x[1] = x[0]
    return x


def _missing(x: np.ndarray) -> np.ndarray:
    x[(0,) * x.ndim] = np.nan
    return x


def _everywhere(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.full_like(x, value)


#: of arrays of floating-point numbers: what is done, to which it can be done, how. The plainest come first.
FLOATS: tuple[tuple[str, Callable[[np.ndarray], bool], Callable[[np.ndarray], np.ndarray]], ...] = (
    ("set to 0", lambda _: True, _everywhere(0.0)),
    ("with its first row set to 0", lambda x: x.ndim > 0, lambda x: _row(x, 0.0)),
    ("set to 1", lambda _: True, _everywhere(1.0)),
    ("with its first row set to 1", lambda x: x.ndim > 0, lambda x: _row(x, 1.0)),
    ("with a constant column", lambda x: x.ndim > 1, _constant_column),
    ("constant", lambda _: True, _everywhere(0.5)),
    ("with two equal rows", lambda x: x.ndim > 0 and len(x) > 1, _duplicate),
    ("of both signs", lambda _: True, lambda x: 4 * x - 2),
    ("negated", lambda _: True, lambda x: -x),
    ("set to -1", lambda _: True, _everywhere(-1.0)),
    ("with one row", lambda x: x.ndim > 0 and len(x) > 1, lambda x: x[:1]),
    ("with one column", lambda x: x.ndim > 1 and x.shape[-1] > 1, lambda x: x[..., :1]),
    ("without rows", lambda x: x.ndim > 0, lambda x: x[:0]),
)
#: the same with magnitudes and formats that are rarer
SCALES: tuple[tuple[str, Callable[[np.ndarray], bool], Callable[[np.ndarray], np.ndarray]], ...] = (
    ("times 200, of both signs", lambda _: True, lambda x: 200 * (2 * x - 1)),
    ("times 1e6", lambda _: True, lambda x: 1e6 * x),
    ("times 1e-6", lambda _: True, lambda x: 1e-6 * x),
    ("times 1e20", lambda _: True, lambda x: 1e20 * x),
    ("times 1e-30", lambda _: True, lambda x: 1e-30 * x),
    ("in half precision, times 300", lambda _: True, lambda x: (300 * x).astype(np.float16)),
    ("in double precision", lambda _: True, lambda x: x.astype(np.float64)),
    ("with a missing value", lambda x: x.size > 0, _missing),
)
OTHERS: tuple[tuple[str, Callable[[np.ndarray], bool], Callable[[np.ndarray], np.ndarray]], ...] = (
    ("set to 0", lambda _: True, _everywhere(0)),
    ("set to 1", lambda _: True, _everywhere(1)),
    ("without rows", lambda x: x.ndim > 0, lambda x: x[:0]),
    ("with one row", lambda x: x.ndim > 0 and len(x) > 1, lambda x: x[:1]),
)
NUMBERS = (0.0, 1.0, -1.0, 1e-30, 1e30)
WHOLE = (0, 1)


def corners(given: Input, scaled: bool = False) -> Iterator[Input]:
    """An input with one thing changed, the plainest changes first; ``scaled``: the rarer ones."""
    value = given.value
    if not given.varied or isinstance(value, (bool, str)) or value is None:
        return
    if given.is_array:
        table = (SCALES if scaled else FLOATS) if given.is_float else () if scaled else OTHERS
        for change, fits, make in table:
            if fits(value):
                with np.errstate(all="ignore"):
                    yield given.changed(make(value.copy()), change)
    elif scaled:
        return
    elif isinstance(value, (int, float)):
        for number in NUMBERS if isinstance(value, float) else WHOLE:
            if number != value:
                yield given.changed(number, f"set to {number:g}")
    elif isinstance(value, (list, dict)) and value:
        for number in (0.0, 1.0, -1.0):
            yield given.changed(_filled(value, number), f"with its arrays set to {number:g}")
        if isinstance(value, list):
            yield given.changed([], "empty")
            yield given.changed(value[:1], "with one item")


def _filled(value: Any, number: float) -> Any:
    if isinstance(value, list):
        return [_filled(one, number) for one in value]
    if isinstance(value, dict):
        return {key: _filled(one, number) for key, one in value.items()}
    return np.full_like(value, number) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def trials(inputs: Inputs) -> Iterator[Inputs]:
    """The inputs, then with one corner, with two of them equal, with two corners."""
    yield inputs
    single = [(i, corner) for i, given in enumerate(inputs) for corner in corners(given)]
    for i, corner in _plainest_first(single):
        yield _with(inputs, i, corner)
    arrays = [i for i, given in enumerate(inputs) if given.is_array and given.varied]
    equal = [(i, j) for i, j in itertools.combinations(arrays, 2) if inputs[i].value.shape == inputs[j].value.shape]
    for i, j in equal:
        yield _with(inputs, j, inputs[j].changed(inputs[i].value, f"equal to `{inputs[i].name}`"))
    if len(arrays) > 1:  # what changes the number of rows is for all of them
        for cut, change in ((slice(0, 1), "with one row"), (slice(0, 0), "without rows")):
            yield tuple(
                one.changed(one.value[cut], change) if i in arrays and one.value.ndim else one
                for i, one in enumerate(inputs)
            )
    scaled = [(i, corner) for i, given in enumerate(inputs) for corner in corners(given, scaled=True)]
    for i, corner in _plainest_first(scaled):
        yield _with(inputs, i, corner)
    for (i, first), (j, second) in itertools.combinations(_plainest_first(single + scaled), 2):
        if i != j:
            yield _with(_with(inputs, i, first), j, second)


def _plainest_first(single: list[tuple[int, Input]]) -> list[tuple[int, Input]]:
    ranks: dict[int, int] = {}
    ranked = []
    for i, corner in single:
        ranked.append((ranks.setdefault(i, 0), i, corner))
        ranks[i] += 1
    return [(i, corner) for _, i, corner in sorted(ranked, key=lambda one: one[:2])]


def _with(inputs: Inputs, index: int, given: Input) -> Inputs:
    return (*inputs[:index], given, *inputs[index + 1 :])


def simpler(inputs: Inputs) -> Iterator[Inputs]:
    """Smaller inputs, and inputs with rounder numbers, that may do as well."""
    for cut in (slice(0, 1), slice(0, 2)):
        yield tuple(one.changed(one.value[cut], one.change) if _longer(one, cut) else one for one in inputs)
    yield tuple(one if one.change or not one.is_float else one.changed(np.ones_like(one.value), "") for one in inputs)
    yield tuple(one.changed(one.value.round(1), one.change) if one.is_float else one for one in inputs)


def _longer(given: Input, cut: slice) -> bool:
    return given.is_array and given.value.ndim > 0 and len(given.value) > cut.stop
