"""Functions that somebody gives something else: lists, whole numbers, masked arrays, arrays of another framework, a
tracer. Whether they still give the same after their fixes.

    python benchmarks/given.py [NAME …]

Each program in ``given/`` works as it is: its ``main()`` gives the ordinary results. A line ``# file: NAME`` begins
another file of its project. It is mended in each way (safe fixes or all, of what is found by default or at the lowest
level), and executed again: a result that is another (in type, dtype, shape, mask or numbers), or an error, is a fix
that should not have been applied.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nanlint import config_of_keys  # noqa: E402
from nanlint.lint.one_file import fix_source  # noqa: E402
from nanlint.source import Source  # noqa: E402
from nanlint.source.project import in_project  # noqa: E402
from nanlint.source.project_files import forget  # noqa: E402

PROGRAMS = ROOT / "benchmarks" / "given"
WAYS = {
    f"{'unsafe' if unsafe else 'safe'}, {level}": (unsafe, level)
    for unsafe in (False, True)
    for level in ("likely", "possible")
}
#: how far results may be apart
TOLERANCE = 1e-4


def files_of(text: str) -> dict[str, str]:
    """The files of a program by their names; the first is ``program.py``."""
    first, *others = text.split("# file: ")
    parts = {name: rest for name, _, rest in (other.partition("\n") for other in others)}
    return {"program.py": first, **parts}


def mended(files: Mapping[str, str], directory: Path, *, unsafe: bool, level: str) -> dict[str, str]:
    """The files of a project after the fixes of each, one after the other."""
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    found = {}
    for name in files:
        path = directory / name
        if path.suffix == ".py":
            forget()
            source = in_project(Source(str(path), path.read_text()))
            fixed = fix_source(source, config_of_keys(str(path), {"confidence": level}), unsafe=unsafe)
            path.write_text(fixed.source.text)
        found[name] = path.read_text()
    return found


def results(projects: Iterable[Path]) -> list[Any]:
    """What the main() of each project gives, in words and numbers: executed one after the other in another process."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "KERAS_BACKEND": "tensorflow"}
    command = [sys.executable, __file__, "--execute", *map(str, projects)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return list(json.loads(done.stdout.splitlines()[-1]))


def executed(project: Path) -> Any:
    """What main() gives, or what it raises."""
    sys.path.insert(0, str(project))
    known = set(sys.modules)
    try:
        return list(described(__import__("program").main()))
    except Exception as error:
        return [["raised", f"{type(error).__name__}: {str(error).splitlines()[:1]}"]]
    finally:
        sys.path.remove(str(project))
        for name in set(sys.modules) - known:
            if str(project) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def described(value: Any) -> Iterator[list[Any]]:
    """A result as types, dtypes, shapes, masks and numbers; of tuples and lists each part."""
    import numpy as np

    if isinstance(value, tuple | list):
        for part in value:
            yield from described(part)
        return
    plain = value.detach() if hasattr(value, "detach") else value
    array = np.ma.getdata(plain) if isinstance(plain, np.ma.MaskedArray) else np.asarray(plain)
    if array.dtype.kind not in "fiub":
        yield [type(value).__name__, str(value)]
        return
    mask = np.broadcast_to(np.ma.getmaskarray(plain), array.shape) if isinstance(plain, np.ma.MaskedArray) else None
    numbers = np.where(mask, 0, array) if mask is not None else array
    yield [
        type(value).__name__,
        str(array.dtype),
        list(array.shape),
        mask.tolist() if mask is not None else None,
        bool(getattr(value, "requires_grad", False)),
        numbers.astype(float).ravel().tolist(),
    ]


def same(before: Any, after: Any) -> bool:
    """Whether two descriptions are of the same results."""
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(same, before, after))
    if isinstance(before, float) and isinstance(after, float):
        return (
            before == after
            or (before != before and after != after)
            or abs(before - after) <= TOLERANCE * max(1.0, abs(before))
        )
    return bool(before == after)


def broken(names: Iterable[str] = ()) -> Iterator[tuple[str, str, str]]:
    """The programs that a fix breaks: name, way, what it gives. One that does not work as it is, too."""
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        asked: list[tuple[str, str, Path]] = []
        for program in sorted(PROGRAMS.glob("*.py")):
            if names and program.stem not in names:
                continue
            files = files_of(program.read_text())
            seen: dict[str, Path] = {}
            for way, (unsafe, level) in {"as it is": (None, ""), **WAYS}.items():
                place = directory / f"{program.stem}_{len(list(directory.iterdir()))}"
                place.mkdir()
                (place / "pyproject.toml").write_text("")
                if unsafe is None:
                    for name, text in files.items():
                        (place / name).parent.mkdir(parents=True, exist_ok=True)
                        (place / name).write_text(text)
                    now = files
                else:
                    now = mended(files, place, unsafe=unsafe, level=level)
                if (key := json.dumps(now)) not in seen:
                    seen[key] = place
                    asked.append((program.stem, way, place))
        outcomes = results([place for _, _, place in asked])
        original: Any = None
        for (name, way, _), outcome in zip(asked, outcomes, strict=True):
            if way == "as it is":
                original = outcome
                if outcome[0][0] == "raised":
                    yield name, way, str(outcome)
            elif not same(original, outcome):
                yield name, way, str(outcome)[:200]


def main() -> int:
    """Print the programs that are broken; how many there are is said at the end."""
    found = list(broken(sys.argv[1:]))
    for one in found:
        print(" | ".join(one))
    total = len(list(PROGRAMS.glob("*.py")))
    print(f"{len({name for name, *_ in found})} of {total} programs are broken in some way")
    return 1 if found else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--execute"]:
        print("\n" + json.dumps([executed(Path(one)) for one in sys.argv[2:]]))
    else:
        sys.exit(main())
