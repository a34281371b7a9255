"""A real JupyterLab with an empty configuration, in Chromium."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.runtime.inspecting.browser import chromium
from tests.server.workbench import PATIENCE, SIZE, Workbench

#: it would ask for news, of the network and of the user
ANNOUNCEMENTS = "@jupyterlab/apputils-extension:announcements"


@contextmanager
def laboratory(folder: Path, home: Path, notebook: str) -> Iterator[Workbench]:
    """A window in which a notebook of a folder is open; the test is skipped where JupyterLab is not installed."""
    for package in ("jupyterlab", "jupyterlab_lsp"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install '.[jupyter]'")
    lab = home / "config" / "labconfig"
    lab.mkdir(parents=True)
    (lab / "page_config.json").write_text(json.dumps({"disabledExtensions": {ANNOUNCEMENTS: True}}))
    names = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "run",
        "IPYTHONDIR": "ip",
    }
    environment = os.environ | {name: str(home / where) for name, where in names.items()} | {"HOME": str(home)}
    with chromium(home / "profile") as browser:
        port = free_port()
        arguments = ("--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0", "--ip=127.0.0.1")
        command = [sys.executable, "-m", "jupyterlab", *arguments, "--IdentityProvider.token="]
        quiet = subprocess.DEVNULL
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/api", server)
            browser.visit(f"{address}/lab/tree/{notebook}", SIZE)
            yield Workbench(browser)
        finally:
            server.terminate()
            server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert server.poll() is None, "JupyterLab has ended"
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("JupyterLab does not answer")
