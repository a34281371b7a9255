"""What the playground loads beside Pyodide: nanlint's wheel, what it asks of it, the examples, one answer, a manifest.

Nothing is downloaded: the wheel is built from this tree. Checking and fixing import no other package.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIRST = "torch_sqrt_mse.py"


def bundle(pyodide: str) -> Iterator[tuple[str, bytes]]:
    """The files below ``playground/``; ``pyodide`` is the address of Pyodide's own files."""
    wheel, content = nanlint_wheel()
    yield wheel, content
    yield "session.zip", asked()
    examples = sorted((ROOT / "examples").glob("*.py"))
    for path in examples:
        yield f"examples/{path.name}", path.read_bytes()
    yield "first.json", json.dumps(first_answer()).encode()
    manifest = {
        "pyodide": pyodide,
        "archives": [wheel, "session.zip"],
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


def asked() -> bytes:
    """An archive of what the worker asks of nanlint."""
    return zipped({"playground_session.py": (ROOT / "docs" / "playground" / "session.py").read_bytes()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever its files are."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return archive.getvalue()
