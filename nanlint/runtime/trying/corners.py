"""Ordinary inputs of functions, and the everyday corners of them: arrays and numbers only."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nanlint.runtime.health import Shape

#: shapes that ordinary arrays have, those first that most functions take
SHAPES = ((4, 3), (3,), (3, 3), (2, 4, 3), (2, 3, 4, 4), ())


@dataclass(frozen=True)
class Held:
    """An array that an object holds; ``trained``: whether gradients are taken by it."""

    array: np.ndarray
    trained: bool


@dataclass(frozen=True)
class Object:
    """One of a class, to be made with what it held, or ``constructed`` of it."""

    cls: type
    held: dict[Any, Any]
    constructed: bool = False

    def __repr__(self) -> str:
        return f"{self.cls.__qualname__}, as in the run" + " when it was made" * self.constructed


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


def ordinary(shape: Shape, seed: int) -> np.ndarray:
    """Numbers between 0.1 and 0.9, which nearly every function takes."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)


def alternatives(shape: Shape, seed: int) -> Iterator[Any]:
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


def _put(x: np.ndarray, at: Any, value: Any) -> np.ndarray:
    """The array with something else at a place."""
    x[at] = value
    return x


def _row(x: np.ndarray, to: float) -> np.ndarray:
    return _put(x, (0,) * max(x.ndim - 1, 0), to)


def _everywhere(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.full_like(x, value)


#: of arrays of floating-point numbers: what is done, to which it can be done, how. The plainest come first.
FLOATS: tuple[tuple[str, Callable[[np.ndarray], bool], Callable[[np.ndarray], np.ndarray]], ...] = (
    ("set to 0", lambda _: True, _everywhere(0.0)),
    ("with its first row set to 0", lambda x: x.ndim > 0, lambda x: _row(x, 0.0)),
    ("set to 1", lambda _: True, _everywhere(1.0)),
    ("with its first row set to 1", lambda x: x.ndim > 0, lambda x: _row(x, 1.0)),
    ("with a constant column", lambda x: x.ndim > 1, lambda x: _put(x, (..., 0), 0.5)),
    ("constant", lambda _: True, _everywhere(0.5)),
    ("with two equal rows", lambda x: x.ndim > 0 and len(x) > 1, lambda x: _put(x, 1, x[0])),
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
    ("in half precision, times 300", lambda _: True, lambda x: (300 * x).astype(np.float16)),
    ("in double precision", lambda _: True, lambda x: x.astype(np.float64)),
    ("with a missing value", lambda x: x.size > 0, lambda x: _put(x, (0,) * x.ndim, np.nan)),
)
OTHERS: tuple[tuple[str, Callable[[np.ndarray], bool], Callable[[np.ndarray], np.ndarray]], ...] = (
    ("set to 0", lambda _: True, _everywhere(0)),
    ("set to 1", lambda _: True, _everywhere(1)),
    ("with its first row set to 0", lambda x: x.ndim > 0, lambda x: _row(x, 0)),
    ("set to its least element", lambda x: x.size > 0, lambda x: np.full_like(x, x.min())),
    ("with no two alike", lambda x: x.dtype.kind == "i", lambda x: np.arange(x.size, dtype=x.dtype).reshape(x.shape)),
    ("without rows", lambda x: x.ndim > 0, lambda x: x[:0]),
    ("with one row", lambda x: x.ndim > 0 and len(x) > 1, lambda x: x[:1]),
)
#: of all that is trained in an object
WEIGHTS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("with its weights negated", lambda x: -x),
    ("with its weights times 10", lambda x: 10 * x),
)
NUMBERS = (0.0, 1.0, -1.0, 1e-6, 1e6)
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
    elif isinstance(value, Object):
        for change, of_weights in WEIGHTS:
            held = functools.partial(_trained, of_weights)
            yield given.changed(mapped(value, lambda x: x, held), change)
    elif isinstance(value, (int, float)):
        for number in NUMBERS if isinstance(value, float) else WHOLE:
            if number != value:
                yield given.changed(number, f"set to {number:g}")
    elif isinstance(value, (list, tuple, dict)) and value:
        for number in (0.0, 1.0, -1.0):
            filled = mapped(value, functools.partial(_filled, number))
            yield given.changed(filled, f"with its arrays set to {number:g}")
        if not isinstance(value, dict):
            yield given.changed(value[:0], "empty")
            yield given.changed(value[:1], "with one item")
            if isinstance(value[0], (int, float)):
                yield given.changed(type(value)((0, *value[1:])), "with its first item set to 0")


def _trained(change: Callable[[np.ndarray], np.ndarray], held: Held) -> Held:
    return replace(held, array=change(held.array)) if held.trained else held


def _filled(number: float, x: np.ndarray) -> np.ndarray:
    return np.full_like(x, number) if x.dtype.kind == "f" else x


def mapped(
    value: Any,
    function: Callable[[np.ndarray], Any],
    held: Callable[[Held], Any] | None = None,
    made: Callable[[Object], Any] = lambda one: one,
) -> Any:
    """A value with what a function makes of its arrays, in lists and dictionaries, too.

    ``held``: what makes of those that objects hold, of which ``made`` makes something then; else they stay as they are.
    """
    if isinstance(value, (list, tuple, set)):
        return type(value)(mapped(one, function, held, made) for one in value)
    if isinstance(value, dict):
        return {key: mapped(one, function, held, made) for key, one in value.items()}
    if isinstance(value, Object) and held is not None:
        return made(replace(value, held=mapped(value.held, function, held, made)))
    if isinstance(value, Held) and held is not None:
        return held(value)
    return function(value) if isinstance(value, np.ndarray) else value


def trials(inputs: Inputs) -> Iterator[Inputs]:
    """The inputs, then with one corner, two of them equal, the same corner of all, with two corners."""
    yield inputs
    single = [(i, corner) for i, given in enumerate(inputs) for corner in corners(given)]
    for i, corner in _plainest_first(single):
        yield _with(inputs, i, corner)
    arrays = [i for i, given in enumerate(inputs) if given.is_array and given.varied]
    equal = [(i, j) for i, j in itertools.combinations(arrays, 2) if inputs[i].value.shape == inputs[j].value.shape]
    for i, j in equal:
        yield _with(inputs, j, inputs[j].changed(inputs[i].value, f"equal to `{inputs[i].name}`"))
    alike: dict[str, dict[int, Input]] = {}
    for i, corner in single:
        if i in arrays:
            alike.setdefault(corner.change, {})[i] = corner
    for together in alike.values():
        if len(together) > 1:
            yield tuple(together.get(i, one) for i, one in enumerate(inputs))
    yield tuple(_halved(one) for one in inputs)
    scaled = [(i, corner) for i, given in enumerate(inputs) for corner in corners(given, scaled=True)]
    for i, corner in _plainest_first(scaled):
        yield _with(inputs, i, corner)
    for (i, first), (j, second) in itertools.combinations(_plainest_first(single + scaled), 2):
        if i != j:
            yield _with(_with(inputs, i, first), j, second)


def _halved(given: Input) -> Input:
    half = mapped(given.value, _half, lambda held: replace(held, array=_half(held.array)))
    return given.changed(half, "in half precision") if given.is_float or isinstance(given.value, Object) else given


def _half(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float16) if x.dtype.kind == "f" else x


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
