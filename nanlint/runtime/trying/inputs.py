"""What functions with findings were called with in a run: arrays and plain values, a few calls of each.

Files of NumPy's that are read without unpickling anything. What else a call was given is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nanlint.runtime.adapters.calling import FRAMEWORKS, Framework
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.trying.corners import Input, Inputs

#: where they are kept, below the working directory
INPUTS = os.path.join(".nanlint", "inputs")
#: which calls of a function are kept; elements of an array, and characters of a text, that are kept
CALLS, ELEMENTS, CHARACTERS = (1, 10, 100), 1 << 16, 200

_calls: Counter[tuple[str, str]] = Counter()
_frameworks: dict[str, Framework] = {}


class _Unkept(Exception):
    """A value that is neither an array nor plain, or is too large."""


def keep(recorder: Recorder, path: str, name: str, given: Mapping[str, Any]) -> None:
    """Keep what a function of a file was called with, by the names of its parameters."""
    _calls[path, name] += 1
    count = _calls[path, name]
    if count not in CALLS:
        return
    arrays: dict[str, np.ndarray] = {}
    used: set[str] = set()

    def plain(value: Any, depth: int = 0) -> Any:
        if value is None or isinstance(value, (bool, int, float)):
            return {"value": value}
        if isinstance(value, str) and len(value) <= CHARACTERS:
            return {"value": value}
        if isinstance(value, (list, tuple)) and depth < 2 and len(value) <= CHARACTERS:
            return {"list": [plain(one, depth + 1) for one in value]}
        if (
            type(value) is dict
            and depth < 2
            and len(value) <= CHARACTERS
            and all(isinstance(one, str) for one in value)
        ):
            return {"dict": {key: plain(one, depth + 1) for key, one in value.items()}}
        adapter = recorder.adapter_of(value)
        if adapter is None or adapter.name not in FRAMEWORKS or not adapter.concrete(value):
            raise _Unkept
        made = _frameworks.setdefault(adapter.name, FRAMEWORKS[adapter.name]()).numpy(value)
        if made.dtype.kind not in "biuf" or made.size > ELEMENTS:
            raise _Unkept
        used.add(adapter.name)
        arrays[f"array{len(arrays)}"] = made
        return {"array": f"array{len(arrays) - 1}"}

    told = {}
    for key, value in given.items():
        try:
            told[key] = plain(value)
        except _Unkept:
            continue
    framework = next((one for one in FRAMEWORKS if one in used), "numpy")
    meta = json.dumps({"framework": framework, "given": told}).encode()
    directory = recorder.options.keep_inputs
    os.makedirs(directory, mode=0o700, exist_ok=True)
    arrays["meta"] = np.frombuffer(meta, dtype=np.uint8)
    np.savez(_file(directory, path, name, count), allow_pickle=False, **arrays)


def kept(directory: str, path: str, name: str) -> Iterator[tuple[str, Inputs]]:
    """What was kept of the calls of a function: the framework, and its inputs; what cannot be read is passed over."""
    for count in CALLS:
        try:
            with np.load(_file(directory, path, name, count), allow_pickle=False) as file:
                arrays = {key: file[key] for key in file.files}
            told = json.loads(arrays.pop("meta").tobytes())
            found = tuple(Input(key, _value(one, arrays)) for key, one in told["given"].items())
        except (OSError, ValueError, KeyError):
            continue
        yield told["framework"], found


def _value(told: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
    if "list" in told:
        return [_value(one, arrays) for one in told["list"]]
    if "dict" in told:
        return {key: _value(one, arrays) for key, one in told["dict"].items()}
    return arrays[told["array"]] if "array" in told else told["value"]


def _file(directory: str, path: str, name: str, count: int) -> str:
    digest = hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:12]
    return os.path.join(directory, f"{name}-{digest}-{count}.npz")
