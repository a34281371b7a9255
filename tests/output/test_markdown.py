"""``--output-format markdown``: what is new, in a comment that the code under review cannot shape."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from nanlint import check_source
from nanlint.diagnostic import Applicability, Confidence, Edit, Fix, Severity, Span, Suppressed
from nanlint.lint.one_file import excerpt_of
from nanlint.lint.report import FileReport, Report
from nanlint.output.markdown import LIMIT, render
from nanlint.output.paint import visible
from nanlint.output.view import View
from nanlint.source import Source
from tests.output.hostile import HOSTILE, hostile_view

LOSS = """\
import torch


def nll(logits):
    probs = torch.softmax(logits, -1)
    return -torch.log(probs)
"""


def _view(*changes: dict[str, Any], **more: Any) -> View:
    source = Source("src/loss.py", LOSS)
    (finding,) = check_source(LOSS, "src/loss.py")
    findings = tuple(replace(finding, **change) for change in changes or ({},))
    file = FileReport("src/loss.py", findings, excerpt=excerpt_of(source, findings))
    return View(Report((replace(file, **more),)))


def test_a_finding_has_place_message_cause_witness_and_the_diff_of_its_fix() -> None:
    assert (
        render(_view())
        == """\
## nanlint: 1 finding

1 certain. 1 file checked.

### `src/loss.py:6:13` [NL101 log-of-softmax](https://nanlint.readthedocs.io/rules/log-of-softmax/) (certain)

log of a softmax: -inf as soon as one class underflows
- `5:13` `probs = torch.softmax(logits, -1)`: is exactly 0 when a logit is 104 below the largest (float32)
- **`6:13`** `return -torch.log(probs)`: log(0) = -inf, and 0 \\* -inf = nan
- witness: `logits = [0., 200.] gives nll(...) = [inf, -0.]`

<details><summary>fix (safe): replace with <code>torch.log_softmax(logits, -1)</code></summary>

```diff
@@ src/loss.py:6 @@
-    return -torch.log(probs)
+    return -torch.log_softmax(logits, -1)
```

</details>
"""
    )


def test_only_what_is_new_is_listed_and_the_rest_is_counted() -> None:
    text = render(_view({"new": True}, {"new": False}, {"new": False, "span": Span(1, 1, 1, 2)}))
    assert text.startswith(
        "## nanlint: 1 new finding\n\n1 certain. 1 file checked. 2 earlier findings are not listed.\n"
    )
    assert text.count("### ") == 1
    (known,) = check_source(LOSS, "src/loss.py")
    text = render(_view({"new": False}, suppressed=(Suppressed(known, external=True),)))
    assert text == "## nanlint: no new findings\n\n1 file checked. 2 earlier findings are not listed.\n"
    assert render(View(Report((FileReport("a.py"),)))) == "## nanlint: no findings\n\n1 file checked.\n"


def test_the_most_certain_come_first_and_a_lower_severity_is_said() -> None:
    text = render(
        _view(
            {"confidence": Confidence.POSSIBLE, "message": "first"},
            {"confidence": Confidence.CERTAIN, "message": "second", "severity": Severity.WARNING},
        )
    )
    assert text.index("second") < text.index("first")
    assert "(certain, warning)" in text
    assert "1 certain, 1 possible." in text


def test_what_is_beyond_the_limit_is_counted_by_rule() -> None:
    many: list[dict[str, Any]] = [{"code": f"NL{100 + number % 3}", "message": "x" * 300} for number in range(300)]
    text = render(_view(*many))
    assert LIMIT - 3000 < len(text) <= LIMIT
    listed = text.count("### ")
    (left,) = re.findall(r"\*\*(\d+) more\*\* not listed", text)
    assert listed + int(left) == 300
    counted = re.findall(r"(\d+) NL10\d", text.rpartition("characters:")[2])
    assert sum(map(int, counted)) == int(left)
    assert text.count("```") % 2 == 0
    assert text.count("<details>") == text.count("</details>")


def test_a_diff_that_is_too_long_is_cut_and_one_that_does_not_fit_is_left_out() -> None:
    long = Fix(Applicability.SAFE, "m", (Edit(Span(1, 1, 1, 1), "line\n" * 100),))
    text = render(_view({"fix": long, "span": Span(1, 1, 1, 2), "causes": ()}))
    assert "\n@@ 40 more lines @@\n" in text
    huge = Fix(Applicability.SAFE, "a huge fix", (Edit(Span(1, 1, 1, 1), f"{'x' * LIMIT}\n"),))
    text = render(_view({"fix": huge, "span": Span(1, 1, 1, 2), "causes": ()}))
    assert "- fix (safe): a huge fix" in text
    assert "<details>" not in text


def test_what_could_not_be_checked_is_said() -> None:
    report = Report((FileReport("a.py", failure="a.py: could not be *read*", checked=False),), ("b.py: no such file",))
    assert "\n- b.py: no such file\n\n- a.py: could not be \\*read\\*\n" in render(View(report))


# What is escaped, by a parser of Markdown


def _inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in (token.children or [token])]


def _parsed(text: str) -> list[Token]:
    return _inline(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text))


def _seen(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens if token.type in ("text", "code_inline", "fence", "text_special"))


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_project_names_or_writes_becomes_markup(text: str) -> None:
    hostile, harmless = _parsed(render(hostile_view(text))), _parsed(render(hostile_view("x")))
    links = [token.attrs["href"] for token in hostile if token.type == "link_open"]
    assert links == ["https://nanlint.readthedocs.io/rules/unclipped-log/"]
    assert not [token for token in hostile if token.type in ("image", "em_open", "s_open", "table_open")]
    for kind in ("heading_open", "bullet_list_open", "ordered_list_open", "blockquote_open", "fence", "hr"):
        assert [one.tag for one in hostile if one.type == kind] == [one.tag for one in harmless if one.type == kind], (
            kind
        )
    markup = [token.content for token in hostile if token.type in ("html_inline", "html_block")]
    allowed = re.compile(r"(<details><summary>[^<>]*(<code>[^<>]*</code>[^<>]*)*</summary>|</details>)?\s*")
    assert [one for one in markup if not allowed.fullmatch(one.replace("<!-- -->", ""))] == []
    seen = " ".join(_seen(hostile).replace("`", "").split())
    for said in ("message", "effect", "cause"):
        assert " ".join(visible(f"{said} {text}").replace("`", "").split()) in seen


@pytest.mark.parametrize(
    "word", ["@someone", "#12", "!7", "GH-1", "team@example.org", "http://x.org", "www.x.org", ":smile:"]
)
def test_nobody_is_mentioned_and_nothing_becomes_a_link(word: str) -> None:
    text = render(_view({"message": f"see {word} now"}))
    assert word not in text
    assert f"see {word} now" in _seen(_parsed(text))


def test_code_in_a_message_is_code() -> None:
    (code,) = [
        token.content
        for token in _parsed(render(_view({"message": "`a_b*c` is 0", "causes": (), "witness": None})))
        if token.type == "code_inline" and "*" in token.content
    ]
    assert code == "a_b*c"
