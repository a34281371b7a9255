"""The site as it is built, served on this machine, with Pyodide from the npm package, and a browser to look at it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.inspecting.browser import Browser, chromium

ROOT = Path(__file__).parents[2]
NODE = Path(__file__).with_name("node")
PYODIDE = NODE / "node_modules" / "pyodide"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the built site; it loads Pyodide from /pyodide/."""
    pytest.importorskip("material", reason="mkdocs-material builds the site")
    directory = tmp_path_factory.mktemp("site")
    command = ["-m", "mkdocs", "build", "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir"]
    done = subprocess.run(
        [sys.executable, *command, str(directory)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NANLINT_PYODIDE": "/pyodide/"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return directory


@pytest.fixture(scope="session")
def pyodide() -> Path:
    """The npm package; skips where it is not installed."""
    if shutil.which("node") is None or not (PYODIDE / "pyodide.mjs").exists():
        pytest.skip(f"node and Pyodide are needed: npm ci --prefix {NODE.relative_to(ROOT)}")
    return PYODIDE


class Handler(SimpleHTTPRequestHandler):
    """Files of the site, and below /pyodide/ those of the npm package."""

    extensions_map = {  # noqa: RUF012  as its base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def translate_path(self, path: str) -> str:
        if path.startswith("/pyodide/"):
            return str(PYODIDE / Path(path).name.partition("?")[0])
        return super().translate_path(path)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(site: Path, handler: type[Handler] = Handler) -> Iterator[str]:
    """The address at which the site is served meanwhile, with a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with serving(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found
