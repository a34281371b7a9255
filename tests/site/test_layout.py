"""Nothing is clipped in a window of 1280 or 390 pixels: what is too wide can be scrolled. Tabs, and the rule index."""

from __future__ import annotations

from pathlib import Path

from nanlint.lint.known_rules import all_rules
from tests.runtime.inspecting.browser import DESKTOP, NARROW, Browser
from tests.sampling import sample

TITLES = ("PyTorch", "TensorFlow", "Keras", "JAX", "NumPy")

#: what sticks out: of the window, or of something that hides it, with the element it is hidden by
CLIPPED = """(() => {
  const name = (one) => [one.tagName.toLowerCase(), ...one.classList].join(".");
  const found = [];
  // innerWidth grows with what sticks out of a phone's window
  const width = arguments[0];
  const wide = document.documentElement.scrollWidth;
  if (wide > width) found.push(`the page is ${wide} wide`);
  const kinds = "pre, table, div, img, svg, p, li, dd, h1, h2, h3, code, label, input, select, button";
  for (const one of document.querySelectorAll(`.md-content :is(${kinds})`)) {
    if (!one.checkVisibility()) continue;
    const said = `${name(one)} "${one.textContent.trim().slice(0, 30)}"`;
    const hides = ["hidden", "clip"].includes(getComputedStyle(one).overflowX);
    if (hides && one.scrollWidth > one.clientWidth + 1) found.push(`within ${said}`);
    const { left, right } = one.getBoundingClientRect();
    let around = one.parentElement;
    for (; around && around !== document.body; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around);
      if (overflowX === "auto" || overflowX === "scroll") break;
      const outer = around.getBoundingClientRect();
      if (overflowX !== "visible" && (right > outer.right + 1 || left < outer.left - 1)) {
        found.push(`${said} in ${name(around)}`);
        break;
      }
    }
    if (around === document.body && right > width + 1) found.push(said);
  }
  return found;
})()"""


def pages_of(site: Path) -> list[str]:
    """The pages that have a layout of their own, and others of each run: guides, and rules, which are made alike."""
    every = sorted(path.parent.relative_to(site).as_posix() for path in site.rglob("index.html"))
    own = [".", "playground", "rules"]
    rules = [page for page in every if page.startswith("rules/")]
    guides = [page for page in every if page not in (*own, *rules)]
    assert set(own) < set(every)
    return [*own, *sample(guides, 3, "guides"), *sample(rules, 15, "pages of rules")]


def test_nothing_is_clipped(site: Path, address: str, browser: Browser) -> None:
    clipped: dict[str, list[str]] = {}
    for page in pages_of(site):
        browser.driver.get(f"{address}{page}/")
        for size in (DESKTOP, NARROW):
            browser.resize(size)
            if found := browser.js(CLIPPED, size[0]):
                clipped[f"{page} at {size[0]}"] = found[:4]
    assert clipped == {}


def test_what_is_clipped_is_seen(address: str, browser: Browser) -> None:
    browser.visit(f"{address}rules/where-gradient/", NARROW)
    assert browser.js(CLIPPED, NARROW[0]) == []
    for style in (
        "pre > code { overflow: hidden !important }",
        "table { min-width: 60rem !important } .md-content div { overflow: hidden !important }",
        "h1 { width: 30rem }",
    ):
        browser.driver.execute_script(
            "const style = document.createElement('style'); style.id = 'worse'; style.textContent = arguments[0];"
            "document.head.append(style);",
            f".md-typeset {style}",
        )
        assert browser.js(CLIPPED, NARROW[0]), style
        browser.js("document.getElementById('worse').remove()")


def test_a_framework_is_chosen_for_all_pages(address: str, browser: Browser) -> None:
    """The tabs of a page follow the one that was chosen on another."""
    browser.visit(f"{address}rules/where-gradient/")
    tabs = ["PyTorch", "TensorFlow", "Keras", "JAX"]
    assert browser.texts(".tabbed-labels > label") == tabs
    browser.js("[...document.querySelectorAll('.tabbed-labels > label')].at(-1).click()")
    browser.until("document.querySelector('.tabbed-set > input:checked + input') === null")
    browser.visit(f"{address}rules/log-domain/")
    browser.until("document.querySelector('.tabbed-set > input:checked').labels[0].textContent.trim() === 'JAX'")
    assert browser.js("document.querySelector('.tabbed-block:nth-child(3) code').checkVisibility()")


class TestRuleIndex:
    """The filters of the table of rules."""

    def shown(self, browser: Browser) -> list[str]:
        return [text for text in browser.texts(".md-content tbody tr:not([hidden]) td:nth-child(2)") if text]

    def test_all_is_there_without_a_script(self, site: Path) -> None:
        text = (site / "rules" / "index.html").read_text(encoding="utf-8")
        for rule in all_rules().values():
            assert f"<td>{rule.code}</td>" in text

    def test_filters_are_applied_and_kept_in_the_address(self, address: str, browser: Browser) -> None:
        browser.visit(f"{address}rules/?framework=Keras&breaks=gradient")
        both = self.shown(browser)
        assert "where-gradient" in both
        assert not {"atan2-at-origin", "masked-softmax", "one-minus-cos"} & set(both)
        assert browser.text("#rule-filter [role=status]") == f"{len(both)} of {len(all_rules())} rules"
        headings = [text for text in browser.texts(".md-content h2:not([hidden])") if text]
        assert [heading.partition("¶")[0].strip() for heading in headings][:2] == ["Logarithm", "Gradient traps"]
        browser.type("#rule-filter [name=q]", "softmax")
        assert set(self.shown(browser)) < set(both)
        assert browser.js("location.search") == "?q=softmax&framework=Keras&breaks=gradient"
        browser.click("#rule-filter [type=reset]")
        browser.until("location.search === ''")
        assert len(self.shown(browser)) == len(all_rules())
        browser.visit(f"{address}rules/?fix=nonsense&level=certain")
        assert browser.js("location.search") == "?level=certain"
        assert 0 < len(self.shown(browser)) < len(all_rules())

    def test_each_value_of_a_filter_has_rules(self, address: str, browser: Browser) -> None:
        browser.visit(f"{address}rules/")
        options = browser.js(
            "Object.fromEntries([...document.querySelectorAll('#rule-filter select')].map((one) =>"
            " [one.name, [...one.options].map((option) => option.value)]))"
        )
        assert options["framework"] == ["", *TITLES]
        assert options["breaks"] == ["", "value", "gradient", "accuracy"]
        assert options["level"] == ["", "certain", "likely", "possible"]
        assert options["fix"] == ["", "safe", "unsafe", "suggestion", "none"]
