"""A real browser for the tests of the page: Chromium without a window, driven through its driver."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

DESKTOP, NARROW = (1280, 800), (390, 844)


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Chromium with a profile of its own; the test is skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("Chromium and its driver are not installed (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield Browser(chrome)
    finally:
        chrome.quit()


class Browser:
    """A window of a size, and what can be done in it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, size: tuple[int, int] = DESKTOP, *, fragment: str = "", dark: bool = False) -> None:
        """Show a page from disk, anew."""
        self.visit(f"{page.as_uri()}{fragment}", size, dark=dark)

    def visit(self, address: str, size: tuple[int, int] = DESKTOP, *, dark: bool = False) -> None:
        """Show the page at an address, anew."""
        self._size(size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(address)
        self.settle()

    def resize(self, size: tuple[int, int]) -> None:
        """Give the window another size."""
        self._size(size)
        self.settle()

    def _size(self, size: tuple[int, int]) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"
        )

    def until(self, script: str, *arguments: object, seconds: float = 30) -> Any:
        """Wait until an expression in the page is true, and return it."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.driver, seconds, 0.05).until(lambda _: self.js(script, *arguments))

    def js(self, script: str, *arguments: object) -> Any:
        """Evaluate an expression in the page."""
        return self.driver.execute_script(f"return {script}", *arguments)

    def text(self, selector: str) -> str:
        """The text that is seen of an element."""
        return str(self.js("document.querySelector(arguments[0]).innerText", selector))

    def texts(self, selector: str) -> list[str]:
        """The text of each element."""
        return list(self.js("[...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector))

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.driver.find_element("css selector", selector).click()
        self.settle()

    def type(self, selector: str, *keys: str) -> None:
        """Press keys in an element."""
        self.driver.find_element("css selector", selector).send_keys(*keys)
        self.settle()

    def wheel(self, selector: str, dx: int, dy: int, x: int = 0) -> None:
        """Turn the wheel over an element, ``x`` pixels right of its middle."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

        origin = ScrollOrigin.from_element(self.driver.find_element("css selector", selector), x, 0)
        ActionChains(self.driver).scroll_from_origin(origin, dx, dy).perform()
        self.settle()

    def complaints(self) -> list[str]:
        """What the console says."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened, without data that the page brought along."""
        import json

        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        asked = (one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent")
        return [url for url in asked if not url.startswith("data:")]

    def picture(self) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", {})["data"])
