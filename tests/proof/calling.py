"""Call functions of programs of one framework with the numbers that witnesses print, in this process.

Called by the tests as ``python calling.py FRAMEWORK``, with a JSON list on standard input: path, function, arguments
(by name a number, or a list of numbers for an array). It prints for each the numbers that come out, as ``repr``, or
null where the function does not take a row (its arrays have more axes, or whole numbers) or gives none.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ARRAY: Mapping[str, Callable[[Sequence[float]], Any]] = {
    "torch": lambda row: importlib.import_module("torch").tensor(row),
    "tf": lambda row: importlib.import_module("tensorflow").constant(row),
    "keras": lambda row: importlib.import_module("tensorflow").constant(row),
    "jax": lambda row: importlib.import_module("jax.numpy").array(row),
    "numpy": lambda row: importlib.import_module("numpy").array(row),
}


def called(path: Path, function: str, arguments: Mapping[str, float | Sequence[float]], framework: str) -> object:
    """What the function gives, as numbers; None where it raises."""
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    given = {k: ARRAY[framework](v) if isinstance(v, list) else v for k, v in arguments.items()}
    try:
        result = getattr(module, function)(**given)
        result = result.detach() if framework == "torch" else result
        return [repr(float(x)) for x in importlib.import_module("numpy").asarray(result).reshape(-1)] or None
    except Exception:
        return None


def main() -> None:
    framework, answers = sys.argv[1], sys.stdout
    sys.stdout = sys.stderr
    warnings.simplefilter("ignore")
    tasks = json.load(sys.stdin)
    json.dump([called(Path(path), function, given, framework) for path, function, given in tasks], answers)


if __name__ == "__main__":
    main()
