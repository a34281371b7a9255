"""What functions were called with in a run: arrays, plain values, and objects by their state, a few calls of each.

Files of NumPy's that are read without unpickling anything: an object is one of a class that the tried file has loaded,
made without its constructor, with what it held. What else a call was given is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import operator
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from nanlint.runtime.adapters.calling import FRAMEWORKS, Framework
from nanlint.runtime.launch import keep_out_of_git
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.trying.corners import Held, Input, Inputs, Object

#: where they are kept, below the working directory
INPUTS = os.path.join(".nanlint", "inputs")
#: which calls of a function are kept; elements of an array, and items of what holds others, that are kept
CALLS, ELEMENTS, ITEMS = (1, 10, 100), 1 << 16, 200
#: how deep objects are in each other, and values in all, of what one call is given
DEPTH, VALUES = 12, 4_000
#: what holds others, by name
HOLDING = {one.__name__: one for one in (list, tuple, set)}

_calls: Counter[tuple[str, str]] = Counter()
_frameworks: dict[str, Framework] = {}


class _Unkept(Exception):
    """A value that is neither an array nor plain nor an object, or is too large."""


class _Told:
    """The words for what one call was given, and the arrays in it."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._values = 0
        self.arrays: dict[str, np.ndarray] = {}
        self.frameworks: set[str] = set()

    def all(self, given: Mapping[Any, Any], depth: int = 0) -> list[tuple[Any, Any]]:
        """Names and values, without those that cannot be kept."""
        found = []
        for key, value in given.items():
            try:
                found.append((key, self.value(value, depth)))
            except _Unkept:
                continue
        return found

    def value(self, value: Any, depth: int) -> dict[str, Any]:
        """One value."""
        self._values += 1
        if depth > DEPTH or self._values > VALUES:
            raise _Unkept
        if value is None or isinstance(value, (bool, int, float, str)):
            if isinstance(value, str) and len(value) > ITEMS:
                raise _Unkept
            return {"value": value}
        kind = next((name for name, one in HOLDING.items() if isinstance(value, one)), "")
        if kind and len(value) <= ITEMS:
            return {kind: [self.value(one, depth + 1) for one in value]}
        if isinstance(value, dict) and len(value) <= ITEMS and all(isinstance(one, (str, int)) for one in value):
            return {"dict": self.all(value, depth + 1)}
        adapter = self._recorder.adapter_of(value)
        if adapter is not None and adapter.name in FRAMEWORKS and adapter.concrete(value):
            return self._array(value, adapter.name, depth)
        cls = type(value)
        name = cls.__module__, cls.__qualname__
        if _loaded(*name, sys.modules["__main__"]) is not cls or not hasattr(value, "__dict__") or not self._takes(cls):
            raise _Unkept
        return {"object": name, "held": self.all(vars(value), depth + 1)}

    def _takes(self, cls: type) -> bool:
        """Whether an object may be kept: one of the user's, or of a framework."""
        path = getattr(sys.modules[cls.__module__], "__file__", None) or ""
        return cls.__module__.partition(".")[0] in FRAMEWORKS or self._recorder.owns_file(path)

    def _array(self, value: Any, name: str, depth: int) -> dict[str, Any]:
        framework = _frameworks.setdefault(name, FRAMEWORKS[name]())
        made = framework.numpy(value)
        if made.dtype.kind not in "biuf" or (made.size > ELEMENTS and not depth):
            raise _Unkept
        self.frameworks.add(name)
        trained = framework.trained(value)
        if made.size > ELEMENTS:  # others of this size do as well
            return {"like": made.shape, "dtype": str(made.dtype), "spread": float(made.std()), "trained": trained}
        key = f"array{len(self.arrays)}"
        self.arrays[key] = made
        return {"array": key, "trained": trained}


def keep(recorder: Recorder, path: str, name: str, given: Mapping[str, Any]) -> None:
    """Keep what a function of a file was called with, by the names of its parameters."""
    _calls[path, name] += 1
    count = _calls[path, name]
    if count not in CALLS:
        return
    told = _Told(recorder)
    words = told.all(given)
    framework = next((one for one in FRAMEWORKS if one in told.frameworks), "numpy")
    meta = json.dumps({"framework": framework, "given": words}).encode()
    directory = recorder.options.keep_inputs
    os.makedirs(directory, mode=0o700, exist_ok=True)
    keep_out_of_git(directory)
    arrays = {**told.arrays, "meta": np.frombuffer(meta, dtype=np.uint8)}
    np.savez(_file(directory, path, name, count), allow_pickle=False, **arrays)


def kept(directory: str, path: str, name: str, module: ModuleType) -> Iterator[tuple[str, Inputs]]:
    """What was kept of the calls of a function: the framework, and its inputs; what cannot be read is passed over.

    ``module``: of the file. An array that an object holds is an input as well, as ``self.x``. Calls with objects come
    again, with those that are made by their constructors, of what these were called with.
    """
    for anew in (False, True):
        for count in CALLS:
            reader = _Reader(directory, module, anew)
            given = reader.call(path, name, count)
            found = []
            for key, value in given.items():
                found.append(Input(key, value))
                inside = value.held.items() if isinstance(value, Object) and not value.constructed else ()
                found += [Input(f"{key}.{name}", one.array) for name, one in inside if isinstance(one, Held)]
            if given and (reader.constructed or not anew):
                yield reader.framework, tuple(found)


class _Reader:
    """What the words for a call mean; ``anew``: objects are made by their constructors, where those were kept."""

    def __init__(self, directory: str, module: ModuleType, anew: bool) -> None:
        self._directory, self._module, self._anew = directory, module, anew
        self._arrays: dict[str, np.ndarray] = {}
        self.framework = ""
        self.constructed = False

    def call(self, path: str, name: str, count: int, making: bool = False) -> dict[str, Any]:
        """Names and values of a call; empty if it cannot be read. ``making``: an object, without that itself."""
        try:
            with np.load(_file(self._directory, path, name, count), allow_pickle=False) as file:
                self._arrays = {key: file[key] for key in file.files}
            told = json.loads(self._arrays.pop("meta").tobytes())
            self.framework = told["framework"]
            return self._all(told["given"][making:], making)
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _all(self, told: list[list[Any]], held: bool) -> dict[Any, Any]:
        """Names and values; ``held``: by an object, so that arrays are its own."""
        found = {}
        for key, one in told:
            with contextlib.suppress(_Unkept):
                found[key] = self._value(one, held)
        return found

    def _value(self, told: Mapping[str, Any], held: bool) -> Any:
        kind = next(iter(told))
        if kind == "value":
            return told[kind]
        if kind == "dict":
            return self._all(told[kind], held)
        if kind in HOLDING:
            return HOLDING[kind](self._value(one, held) for one in told[kind])
        if kind in ("array", "like"):
            made = self._arrays[told[kind]] if kind == "array" else _like(**told)
            return Held(made, told["trained"]) if held else made
        cls = _loaded(told["object"][0], told["object"][1], self._module)
        if cls is None:
            raise _Unkept
        path = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
        reader = _Reader(self._directory, self._module, anew=True)
        given = reader.call(path, f"{cls.__qualname__}.__init__", 1, making=True) if self._anew else {}
        self.constructed |= bool(reader.framework)
        return Object(cls, given or self._all(told["held"], held=True), constructed=bool(reader.framework))


def _like(like: Sequence[int], dtype: str, spread: float, trained: bool) -> np.ndarray:
    """An array of a shape and spread, in the place of one that was too large."""
    return np.random.default_rng(0).normal(scale=spread, size=like).astype(dtype)


def _loaded(module: str, name: str, main: ModuleType) -> type | None:
    """The class of a name in a module that is loaded, and is not Python's own; None if there is none.

    ``main``: where that is which the program's own file defines.
    """
    if module.partition(".")[0] in sys.stdlib_module_names:
        return None
    try:
        found = operator.attrgetter(name)(main if module == "__main__" else sys.modules[module])
    except (AttributeError, KeyError):
        return None
    return found if isinstance(found, type) else None


def _file(directory: str, path: str, name: str, count: int) -> str:
    digest = hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:12]
    return os.path.join(directory, f"{name}-{digest}-{count}.npz")
