"""README.md is what people see first, on GitHub and on PyPI, where links within the repository lead nowhere."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nanlint.testing import blocks, sections
from nanlint.version import __version__

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs" / "images" / "run.svg").read_text(encoding="utf-8")
LINKS = sorted(set(re.findall(r"\]\(([^)]*)\)", TEXT)))
SITE = "https://nanlint.readthedocs.io/"
FILES = ("https://github.com/nanlint/nanlint/blob/main/", "https://raw.githubusercontent.com/nanlint/nanlint/main/")


def target(link: str) -> Path | None:
    """The file of the project behind an absolute link: a page of the site, or a file on GitHub. None: elsewhere."""
    address = link.partition("#")[0]
    if address.startswith(SITE):
        page = ROOT / "docs" / address.removeprefix(SITE)
        return page / "index.md" if page.is_dir() else page.with_suffix(".md")
    for prefix in FILES:
        if address.startswith(prefix):
            return ROOT / address.removeprefix(prefix)
    return None


def anchors(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def test_it_is_short() -> None:
    assert len(TEXT.split()) < 700


@pytest.mark.parametrize("link", LINKS)
def test_a_link_is_absolute_and_leads_somewhere(link: str) -> None:
    assert link.startswith("https://"), "on PyPI relative links are dead"
    file = target(link)
    if file is None:
        assert not link.startswith("https://github.com/nanlint/")
        return
    assert file.is_file(), file
    if "#" in link:
        assert link.partition("#")[2] in anchors(file.read_text(encoding="utf-8"))


def test_most_links_lead_into_the_project() -> None:
    assert len([link for link in LINKS if target(link) is not None]) >= 12


def test_there_is_one_picture_with_an_absolute_address_and_a_description() -> None:
    ((description, address),) = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", TEXT)
    assert address.startswith("https://raw.githubusercontent.com/")
    assert target(address) == ROOT / "docs" / "images" / "run.svg"
    assert "torch_classifier.py" in description


def test_the_picture_is_a_real_run_and_loads_nothing() -> None:
    """That it is up to date is checked with everything that docs/build.py writes (test_docs.py)."""
    root = ElementTree.fromstring(PICTURE)
    text = "".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    words = text.replace("\xa0", " ")
    for part in ("$ nanlint examples/torch_classifier.py", "NL101", "witness:", "fix (safe):", "Found 1 error."):
        assert part in words
    addresses = set(re.findall(r"https?://[^\"')\s]+", PICTURE))
    assert addresses == {"http://www.w3.org/2000/svg"}, "a font or a style sheet would be loaded from there"
    assert "@import" not in PICTURE


def test_the_picture_can_be_read_on_light_and_dark_pages() -> None:
    """It has a background, from which every colour of its text is far enough away (WCAG AA: 4.5)."""
    colours = re.findall(r"\.run-r\d+ \{ fill: (#\w{6})", PICTURE)
    (background,) = re.findall(r'<rect fill="(#\w{6})" stroke="[^"]*" stroke-width="1" x="1" y="1"', PICTURE)
    assert len(colours) >= 5
    assert min(contrast(colour, background) for colour in colours) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4) for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_hook_is_of_this_version() -> None:
    (hook,) = blocks(TEXT, "yaml")
    assert re.findall(r"rev: (\S+)", hook) == [f"v{__version__}"]


def test_the_two_set_up_commands_are_one_line_each() -> None:
    text = sections(TEXT)
    for heading in ("Try it", "Test it"):
        (command,) = blocks(text[heading], "")
        assert len(command.splitlines()) == 1
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert text["Try it"].count("nanlint --exit-zero examples/") == 1
