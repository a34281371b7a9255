"""The page of ``nanlint report`` in a real browser: filters, links, sizes, no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanlint.output.html import render
from tests.output.conftest import Checked
from tests.output.hostile import HOSTILE, hostile_view
from tests.runtime.inspecting.browser import DESKTOP, NARROW, Browser, chromium

MANY = """\
import torch


def nll(logits):
    return -torch.log(torch.softmax(logits, -1))


def pool(x, mask):
    m = mask.float()
    return (x * m).sum() / m.sum()


def distance(a, b):
    return torch.sqrt(torch.square(a - b).sum())
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from click.testing import CliRunner

    from nanlint.cli import cli

    root = tmp_path_factory.mktemp("project")
    (root / "lib").mkdir()
    (root / "lib" / "many.py").write_text(MANY)
    (root / "loss.py").write_text(MANY.partition("\n\n\ndef pool")[0] + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        result = CliRunner().invoke(cli, ["report", "--isolated", "--confidence", "possible"])
    assert result.exit_code == 0, result.stderr
    return root / "nanlint-report.html"


def _shown(browser: Browser) -> list[tuple[str, str]]:
    """Path and rule of the findings that are seen."""
    found = browser.js(
        "[...document.querySelectorAll('.finding')].filter((one) => one.offsetParent !== null)"
        ".map((one) => [one.dataset.path, one.dataset.rule])"
    )
    return [(path, rule) for path, rule in found]


@pytest.mark.parametrize("size", [DESKTOP, NARROW], ids=["desktop", "narrow"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_asks_for_nothing_and_the_console_is_silent(
    browser: Browser, page: Path, size: tuple[int, int], dark: bool
) -> None:
    browser.open(page, size, dark=dark)
    assert browser.js("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]


def test_filters_by_rule_level_fix_and_text_are_kept_in_the_address(browser: Browser, page: Path) -> None:
    browser.open(page)
    everything = _shown(browser)
    assert {rule for _, rule in everything} >= {"NL101", "NL301"}
    browser.type("#rule", "NL101")
    assert _shown(browser) == [("lib/many.py", "NL101"), ("loss.py", "NL101")]
    assert browser.text("#count") == f"2 of {len(everything)} findings"
    browser.type("#text", "LIB/")
    assert _shown(browser) == [("lib/many.py", "NL101")]
    assert browser.js("document.querySelectorAll('.file:not([hidden])').length") == 1
    address = browser.js("location.hash")
    assert address == "#rule=NL101&text=LIB%2F"
    browser.open(page, fragment=address)
    assert _shown(browser) == [("lib/many.py", "NL101")]
    assert browser.js("document.getElementById('text').value") == "LIB/"
    browser.type("#text", "no such text")
    assert _shown(browser) == []
    assert browser.text("#nothing") == "No finding matches the filters."
    browser.click("button[type=reset]")
    browser.settle()
    assert _shown(browser) == everything
    browser.open(page, fragment="#level=certain")
    certain = _shown(browser)
    assert 0 < len(certain) < len(everything)
    browser.open(page, fragment="#fix=1")
    assert browser.js("document.getElementById('fix').checked")
    assert 0 < len(_shown(browser)) <= len(everything)
    assert browser.complaints() == []


def test_a_total_leads_to_its_findings_and_a_link_to_one_shows_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click('#totals a[href="#rule=NL301"]')
    assert {rule for _, rule in _shown(browser)} == {"NL301"}
    assert browser.js("document.getElementById('rule').value") == "NL301"
    anchor = browser.js("document.querySelector('.finding[data-rule=NL101]').id")
    browser.js("location.hash = arguments[0]", anchor)
    browser.settle()
    assert ("lib/many.py", "NL101") in _shown(browser)


def test_without_its_script_all_findings_are_there(browser: Browser, page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    start, end = text.index("<script>"), text.index("</script>")
    (tmp_path / "page.html").write_text(text[:start] + text[end + len("</script>") :], "utf-8")
    browser.open(page)
    everything = _shown(browser)
    browser.open(tmp_path / "page.html", fragment="#rule=NL101")
    assert _shown(browser) == everything
    assert not browser.js("document.getElementById('filters').offsetParent")


def test_hostile_names_and_code_are_text(browser: Browser, tmp_path: Path) -> None:
    for text in HOSTILE:
        (tmp_path / "page.html").write_text(render(hostile_view(text)), "utf-8")
        browser.open(tmp_path / "page.html")
        assert browser.js("document.querySelectorAll('script, img').length") == 1
        assert browser.js("document.querySelectorAll('.finding').length") == 1
        assert "message" in browser.text(".finding h3")
        assert browser.complaints() == []
        assert len(browser.requests()) == 1
        assert browser.js("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_it_prints_without_filters(browser: Browser, checked: Checked, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(checked.reports["html"], "utf-8")
    browser.open(tmp_path / "page.html")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert browser.js("getComputedStyle(document.getElementById('filters')).display") == "none"
        assert browser.js("getComputedStyle(document.querySelector('.source')).overflow") == "visible"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
