"""The playground: in Pyodide nanlint says what it says here, and its page shows it, fixes it and shares it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.inspecting.browser import DESKTOP, NARROW, Browser
from tests.site.conftest import NODE, ROOT, Handler, serving

EXAMPLES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.py"))}
OPTIONS = json.dumps({"confidence": "possible", "select": "", "ignore": ""})
#: a fix that makes a line too long, which is broken
LONG = """\
import torch


def main(steps):
    starting_values_of_the_fit = torch.tensor([1, 2, 0.0], requires_grad=True)
    for step in range(steps):
        positive = starting_values_of_the_fit > 0
        roots_of_the_values = torch.where(positive, torch.sqrt(starting_values_of_the_fit), 0.0)
        roots_of_the_values.sum().backward()
    return starting_values_of_the_fit
"""
EMOJI = 'import torch\n\n\ndef f(x):\n    "🎲🎲"; return "🎲", torch.log(torch.softmax(x, -1))\n'


@pytest.fixture(scope="module")
def session() -> Any:
    """docs/playground/session.py, in this Python."""
    spec = importlib.util.spec_from_file_location("session", ROOT / "docs" / "playground" / "session.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestSession:
    """What the page is given."""

    def test_places_count_as_javascript_counts(self, session: Any) -> None:
        [one] = json.loads(session.check(EMOJI, OPTIONS))["findings"]
        units = EMOJI.encode("utf-16-le")
        assert units[2 * one["start"] : 2 * one["end"]].decode("utf-16-le") == "torch.log(torch.softmax(x, -1))"

    def test_a_fix_has_a_diff_and_can_be_applied(self, session: Any) -> None:
        [one] = json.loads(session.check(EMOJI, OPTIONS))["findings"]
        assert one["fix"]["applicability"] == "safe"
        changes = [line for line in one["fix"]["diff"].splitlines() if line[0] in "+-"]
        assert [line[0] for line in changes] == ["-", "+"]
        fixed = EMOJI.replace("torch.log(torch.softmax(x, -1))", "torch.log_softmax(x, -1)")
        assert session.apply(0) == session.fix(EMOJI, OPTIONS) == fixed

    def test_rules_are_chosen_and_unknown_ones_are_an_error(self, session: Any) -> None:
        both = EXAMPLES["torch_sqrt_mse.py"] + "\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
        for options, codes in (
            ({}, ["NL201", "NL101"]),
            ({"select": "NL1, NL3"}, ["NL101"]),
            ({"ignore": "NL1 NL3"}, ["NL201"]),
        ):
            given = json.dumps({"confidence": "likely", "select": "", "ignore": "", **options})
            assert [one["code"] for one in json.loads(session.check(both, given))["findings"]] == codes
        wrong = json.dumps({"confidence": "likely", "select": "NL9", "ignore": ""})
        assert "NL9" in json.loads(session.check(both, wrong))["error"]


class TestPyodide:
    """The same answers under WebAssembly."""

    def test_it_finds_and_fixes_the_same_as_here(self, site: Path, pyodide: Path, session: Any, tmp_path: Path) -> None:
        texts = [*EXAMPLES.values(), LONG, EMOJI]
        requests = [[ask, text, OPTIONS] for text in texts for ask in ("check", "fix")]
        (tmp_path / "requests.json").write_text(json.dumps(requests), encoding="utf-8")
        done = subprocess.run(
            ["node", "pyodide.mjs", site / "playground", tmp_path / "requests.json"],
            cwd=NODE,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers = json.loads(done.stdout)
        assert answers == [getattr(session, ask)(*rest) for ask, *rest in requests]
        assert all(json.loads(answer)["findings"] for answer in answers[: 2 * len(EXAMPLES) : 2])
        fixed = re.sub(r"\s+", "", answers[-3])  # there is no formatter in a browser
        assert "torch.where(positive,torch.sqrt(safe_starting_values_of_the_fit),0.0" in fixed

    def test_the_page_and_the_tests_have_one_version_of_it(self) -> None:
        [published] = re.findall(r"/pyodide/v([\d.]+)/", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
        assert json.loads((NODE / "package.json").read_text())["dependencies"]["pyodide"] == published


SOFTMAX = "import torch\n\n\ndef loss(x):\n    return -torch.log(torch.softmax(x, -1))\n"
STABLE = SOFTMAX.replace("torch.log(torch.softmax(x, -1))", "torch.log_softmax(x, -1)")
TEXT = "document.getElementById('pg-text').value"


def ready(page: Browser) -> None:
    """Wait until Python is loaded and findings are shown."""
    loaded = "document.getElementById('playground').dataset.ready !== undefined"
    page.until(f"{loaded} && document.querySelector('#pg-findings > li button:enabled') !== null")


def write(page: Browser, code: str) -> None:
    """Code in the place of what is there, as when it is pasted."""
    page.js(
        "(document.getElementById('pg-text').focus(), document.getElementById('pg-text').select(),"
        " document.execCommand('insertText', false, arguments[0]))",
        code,
    )


@pytest.fixture(scope="module")
def opened(browser: Browser, address: str) -> Browser:
    """The page, opened at an address whose code cannot be read: it says so, and shows the first example."""
    browser.visit(f"{address}playground/#code=AAAA")
    ready(browser)
    said = "The address contains no readable code. 1 finding, 1 with a fix."
    assert browser.text("#pg-status") == said
    assert browser.js(TEXT) == EXAMPLES["torch_sqrt_mse.py"]
    return browser


@pytest.fixture
def page(opened: Browser) -> Browser:
    """The page with nothing chosen and its first example; Python is loaded once."""
    opened.js("document.querySelector('.pg-bar').reset()")
    write(opened, EXAMPLES["torch_sqrt_mse.py"])
    opened.until("document.querySelector('#pg-findings a')?.textContent === 'NL201 sqrt-at-zero'")
    ready(opened)
    return opened


@pytest.mark.usefixtures("pyodide")
class TestPage:
    """In Chromium."""

    def test_pasted_code_is_checked_and_fixed_with_a_click(self, page: Browser, address: str) -> None:
        write(page, SOFTMAX)
        page.until("document.querySelector('#pg-findings a')?.textContent === 'NL101 log-of-softmax'")
        assert page.text("#pg-status") == "1 finding, 1 with a fix."
        assert "log of a softmax" in page.text(".pg-message")
        assert page.js("document.querySelector('#pg-findings a').href") == f"{address}rules/log-of-softmax/"
        assert "".join(page.texts(".pg-effect")) == "torch.log(torch.softmax(x, -1))"
        assert "".join(page.texts(".pg-cause")) == "torch.softmax(x, -1)"
        assert page.texts("#pg-findings dt") == ["Cause", "Effect", "Witness", "Fix (safe)"]
        assert page.texts(".pg-added") == [f"+{STABLE.splitlines()[-1]}\n"]
        page.click("#pg-findings li > button")
        page.until("document.getElementById('pg-status').textContent === 'No findings.'")
        assert page.js(TEXT) == STABLE
        page.js("document.execCommand('undo')")
        assert page.js(TEXT) == SOFTMAX
        outside = [url for url in page.requests() if not url.startswith((address, "blob:", "about:", "chrome"))]
        assert outside == []

    def test_options_count_and_wrong_ones_are_named(self, page: Browser) -> None:
        page.type("#pg-select", "NL1")
        page.until("document.getElementById('pg-status').textContent === 'No findings.'")
        page.type("#pg-select", "23")
        page.until("document.getElementById('pg-status').classList.contains('pg-wrong')")
        assert "NL123" in page.text("#pg-status")

    def test_it_is_used_by_keyboard(self, page: Browser) -> None:
        page.js("document.getElementById('pg-text').focus()")
        seen = []
        for _ in range(5):
            page.type(":focus", "\ue004")
            seen.append(page.js("document.activeElement.textContent.split('\\n')[0]"))
        assert seen == ["15:13", "NL201 sqrt-at-zero", "11:9", "@@ -12,7 +12,7 @@", "Apply fix"]
        page.type("#pg-findings li > button", "\ue007")
        page.until("document.getElementById('pg-status').textContent === 'No findings.'")

    def test_it_follows_the_theme(self, page: Browser) -> None:
        def lightness() -> tuple[float, float]:
            style = "getComputedStyle(document.getElementById('pg-select'))"
            colors = page.js(f"[{style}.color, {style}.backgroundColor]")
            fore, back = (sum(map(float, re.findall(r"[\d.]+", color)[:3])) for color in colors)
            return fore, back

        fore, back = lightness()
        assert fore < back
        page.js("document.body.setAttribute('data-md-color-scheme', 'slate')")
        fore, back = lightness()
        assert fore > back
        page.js("document.body.setAttribute('data-md-color-scheme', 'default')")

    def test_nothing_is_wider_than_the_window(self, page: Browser) -> None:
        for width, height in (NARROW, DESKTOP):
            page.resize((width, height))
            assert page.js("document.documentElement.scrollWidth") == width
            # the colours and the text that is written have the same shape
            paint, text = (
                page.js(f"document.getElementById('pg-{name}').getBoundingClientRect().toJSON()")
                for name in ("paint", "text")
            )
            assert paint == text
            assert page.js("document.getElementById('pg-text').scrollHeight") <= text["height"]

    def test_what_is_shared_is_opened_again(self, page: Browser, address: str) -> None:
        write(page, SOFTMAX + "# ünïcödé 🎲\n")
        page.type("#pg-ignore", "NL2")
        page.js("document.getElementById('pg-confidence').value = 'certain'")
        page.click("#pg-share")
        page.until("document.getElementById('pg-shared').hidden === false")
        link = page.js("document.getElementById('pg-address').value")
        assert link.startswith(f"{address}playground/#code=")
        assert link == page.js("location.href")
        page.visit(link)
        ready(page)
        assert page.js(TEXT) == SOFTMAX + "# ünïcödé 🎲\n"
        assert page.js("document.getElementById('pg-ignore').value") == "NL2"
        assert page.js("document.getElementById('pg-confidence').value") == "certain"
        assert page.texts("#pg-findings a") == ["NL101 log-of-softmax"]


class Offline(Handler):
    """The site without Pyodide, as where its address cannot be reached."""

    def translate_path(self, path: str) -> str:
        return os.devnull if path.startswith("/pyodide/") else super().translate_path(path)


def test_without_python_a_finished_example_is_shown_and_fixed(site: Path, browser: Browser) -> None:
    with serving(site, Offline) as address:
        browser.visit(f"{address}playground/")
        browser.until("document.getElementById('pg-status').classList.contains('pg-wrong')")
        said = browser.text("#pg-status")
        assert said.startswith("Python could not be loaded, so code cannot be checked here: ")
        assert said.endswith(" This is a finished example.")
        assert browser.texts("#pg-findings a") == ["NL201 sqrt-at-zero"]
        assert "".join(browser.texts(".pg-effect")) == "torch.sqrt(x)"
        browser.click("#pg-findings li > button")
        browser.until("document.querySelector('#pg-findings > li') === null")
        assert "torch.sqrt(x.masked_fill(x == 0, 1.0))" in browser.js(TEXT)
