"""The documentation's site: every page is in its navigation, and a link that leads nowhere stops it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("material", reason="mkdocs-material builds the site")

ROOT = Path(__file__).parents[2]
OG = re.compile(r'<meta property="(og:\w+)" content="([^"]*)">')


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--config-file", str(root / "mkdocs.yml"), "--site-dir", str(site)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_site_has_its_pages_each_with_what_it_shows_where_it_is_shared(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("index.html")}
    assert {
        "index.html",
        "playground/index.html",
        "rules/index.html",
        "rules/where-gradient/index.html",
        "verify/index.html",
    } <= pages
    shown = {page: dict(OG.findall((site / page).read_text(encoding="utf-8"))) for page in pages}
    for page, tags in shown.items():
        assert tags["og:url"] == f"https://nanlint.readthedocs.io/{page.removesuffix('index.html')}"
        assert 30 < len(tags["og:description"]) <= 300, page
        assert (site / "images" / tags["og:image"].rpartition("/")[2]).exists()
    for tag in ("og:title", "og:description"):
        assert len({tags[tag] for tags in shown.values()}) == len(pages), f"two pages have the same {tag}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the site is built from."""
    for name in (".ci", "benchmarks", "docs", "editors", "examples", "nanlint", "templates", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for path in (*ROOT.glob("*.md"), ROOT / "LICENSE", ROOT / "mkdocs.yml", ROOT / "pyproject.toml"):
        shutil.copy(path, tmp_path)
    return tmp_path


def link_to(project: Path, *addresses: str) -> None:
    with (project / "docs" / "precision.md").open("a", encoding="utf-8") as page:
        page.writelines(f"\n[nowhere]({address})\n" for address in addresses)


def test_links_to_no_page_or_heading_and_a_page_outside_the_navigation_stop_the_build(project: Path) -> None:
    link_to(project, "configuration.md#no-such-heading", "no-such-page.md")
    (project / "docs" / "orphan.md").write_text("# Orphan\n", encoding="utf-8")
    done = build(project, project / "site")
    assert done.returncode != 0
    for flaw in ("no-such-heading", "no-such-page.md", "orphan.md"):
        assert flaw in done.stderr
    assert done.stderr.count("WARNING") == 3


def test_a_link_to_no_file_beside_the_pages_stops_the_build(project: Path) -> None:
    link_to(project, "../no_such_file.py")
    done = build(project, project / "site")
    assert done.returncode != 0
    assert "no_such_file.py leads nowhere" in done.stderr
