"""Run programs of one framework family in this process and print what each returns, one JSON line a program.

Called by the tests as ``python execute.py FUNCTION FILE...``: each file is imported and its FUNCTION called. A line
holds ``path`` and one of: ``result``, for each returned key the flat list of its numbers (as ``repr``, so that nan and
inf survive JSON) or null for None; ``missing``, the framework that is not installed; ``error``, a traceback.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

FRAMEWORKS = {"torch", "tensorflow", "keras", "jax", "optax", "numpy", "scipy"}


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


def execute(path: Path, function: str) -> dict[str, object]:
    try:
        with contextlib.redirect_stdout(sys.stderr):
            returned = getattr(load(path), function)()
        if not isinstance(returned, dict):
            returned = {"value": returned}
        return {"result": {key: numbers(value) for key, value in returned.items()}}
    except ModuleNotFoundError as error:
        framework = (error.name or "").partition(".")[0]
        return {"missing": framework} if framework in FRAMEWORKS else {"error": traceback.format_exc()}
    except Exception:
        return {"error": traceback.format_exc()}


def main(function: str, paths: list[str]) -> None:
    warnings.simplefilter("ignore")
    for path in paths:
        print(json.dumps({"path": path, **execute(Path(path), function)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
