"""Draws images/icon.png, which the marketplace wants, from images/icon.svg. Needs selenium and Chromium."""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "images"
SIDE = 128


def main() -> None:
    """Write the file."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from tests.runtime.inspecting.browser import chromium

    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as browser:
        browser.open(IMAGES / "icon.svg", (SIDE, SIDE))
        transparent = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}
        browser.driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", transparent)
        shot = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {})
    (IMAGES / "icon.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
