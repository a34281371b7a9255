"""A real workbench of VS Code in Chromium, with the extension and a server, as a user sees it and types into it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.inspecting.browser import Browser, chromium

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"
PATIENCE = 60.0  # seconds, on a machine that may be busy
SIZE = (1000, 500)


def npm() -> str:
    """npm, where the packages of the extension are installed; a test is skipped where they are not."""
    found = shutil.which("npm")
    if found is None:
        pytest.skip("there is no npm")
    if not (EXTENSION / "node_modules").is_dir():
        pytest.skip("the extension's packages are not installed: npm ci --prefix editors/vscode")
    return found


@contextmanager
def workbench(folder: Path, profile: Path, settings: dict[str, Any], files: Sequence[str]) -> Iterator[Workbench]:
    """A window with a folder, in which files are open."""
    npm()
    with chromium(profile) as browser:
        command = ["node", str(EXTENSION / "scripts" / "workbench.mjs"), str(folder), json.dumps(settings), *files]
        environment = os.environ | {"PYTHON": sys.executable}
        # servers complain that the window has gone
        quiet = subprocess.DEVNULL
        host = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True, env=environment)
        assert host.stdout is not None
        try:
            address = host.stdout.readline().strip()
            assert address, "the host of the workbench has not started"
            width, height = SIZE
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            browser.driver.get(address)
            yield Workbench(browser)
        finally:
            host.terminate()
            host.wait()
            host.stdout.close()


class Workbench:
    """What is seen in the window, and what can be done there."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def until(self, seen: Callable[[], Any], what: str) -> Any:
        """Wait until something is seen."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := seen():
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what} was not seen; the window shows: {self.browser.text('body')[:2000]}")

    def until_text(self, selector: str, wanted: str) -> str:
        """Wait until an element has a text in it; the text of that element."""

        def seen() -> str | None:
            texts = (one.replace("\xa0", " ") for one in self.browser.texts(selector))
            return next((one for one in texts if wanted in one), None)

        return str(self.until(seen, f"{wanted!r} in {selector}"))

    def text(self) -> str:
        """The lines of the editor, as far as they are drawn."""
        lines = self.browser.js(
            "[...document.querySelectorAll('.editor-instance .view-line')]"
            ".map((one) => [parseFloat(one.style.top), one.innerText])"
        )
        return "\n".join(text.replace("\xa0", " ") for _, text in sorted(lines))

    def squiggles(self) -> int:
        """How many places are underlined."""
        return int(self.browser.js("document.querySelectorAll('.squiggly-error').length"))

    def until_squiggles(self, number: int) -> None:
        """Wait until so many places are underlined."""
        self.until(lambda: self.squiggles() == number, f"{number} underlined")

    def status(self) -> str:
        """The text of nanlint's item in the status bar."""
        return str(self.browser.js("document.querySelector('[id*=\"nanlint.status\"]')?.innerText ?? ''")).strip()

    def press(self, *keys: str) -> None:
        """Press keys, the first ones held."""
        from selenium.webdriver import ActionChains

        *held, last = keys
        actions = ActionChains(self.browser.driver)
        for key in held:
            actions.key_down(key)
        actions.send_keys(last)
        for key in held:
            actions.key_up(key)
        actions.perform()
        self.browser.settle()

    def command(self, title: str) -> None:
        """Run a command from the palette."""
        from selenium.webdriver import Keys

        self.press(Keys.F1)
        self.until(lambda: self.browser.js("!!document.querySelector('.quick-input-widget input')"), "the palette")
        self.press(title)
        self.until_text(".quick-input-list .monaco-list-row.focused", title)
        self.press(Keys.ENTER)

    def mouse(self, selector: str, *, click: bool = False) -> None:
        """Move the mouse to an element, and maybe click."""
        box = self.browser.js("document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mouseMoved", *(("mousePressed", "mouseReleased") if click else ())):
            event = {"type": kind, **place, "button": "left" if kind != "mouseMoved" else "none", "clickCount": 1}
            self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)
        self.browser.settle()

    def picture(self, name: str) -> None:
        """Keep what is seen for the documentation, where PICTURES names a directory."""
        if directory := os.environ.get("PICTURES"):
            time.sleep(1)
            Path(directory).mkdir(parents=True, exist_ok=True)
            Path(directory, f"{name}.png").write_bytes(self.browser.picture())
