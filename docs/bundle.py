"""What the playground loads beside Pyodide: nanlint's wheel, its packages, the examples, one answer, a manifest.

Nothing is downloaded: the wheel is built from this tree, the packages are those of the environment that builds the
site, as Python source.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
#: what checking and fixing may import
NEEDED = ("docstring-parser",)
COMPILED = (".so", ".pyd")
FIRST = "torch_sqrt_mse.py"


class NotPure(Exception):
    """A package has a module without Python source: a browser cannot load it."""


def bundle(pyodide: str) -> Iterator[tuple[str, bytes]]:
    """The files below ``playground/``; ``pyodide`` is the address of Pyodide's own files."""
    wheel, content = nanlint_wheel()
    yield wheel, content
    yield "packages.zip", packages()
    examples = sorted((ROOT / "examples").glob("*.py"))
    for path in examples:
        yield f"examples/{path.name}", path.read_bytes()
    yield "first.json", json.dumps(first_answer()).encode()
    manifest = {
        "pyodide": pyodide,
        "archives": [wheel, "packages.zip"],
        "examples": [path.name for path in examples],
        "first": FIRST,
    }
    yield "manifest.json", json.dumps(manifest, indent=2).encode()


def first_answer() -> dict[str, object]:
    """The findings in the first example and its fixed text: shown until Python is loaded, or where it cannot be."""
    spec = importlib.util.spec_from_file_location("playground_session", ROOT / "docs" / "playground" / "session.py")
    assert spec is not None
    assert spec.loader is not None
    session = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(session)
    text = (ROOT / "examples" / FIRST).read_text(encoding="utf-8")
    options = json.dumps({"confidence": "likely", "select": "", "ignore": ""})
    return {**json.loads(session.check(text, options)), "text": text, "fixed": session.fix(text, options)}


def nanlint_wheel() -> tuple[str, bytes]:
    """The name and content of nanlint's wheel, as it is published."""
    from hatchling.build import build_wheel

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(ROOT)  # where a build backend looks for the project
        try:
            name = build_wheel(directory)
        finally:
            os.chdir(before)
        return name, (Path(directory) / name).read_bytes()


def packages() -> bytes:
    """An archive of the packages, with their licenses, and of what the worker asks of nanlint."""
    found: dict[str, Distribution] = {}
    for name in NEEDED:
        _gather(name, found)
    files = {"playground_session.py": (ROOT / "docs" / "playground" / "session.py").read_bytes()}
    for _, one in sorted(found.items()):
        files |= pure(one)
    return zipped(files)


def _gather(name: str, found: dict[str, Distribution]) -> None:
    """A distribution and what it requires."""
    if name in found:
        return
    found[name] = distribution(name)
    for line in found[name].requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"python_version": "3.14", "extra": ""}):
            _gather(requirement.name.lower().replace("_", "-"), found)


def pure(one: Distribution) -> Mapping[str, bytes]:
    """The Python files of an installed distribution, and what it says of itself; raises NotPure."""
    inside = [path for path in one.files or () if ".." not in path.parts and "__pycache__" not in path.parts]
    files = {path.as_posix(): path for path in inside}
    for name, path in files.items():
        module = path.with_name(f"{path.name.partition('.')[0]}.py").as_posix()
        if path.suffix in COMPILED and module not in files:
            raise NotPure(f"{one.name}: {name} has no Python source")
    return {name: path.read_binary() for name, path in files.items() if path.suffix not in COMPILED}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever its files are."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return archive.getvalue()
