"""Suppression comments: which findings they silence, and when they are said to silence none."""

from __future__ import annotations

import ast
from collections.abc import Collection

import pytest

from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Span
from nanlint.source import Source
from nanlint.source.edits import apply_edits
from nanlint.source.suppression import Judged, suppress

RULES = {
    "NL000": "syntax-error",
    "NL001": "unused-suppression",
    "NL002": "unknown-suppression",
    "NL003": "internal-error",
    "NL101": "log-of-softmax",
    "NL103": "unclipped-log",
    "NL203": "where-gradient",
}
_CALLS = {"log": "NL103", "soft": "NL101", "where": "NL203"}


def _judge(text: str, enabled: Collection[str] = tuple(RULES)) -> Judged:
    """Every call of log, soft, where is a finding; what do the comments leave of them?"""
    source = Source("a.py", text)
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    findings = [
        Diagnostic("a.py", source.span(call), code, RULES[code], "m", Confidence.CERTAIN)
        for call in calls
        if isinstance(call.func, ast.Name) and (code := _CALLS[call.func.id]) in enabled
    ]
    return suppress(source, sorted(findings, key=Diagnostic.sort_key), RULES, enabled)


def _kept(text: str, enabled: Collection[str] = tuple(RULES)) -> list[tuple[int, str]]:
    return [(finding.span.row, finding.code) for finding in _judge(text, enabled).kept]


@pytest.mark.parametrize(
    "comment",
    [
        "# nanlint: ignore[NL103]",
        "# nanlint: ignore[unclipped-log] p is never 0 here",
        "# nanlint: ignore[NL1]",
        "# nanlint: ignore[NL203, NL103]",
        "# nanlint:ignore [NL103]",
        "# nanlint: ignore",
        "# nanlint: file-ignore[NL103]",
        "# nanlint: file-ignore",
        "# noqa: NL103",
        "# noqa:E501,NL103",
        "# noqa: NL103 since p > 0",
        "# noqa: unclipped-log",
        "# noqa",
        "# NOQA: NL1",
        "# type: ignore  # nanlint: ignore[NL103]",
        "# nanlint: ignore[NL103]  # type: ignore",
        "# p > 0 # noqa: NL103",
    ],
)
def test_a_comment_on_the_line_silences_what_it_names(comment: str) -> None:
    assert _kept(f"y = log(p)  {comment}\n") == []


@pytest.mark.parametrize(
    "comment",
    [
        "# nanlint: ignore[NL203]",
        "# nanlint: ignore[where-gradient]",
        "# nanlint: ignore[]",
        "# nanlint: ignore[NL103",
        "# noqa: E501",
        "# noqa: NL203",
        "# noqa: N",
        "# noqa: because",
        "# noqa-ish",
        "# see nanlint.toml",
    ],
)
def test_a_comment_that_does_not_name_it_leaves_a_finding_alone(comment: str) -> None:
    assert _kept(f"y = log(p)  {comment}\n") == [(1, "NL103")]


def test_a_directive_inside_a_string_is_none() -> None:
    assert _kept("y = log('# nanlint: ignore')\n") == [(1, "NL103")]


def test_a_comment_speaks_for_its_own_line_only() -> None:
    assert _kept("a = log(p)\nb = log(p)  # nanlint: ignore\nc = log(p)\n") == [(1, "NL103"), (3, "NL103")]


@pytest.mark.parametrize("row", [1, 2, 3])
def test_a_comment_on_any_line_of_a_finding_silences_it(row: int) -> None:
    lines = ["y = log(", "    p,", ")"]
    lines[row - 1] += "  # noqa: NL103"
    assert _kept("\n".join(lines) + "\n") == []


@pytest.mark.parametrize("row", [1, 4])
def test_on_the_first_or_last_line_of_a_statement_it_may_mean_all_of_it(row: int) -> None:
    lines = ["y = (", "    log(p)", "    + log(q)", ")"]
    lines[row - 1] += "  # nanlint: ignore[NL103]"
    assert _kept("\n".join(lines) + "\n") == []


def test_on_a_line_with_a_finding_it_means_that_one_and_not_the_statement() -> None:
    assert _kept("y = (log(p),  # nanlint: ignore[NL103]\n    log(q))\n") == [(2, "NL103")]


def test_after_a_multi_line_string_it_means_the_statement() -> None:
    assert _kept('y = log("""\n    text\n    """)  # noqa: NL103\n') == []


def test_the_header_of_a_block_does_not_speak_for_the_block() -> None:
    assert _kept("if x:  # nanlint: ignore\n    y = log(p)\n") == [(2, "NL103")]


def test_on_a_line_of_its_own_it_means_the_next_statement() -> None:
    text = "# nanlint: ignore[NL103]\n# why\n\ny = (\n    log(p)\n)\nz = log(p)\n"
    assert _kept(text) == [(7, "NL103")]


def test_on_a_line_of_its_own_inside_a_statement_it_means_the_next_line() -> None:
    assert _kept("y = (\n    # nanlint: ignore[NL103]\n    log(p)\n    + log(q)\n)\n") == [(4, "NL103")]


def test_a_noqa_on_a_line_of_its_own_means_nothing() -> None:
    assert _kept("# noqa: NL103\ny = log(p)\n") == [(2, "NL103")]


def test_a_file_ignore_counts_wherever_it_stands() -> None:
    assert _kept("y = log(p)\nz = where(p)\n# nanlint: file-ignore[NL1]\n") == [(2, "NL203")]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends_change_nothing(newline: str) -> None:
    assert _kept(newline.join(["a = log(p)", "b = log(p)  # noqa: NL103", "c = log(p)", ""])) == [
        (1, "NL103"),
        (3, "NL103"),
    ]


def _mended(text: str, enabled: Collection[str] = tuple(RULES)) -> str:
    """The text after the fixes of all remarks on unused comments."""
    remarks = [remark for remark in _judge(text, enabled).remarks if remark.code == "NL001"]
    assert all(remark.fix and remark.fix.applicability is Applicability.SAFE for remark in remarks)
    return apply_edits(Source("a.py", text), [edit for remark in remarks if remark.fix for edit in remark.fix.edits])


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("x = 1  # nanlint: ignore[NL103]\n", "x = 1\n"),
        ("x = 1  # nanlint: ignore[NL103] a reason\n", "x = 1\n"),
        ("x = 1  # nanlint: ignore\n", "x = 1\n"),
        ("x = 1  # noqa: NL103\n", "x = 1\n"),
        ("x = 1  # noqa: E501, NL103\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: NL103,E501 too long\n", "x = 1  # noqa: E501 too long\n"),
        ("x = log(p)  # nanlint: ignore[NL103, NL203] why\n", "x = log(p)  # nanlint: ignore[NL103] why\n"),
        ("x = log(p)  # nanlint: ignore[NL103, unclipped-log]\n", "x = log(p)  # nanlint: ignore[NL103]\n"),
        ("x = 1  # type: ignore  # nanlint: ignore[NL103]\n", "x = 1  # type: ignore\n"),
        ("x = 1  # nanlint: ignore[NL103] why  # type: ignore\n", "x = 1  # type: ignore\n"),
        ("if x:\n    # nanlint: ignore[NL103]\n    y = 1\n", "if x:\n    y = 1\n"),
        ("x = 1\n# nanlint: file-ignore[NL103]\n", "x = 1\n"),
        ("é = 'é'\t# nanlint: ignore[NL103]\r\n", "é = 'é'\r\n"),
        ("x = 1\n# nanlint: ignore", "x = 1\n"),
    ],
)
def test_what_silences_nothing_is_removed_and_only_that(text: str, mended: str) -> None:
    assert _mended(text) == mended


@pytest.mark.parametrize(
    "comment", ["# noqa", "# noqa: E501", "# noqa: PLR0913,SIM", "# noqa: because", "# nanlint: ignore[NL001, NL103]"]
)
def test_the_comments_of_others_are_never_called_unused(comment: str) -> None:
    assert _judge(f"x = 1  {comment}  # NL\n").remarks == ()


def test_codes_of_rules_that_did_not_run_are_not_called_unused() -> None:
    without_203 = [code for code in RULES if code != "NL203"]
    assert _judge("x = 1  # nanlint: ignore[NL203]\ny = 2  # nanlint: ignore\n", without_203).remarks == ()


def test_unused_comments_are_not_mentioned_when_that_rule_is_off() -> None:
    assert _judge("x = 1  # nanlint: ignore[NL103]\n", ["NL103"]).remarks == ()


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("# nanlint: ignore[NL1003]", 'unknown rule "NL1003" in a suppression, did you mean "NL103"?'),
        ("# nanlint: ignore[where-gradeint]", 'did you mean "where-gradient"?'),
        ("# nanlint: ignroe[NL103]", '"# nanlint: ignroe[NL103]" is not understood; write "# nanlint: ignore[NL103]"'),
        ("# nanlint: ignore[NL103", "no closing bracket"),
        ("# nanlint: ignore[]", "an empty list of rules ignores nothing"),
        ("# nanlint: disable=NL103", '"# nanlint: disable" is not understood; write "# nanlint: ignore[NL103]"'),
        ("# nanlint: disable-file=unclipped-log", 'write "# nanlint: file-ignore[unclipped-log]"'),
        ("# nanlint: ignore NL103", 'write "# nanlint: ignore[NL103]"'),
        ("# nanlint: ignore NL555", 'write "# nanlint: ignore[NL555]"'),
        ("# nanlint: ignore: unclipped-log", 'write "# nanlint: ignore[unclipped-log]"'),
        ("# nanlint: ignore(NL103)", 'write "# nanlint: ignore[NL103]"'),
        ("# nanlint ignore[NL103]", 'write "# nanlint: ignore[NL103]"'),
        ("# nanlint: off", 'write "# nanlint: ignore[CODE]"'),
        ("# nanlint: whatever", '"# nanlint: whatever" is not understood'),
        ("# noqa: NL555", 'unknown rule "NL555" in a suppression'),
        ("# noqa: E501, NL555", 'unknown rule "NL555" in a suppression'),
        ("# noqa NL103", '"noqa" without a colon is not understood; write "# noqa: NL103"'),
    ],
)
def test_a_comment_that_is_not_understood_is_said_with_the_nearest_right_one(comment: str, says: str) -> None:
    (remark,) = _judge(f"x = 1  {comment}\n").remarks
    assert remark.code == "NL002"
    assert says in remark.message


@pytest.mark.parametrize(
    ("comment", "meant", "applicability"),
    [
        ("# nanlint: ignore[NL1003] why", "# nanlint: ignore[NL103] why", "unsafe"),
        ("# noqa: E501, NL1003", "# noqa: E501, NL103", "unsafe"),
        ("# nanlint: ignroe[NL103]", "# nanlint: ignore[NL103]", "safe"),
        ("# nanlint: ignore[NL103", "# nanlint: ignore[NL103]", "safe"),
        ("# nanlint: ignore[NL103, NL203 because it is", "# nanlint: ignore[NL103, NL203] because it is", "safe"),
        ("# nanlint: disable=NL103,NL203", "# nanlint: ignore[NL103, NL203]", "safe"),
        ("# nanlint: ignore: unclipped-log why", "# nanlint: ignore[unclipped-log] why", "safe"),
        ("# nanlint: ignore(NL103)", "# nanlint: ignore[NL103]", "safe"),
        ("# noqa NL103 why", "# noqa: NL103 why", "safe"),
    ],
)
def test_a_comment_that_is_not_understood_is_corrected(comment: str, meant: str, applicability: str) -> None:
    text = f"x = 1  {comment}\n"
    (remark,) = _judge(text).remarks
    assert remark.fix is not None
    assert str(remark.fix.applicability) == applicability
    corrected = apply_edits(Source("loss.py", text), remark.fix.edits)
    assert corrected == f"x = 1  {meant}\n"
    assert all(one.code == "NL001" for one in _judge(corrected).remarks)


@pytest.mark.parametrize("comment", ["# nanlint: off", "# nanlint: ignore[]", "# nanlint: ignore[NL555]"])
def test_where_no_rule_is_meant_there_is_no_correction(comment: str) -> None:
    (remark,) = _judge(f"x = 1  {comment}\n").remarks
    assert remark.fix is None


def test_prose_about_nanlint_is_no_directive() -> None:
    assert _judge("x = 1  # nanlint: finds such things\n").remarks == ()


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# nanlint: ignore[NL103]", ""),
        ("# nanlint: ignore[NL103] counts plus one", "counts plus one"),
        ("# nanlint: ignore[NL103] - see issue #12", "see issue #12"),
        ("# nanlint: ignore[NL103] mine  # type: ignore", "mine"),
        ("# noqa: NL103 counts plus one", "counts plus one"),
        ("# noqa: E501, NL103", ""),
    ],
)
def test_what_is_silenced_is_kept_with_the_reason_given(comment: str, reason: str) -> None:
    (silenced,) = _judge(f"log(x)  {comment}\n").silenced
    assert (silenced.diagnostic.code, silenced.justification, silenced.external) == ("NL103", reason, False)


def test_a_finding_that_two_comments_silence_is_kept_once_with_the_reason_that_there_is() -> None:
    (silenced,) = _judge("# nanlint: file-ignore[NL103]\nlog(x)  # nanlint: ignore[NL103] why\n").silenced
    assert silenced.justification == "why"


def _caused(text: str) -> Judged:
    """Every call of log is a finding, and every call of soft is the cause of one behind the last row."""
    source = Source("a.py", text)
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    last = len(source.lines)
    places = {ast.unparse(call.func): source.span(call) for call in calls}
    found = [Diagnostic("a.py", places["log"], "NL103", "m", "m", Confidence.CERTAIN)] if "log" in places else []
    found += [
        Diagnostic(
            "a.py", Span(last, n, last, n), "NL103", "m", "m", Confidence.CERTAIN, causes=(Annotation(place, "c"),)
        )
        for n, (name, place) in enumerate(places.items(), 1)
        if name != "log"
    ]
    return suppress(source, found, RULES, RULES)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("y = soft(x)  # nanlint: ignore[NL103]\n", 0),
        ("# nanlint: ignore[NL103]\ny = soft(x)\n", 0),
        ("y = (\n    soft(x)\n)  # noqa: NL103\n", 0),
        ("y = soft(x)  # nanlint: ignore\n", 1),
        ("y = soft(x)  # noqa\n", 1),
        ("y = soft(x)  # noqa: NL203\n", 1),
        ("y = (log(x),  # noqa: NL103\n    soft(x))\n", 1),
        ("y = (soft(x),  # noqa: NL103\n    hard(x))\n", 1),
    ],
)
def test_a_comment_at_a_cause_silences_what_it_names_and_means_its_line_first(text: str, kept: int) -> None:
    judged = _caused(text)
    assert len(judged.kept) == kept
    assert [one.code for one in judged.remarks] == (["NL001"] if text.endswith(("ignore\n", "NL203\n")) else [])
