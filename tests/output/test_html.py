"""``--output-format html``: complete and safe without a browser."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from nanlint import check_source
from nanlint.diagnostic import Applicability, Confidence, Edit, Fix, Severity, Span
from nanlint.lint.one_file import excerpt_of
from nanlint.lint.report import FileReport, Report
from nanlint.output.html import render
from nanlint.output.paint import visible
from nanlint.output.view import View
from nanlint.source import Source
from tests.output.conftest import Checked
from tests.output.hostile import HOSTILE, hostile_view

LOSS = """\
import torch


def nll(logits):
    probs = torch.softmax(logits, -1)
    return -torch.log(probs)
"""


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._read: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        tag = self._open[-1] if self._open else ""
        self.texts.setdefault(tag, []).append(data)
        if tag not in ("script", "style"):
            self._read.append(data)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.elements if name == tag and attributes.items() <= found.items()]

    @property
    def text(self) -> str:
        """What is read of it."""
        return "".join(self._read)


def _view(**changes: Any) -> View:
    source = Source("src/loss.py", LOSS)
    findings = tuple(replace(one, **changes) for one in check_source(LOSS, "src/loss.py"))
    return View(
        Report((FileReport("src/loss.py", findings, excerpt=excerpt_of(source, findings)),)), root="/my/project"
    )


def test_a_finding_has_its_code_with_cause_and_operation_marked_its_witness_and_fix() -> None:
    page = render(_view())
    assert '<mark class="cause">torch.softmax(logits, -1)</mark>' in page
    assert '<mark class="effect">torch.log(probs)</mark>' in page
    assert 'href="https://nanlint.readthedocs.io/rules/log-of-softmax/"' in page
    assert '<span class="removed"><i>6</i> -     return -torch.log(probs)</span>' in page
    assert '<span class="added"><i>6</i> +     return -torch.log_softmax(logits, -1)</span>' in page
    text = Page(page).text
    for said in ("NL101 log-of-softmax", "certain", "log of a softmax: -inf", "log(0) = -inf", "Witness: logits ="):
        assert said in text
    assert "1 finding in 1 of 1 file. 1 with a fix, 1 safe." in text


def test_the_totals_are_by_rule_level_framework_directory_and_file(checked: Checked) -> None:
    page = Page(checked.reports["html"])
    links = [attributes["href"] for attributes in page.all("a") if (attributes.get("href") or "").startswith("#")]
    for link in ("#rule=NL101", "#level=certain", "#text=na%C3%AFve%20dir%2F", "#text=loss.py"):
        assert link in links
    assert {"By rule", "By level", "By framework", "By directory", "By file"} <= {*page.texts["summary"]}
    assert "torch" in page.texts["td"]
    assert any("missing.py: no such file" in text for text in page.texts["li"])


def test_it_asks_for_nothing_and_allows_its_own_style_and_script_alone(checked: Checked) -> None:
    text = checked.reports["html"]
    page = Page(text)
    (policy,) = [one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    for kind, tag in (("style", "style"), ("script", "script")):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not [tag for tag, found in page.elements if "src" in found or "style" in found]
    assert [one["href"] for one in page.all("link")] == ["data:,"]
    assert not re.search(r"@import|url\(", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_project_names_or_writes_becomes_markup(text: str) -> None:
    harmless, hostile = Page(render(hostile_view("x"))), Page(render(hostile_view(text)))
    # what is between backticks in a message is code: of that there may be more, and parts of a line that are marked
    shapes = [
        [(tag, {*found}) for tag, found in page.elements if tag not in ("code", "mark")] for page in (hostile, harmless)
    ]
    assert shapes[0] == shapes[1]
    assert len(hostile.all("script")) == 1
    assert hostile.all("img") == []
    for said in ("message", "effect", "cause", "witness", "observed"):
        assert visible(f"{said} {text}") in hostile.text
    assert all(not name.startswith("on") for _, found in hostile.elements for name in found)
    assert all((one.get("href") or "").startswith(("#", "https://", "data:,")) for one in hostile.all("a"))


def test_a_severity_and_what_is_new_are_said() -> None:
    text = render(_view(severity=Severity.WARNING, new=True))
    assert '<span class="badge other">warning</span>' in text
    assert '<span class="badge other">new</span>' in text


def test_no_findings_is_a_page_too() -> None:
    text = Page(render(View(Report((FileReport("a.py"), FileReport("b.py")))))).text
    assert "No findings in 2 files." in text


def test_a_link_to_a_finding_stays_the_same_when_its_lines_move() -> None:
    def anchors(text: str) -> list[str | None]:
        source = Source("a.py", text)
        findings = tuple(check_source(text, "a.py"))
        view = View(Report((FileReport("a.py", findings, excerpt=excerpt_of(source, findings)),)))
        return [one["id"] for one in Page(render(view)).all("article")]

    assert anchors(LOSS) == anchors(LOSS.replace("\n\n\n", "\n\nX = 1\n\n\n", 1))
    twice = anchors(LOSS + "\n\n" + LOSS.partition("\n\n\n")[2].replace("nll", "other"))
    assert len({*twice}) == len(twice) == 2


def test_a_fix_without_edits_is_text_and_a_very_long_line_is_cut() -> None:
    view = _view(fix=Fix(Applicability.DISPLAY, "m", display="consider <this>"))
    assert "<p>Suggestion: <code>consider &lt;this&gt;</code></p>" in render(view)
    line = "x = [" + "1, " * 50_000 + "log(p)]"
    (finding,) = check_source(LOSS)
    start = line.index("log") + 1
    finding = replace(
        finding,
        span=Span(1, start, 1, start + 6),
        causes=(),
        fix=Fix(Applicability.SAFE, "m", (Edit(Span(1, 1, 1, 2), "y"),)),
    )
    (shown,) = re.findall(
        r'<span class="text">(.*?)</span>',
        render(View(Report((FileReport("a.py", (finding,), excerpt={(None, 1): line}),)))),
    )
    assert len(shown) < 3000
    assert '<mark class="effect">log(p)</mark>' in shown


def test_confidences_have_their_own_badges() -> None:
    for level in Confidence:
        assert f'<span class="badge {level}">{level}</span>' in render(_view(confidence=level))
