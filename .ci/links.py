"""Whether the links of the README and the documentation to other sites, and to the published pages, work.

    python .ci/links.py [FILE …]    exit with 1 and name those that do not

A link works if its site answers with a page, or refuses programs (401, 403, 429).
"""

from __future__ import annotations

import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\((https?://[^)\s#]+)")
ANSWERED = (401, 403, 429)
ATTEMPTS = 3


def pages() -> list[Path]:
    """The pages that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def problem(address: str) -> str | None:
    """What is wrong with a link, if anything."""
    request = urllib.request.Request(address, headers={"User-Agent": "nanlint-links/1"})
    said = ""
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=20):
                return None
        except urllib.error.HTTPError as error:
            if error.code in ANSWERED:
                return None
            said = str(error)
        except OSError as error:
            said = str(error)
    return said


def broken(files: Iterable[Path]) -> list[str]:
    """A line for each link that does not work, with the first page that has it."""
    first: dict[str, Path] = {}
    for path in files:
        for address in LINK.findall(path.read_text(encoding="utf-8")):
            first.setdefault(address, path)
    with ThreadPoolExecutor(8) as pool:
        found = zip(first.items(), pool.map(problem, first), strict=True)
        return [f"{path}: {address}: {wrong}" for (address, path), wrong in found if wrong is not None]


if __name__ == "__main__":
    lines = broken([Path(name) for name in sys.argv[1:]] or pages())
    print("\n".join(lines) or "all links work")
    sys.exit(int(bool(lines)))
