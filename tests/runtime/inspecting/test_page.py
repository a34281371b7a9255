"""The page of a run, in a real browser: what it shows, that it can be used, that it needs no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.inspecting.page import as_data, embedded, render_page, write_page
from nanlint.runtime.runfile import RunError, read_run
from tests.runtime.inspecting.browser import DESKTOP, NARROW, Browser, chromium
from tests.runtime.inspecting.runs import PROGRAM, born, classifier_run, long_run, recorder, row

SIZES = pytest.mark.parametrize("size", [DESKTOP, NARROW], ids=["desktop", "narrow"])
MILLION = 1_000_000


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.fixture(scope="module")
def page(run: Run) -> Path:
    return Path(write_page(run))


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run of a million executions."""
    directory = long_run(tmp_path_factory.mktemp("long") / "run", MILLION)
    return Path(write_page(run_of(read_run(str(directory)))))


def overflow(browser: Browser) -> int:
    return int(browser.js("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def view(browser: Browser) -> tuple[float, float]:
    data = browser.js("{...document.getElementById('canvas').dataset}")
    return float(data["from"]), float(data["to"])


@SIZES
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_asks_for_nothing_and_the_console_is_silent(
    browser: Browser, page: Path, size: tuple[int, int], dark: bool
) -> None:
    browser.open(page, size, dark=dark)
    assert overflow(browser) == 0
    assert browser.complaints() == []
    assert browser.requests() == [page.as_uri()]


def test_the_first_bad_is_shown_with_all_that_is_known(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.texts("#alert-list b") == [
        "-inf first appeared in log",
        "nan first appeared in mul",
        "nan first appeared in the gradient of log",
        "dead-gradient: bias has no gradient in the whole run",
    ]
    detail = browser.text("#detail")
    assert detail.startswith("-inf first appeared in log")
    assert "1 -inf, 2 negative, 1 zero" in detail
    assert "NL101 log-of-softmax (certain)" in detail
    assert browser.texts("#detail .diff .added")[-1].endswith("F.log_softmax(logits, dim=1)).sum(dim=1).mean()")
    assert browser.text("#detail .source .blamed .row") == "7"
    assert "torch.log(probs)" in browser.text("#detail .source .blamed mark")
    assert browser.texts("#detail .stack a") == ["train.py:12", "train.py:7"]


def test_the_parts_of_a_bar_are_as_long_as_their_shares(browser: Browser, page: Path) -> None:
    browser.open(page)
    widths = browser.js(
        "[...document.querySelectorAll('#detail .six i')].map((i) => i.className + ' ' + "
        "Math.round(4 * i.offsetWidth / i.parentElement.clientWidth))"
    )
    assert widths[-3:] == ["ninf 1", "neg 2", "zero 1"]


def test_the_graph_has_health_on_its_edges_and_leads_on(browser: Browser, page: Path) -> None:
    browser.open(page)
    boxes = browser.js("[...document.querySelectorAll('#detail .graph a')].map((a) => a.getAttribute('aria-label'))")
    assert boxes == ["matmul@train.py:12", "softmax@train.py:6", "log@train.py:7", "mul@train.py:7"]
    edges = browser.js("[...document.querySelectorAll('#detail .graph g title')].map((t) => t.textContent)")
    assert edges == ["1 zero, 3 positive", "1 -inf, 2 negative, 1 zero"]
    assert browser.js("document.querySelectorAll('#detail .graph path.bad').length") == 1
    browser.type("#detail .graph a:nth-of-type(2)", "\ue007")
    assert browser.text("#detail h2") == "softmax@train.py:6"
    assert "executed 3 times" in browser.text("#detail")


def test_an_alert_is_chosen_by_keyboard_and_can_be_linked_to(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.type("#alert-list li:nth-child(3) a", "\ue007")
    assert browser.text("#detail h2") == "nan first appeared in the gradient of log"
    assert "where the gradient was requested" in browser.text("#detail")
    assert browser.js("location.hash") == "#alert=2"
    browser.open(page, fragment="#alert=3")
    assert browser.text("#detail h2") == "bias has no gradient in the whole run"
    assert browser.text("#alert-list a[aria-current] b").startswith("dead-gradient")


def test_tensors_are_filtered_by_name_and_by_kind(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.text("#tensor-count") == "9 of 9 tensors"
    browser.type("#tensor-name", "GRADIENT OF")
    assert browser.text("#tensor-count") == "2 of 9 tensors"
    browser.js("document.getElementById('tensor-name').select()")
    browser.type("#tensor-name", "/^mul.*(log|result)$/")
    assert browser.texts("#tensor-table td.name a") == ["mul@train.py:7/log", "mul@train.py:7/result"]
    browser.js("document.getElementById('tensor-name').select()")
    browser.type("#tensor-name", "\ue003")
    browser.js("document.getElementById('tensor-kind').focus()")
    browser.type("#tensor-kind", "has_inf")
    assert browser.text("#tensor-count") == "4 of 9 tensors"


def test_a_verdict_leads_to_its_finding(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.texts("#verdict-table tbody .badge") == ["confirmed", "not reached"]
    browser.click("#verdict-table tbody tr:nth-child(2) a")
    assert browser.text("#detail h2") == "NL201 sqrt-at-zero"
    assert browser.text("#detail .source .blamed .row") == "17"


@pytest.fixture(scope="module")
def varied_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, and no two steps execute the same sequence."""
    directory = long_run(tmp_path_factory.mktemp("varied") / "run", MILLION, alike=False)
    return Path(write_page(run_of(read_run(str(directory)))))


@SIZES
@pytest.mark.parametrize("which", ["long_page", "varied_page"])
def test_a_million_executions_zoom_smoothly(
    browser: Browser, which: str, size: tuple[int, int], request: pytest.FixtureRequest
) -> None:
    browser.open(request.getfixturevalue(which), size)
    assert "1,000,000 op executions" in browser.text("#status")
    assert view(browser) == (0, MILLION)
    times = []
    for _ in range(12):
        browser.wheel("#canvas", 0, -300)
        times.append(float(browser.js("document.getElementById('canvas').dataset.milliseconds")))
    start, end = view(browser)
    assert end - start < 20
    assert MILLION * 0.3 < start < MILLION * 0.7
    assert median(times) < 100
    assert overflow(browser) == 0
    assert browser.complaints() == []


def test_the_timeline_obeys_buttons_and_keys(browser: Browser, long_page: Path) -> None:
    browser.open(long_page)
    browser.click("#zoom-in")
    assert view(browser) == (MILLION / 4, 3 * MILLION / 4)
    browser.type("#canvas", "\ue014")
    assert view(browser) == (MILLION / 4 + 75_000, 3 * MILLION / 4 + 75_000)
    browser.type("#canvas", "\ue011")
    assert view(browser) == (0, MILLION)
    browser.type("#goto", "700\n")
    start, end = view(browser)
    assert start < 700_000 < 701_000 < end < 702_000
    assert browser.text("#status").startswith("step 700: 1,000 ops")


def test_the_timeline_goes_to_an_alert_and_its_op_can_be_clicked(browser: Browser, long_page: Path) -> None:
    browser.open(long_page)
    browser.type("#goto", "1\n")
    browser.type("#canvas", "n")
    start, end = view(browser)
    assert start < 500_500 < end
    for _ in range(12):
        browser.type("#canvas", "+")
    browser.driver.find_element("css selector", "#canvas").click()
    assert browser.js("location.hash").startswith(("#node=", "#alert="))
    assert browser.complaints() == []


def test_time_is_another_scale(browser: Browser, long_page: Path) -> None:
    browser.open(long_page)
    browser.js("document.getElementById('scale').focus()")
    browser.type("#scale", "by time")
    start, end = view(browser)
    assert (start, end) == (0, float(browser.js("document.getElementById('canvas').dataset.total")))
    assert end < 600


def test_pixels_are_drawn(browser: Browser, long_page: Path) -> None:
    browser.open(long_page)
    colours = browser.js(
        "(() => { const c = document.getElementById('canvas'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; const seen = new Set(); "
        "for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]); "
        "return seen.size; })()"
    )
    assert colours > 20


def test_nothing_that_a_run_holds_becomes_markup(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><!--<script>"
    directory = classifier_run(tmp_path / "run", PROGRAM + f"# {evil}\n")
    watch = recorder(directory, rank=1)
    watch.alert("internal", evil, frames=(), **{evil: evil})
    born(watch, evil, [(evil, row([1.0]), None)], [(evil, row([float("nan")]), None)], ())
    watch.step(0, **{evil: 1.0})
    watch.failed(ValueError(evil))
    watch.end()
    page = Path(write_page(run_of(read_run(str(directory)))))
    browser.open(page)
    assert browser.js("document.title") == "run · nanlint"
    assert browser.js("document.querySelectorAll('img').length") == 0
    assert evil in browser.text("#alert-list")
    assert browser.complaints() == []


def test_a_run_in_which_nothing_happened_has_a_page(browser: Browser, tmp_path: Path) -> None:
    recorder(tmp_path / "run")
    page = Path(write_page(run_of(read_run(str(tmp_path / "run")))))
    browser.open(page, NARROW)
    assert browser.text("#detail h2") == "No alerts"
    assert "was killed or is still running" in browser.text("header")
    assert overflow(browser) == 0
    assert browser.complaints() == []


def test_every_control_has_a_name_and_text_has_contrast(browser: Browser, page: Path) -> None:
    for dark in (False, True):
        browser.open(page, dark=dark)
        nameless = browser.js(
            "[...document.querySelectorAll('button, input, select, a, canvas, [role=region]')].filter((e) => "
            "!(e.innerText || e.getAttribute('aria-label') || e.closest('label'))).map((e) => e.outerHTML)"
        )
        assert nameless == []
        assert browser.js(
            "[...document.querySelectorAll('[id]')].length === new Set([...document.querySelectorAll("
            "'[id]')].map((e) => e.id)).size"
        )
        for ink, ground in [
            ("ink", "panel"),
            ("soft", "panel"),
            ("soft", "hover"),
            ("accent", "panel"),
            ("bad", "panel"),
            ("bad", "bad-ground"),
            ("bad", "hover"),
            ("warn", "warn-ground"),
            ("warn", "hover"),
            ("good", "good-ground"),
            ("soft", "band"),
            ("ink", "added"),
        ]:
            assert contrast(colour(browser, ink), colour(browser, ground)) >= 4.5, (ink, ground, dark)


def colour(browser: Browser, name: str) -> str:
    style = "getComputedStyle(document.documentElement)"
    return str(browser.js(f"{style}.getPropertyValue('--' + arguments[0]).trim()", name))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as the Web Content Accessibility Guidelines define it."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(text: str) -> float:
    parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_embedded_json_is_the_same_data_and_cannot_leave_its_element() -> None:
    data = {"a": "</script><!-- & \u2028 \u00e9 ]]>", "b": [1.5, None]}
    text = embedded(data)
    assert json.loads(text) == data
    assert not re.search(r"[<>&]", text)


def test_the_page_holds_the_run_once_and_no_address_elsewhere(run: Run) -> None:
    page = render_page(run)
    assert page.count('id="run"') == 1
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert as_data(run)["name"] == "run"


def test_a_place_that_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no such file or directory; choose another file with --output-file"):
        write_page(run, str(tmp_path / "nowhere" / "page.html"))
