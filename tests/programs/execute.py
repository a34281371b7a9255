"""Runs programs of one framework family in this process, and prints what each returns as a line of JSON.

Called by the tests as ``python execute.py``, with a line of JSON for each program on standard input: a file and the
name of its function. The file is imported and the function called. The answer is one of: ``result``, for each returned
key the flat list of its numbers (as ``repr``, so that nan and inf survive JSON) or null for None; ``missing``, the
framework that is not installed; ``error``, a traceback.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import random
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

FRAMEWORKS = {"torch", "tensorflow", "keras", "jax", "optax", "numpy", "scipy"}
#: what seeds a framework's own generator
SEEDS = {
    "numpy": "random.seed",
    "torch": "manual_seed",
    "tensorflow": "random.set_seed",
    "keras": "utils.set_random_seed",
}


def load(path: Path) -> Any:
    """The module at ``path``, under a name that no other program of this process has."""
    name = f"program_{path.parent.name}_{path.stem}".replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def numbers(value: object) -> list[str] | None:
    """The numbers of an array, a scalar or nested lists of them, in order; None where there is no number at all."""
    import numpy as np

    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        parts = [numbers(part) for part in value]
        present = [number for part in parts if part is not None for number in part]
        return present if present or not parts else None
    return [repr(float(number)) for number in np.asarray(value, dtype="float64").ravel()]


def seed() -> None:
    """The same random numbers for every program, of each framework that is imported."""
    random.seed(0)
    for framework, setter in SEEDS.items():
        if framework in sys.modules:
            owner: Any = sys.modules[framework]
            for part in setter.split("."):
                owner = getattr(owner, part)
            owner(0)


def import_frameworks(text: str) -> None:
    """Import what a program will: that may itself use up random numbers."""
    for framework in FRAMEWORKS & SEEDS.keys():
        if f"import {framework}" in text or f"from {framework}" in text:
            with contextlib.suppress(ModuleNotFoundError):
                importlib.import_module(framework)


def execute(path: Path, function: str) -> dict[str, object]:
    try:
        import_frameworks(path.read_text(encoding="utf-8"))
        seed()
        module = load(path)
        seed()
        returned = getattr(module, function)()
        if not isinstance(returned, dict):
            returned = {"value": returned}
        return {"result": {key: numbers(value) for key, value in returned.items()}}
    except ModuleNotFoundError as error:
        framework = (error.name or "").partition(".")[0]
        return {"missing": framework} if framework in FRAMEWORKS else {"error": traceback.format_exc()}
    except Exception:
        return {"error": traceback.format_exc()}


def main() -> None:
    warnings.simplefilter("ignore")
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        path, function = json.loads(line)
        print(json.dumps(execute(Path(path), function)), file=answers, flush=True)


if __name__ == "__main__":
    main()
