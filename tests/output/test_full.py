"""The code frame."""

from __future__ import annotations

import math
from dataclasses import replace
from textwrap import dedent

from nanlint.diagnostic import (
    Annotation,
    Applicability,
    Confidence,
    Diagnostic,
    Edit,
    Excerpt,
    Fix,
    Severity,
    Span,
    Witness,
)
from nanlint.output.full import render_full
from nanlint.output.paint import coloured


def _finding(span: Span, *causes: Annotation, effect: str = "effect") -> Diagnostic:
    return Diagnostic(
        "a.py", span, "NL101", "log-of-softmax", "message", Confidence.LIKELY, effect=effect, causes=causes
    )


def _frame(text: str, finding: Diagnostic) -> str:
    return render_full([finding], _excerpt(dict(enumerate(text.split("\n"), 1))))


def _excerpt(lines: dict[int, str]) -> Excerpt:
    return {(None, row): line for row, line in lines.items()}


def test_cause_and_effect_are_underlined_with_witness_and_fix_below() -> None:
    lines = {
        9: "    probs = F.softmax(logits, dim=-1)\n",
        12: "    return -(labels * torch.log(probs)).sum()\n",
    }
    finding = Diagnostic(
        "loss.py",
        Span(12, 23, 12, 39),
        "NL101",
        "log-of-softmax",
        "log of a softmax: -inf as soon as one class underflows",
        Confidence.CERTAIN,
        effect="log(0) = -inf, and 0 * -inf = nan",
        causes=(Annotation(Span(9, 13, 9, 38), "is exactly 0 when a logit is 104 below the largest (float32)"),),
        witness=Witness(
            (("logits", (0.0, 200.0)),),
            ("loss", (math.nan,)),
            "logits = [0., 200.] gives loss = nan, d loss/d logits = [nan, nan]",
        ),
        fix=Fix(
            Applicability.SAFE,
            "replace with `F.log_softmax(logits, dim=-1)`",
            (Edit(Span(12, 23, 12, 39), "F.log_softmax(logits, dim=-1)"),),
            display="F.log_softmax(logits, dim=-1)",
        ),
    )
    assert render_full([finding], _excerpt(lines)) == dedent("""\
        loss.py:12:23 NL101 [certain] log of a softmax: -inf as soon as one class underflows
           9 │     probs = F.softmax(logits, dim=-1)
             │             ───────────────────────── is exactly 0 when a logit is 104 below the largest (float32)
          12 │     return -(labels * torch.log(probs)).sum()
             │                       ^^^^^^^^^^^^^^^^ log(0) = -inf, and 0 * -inf = nan
             = witness: logits = [0., 200.] gives loss = nan, d loss/d logits = [nan, nan]
             = fix (safe): replace with `F.log_softmax(logits, dim=-1)`
          12 -     return -(labels * torch.log(probs)).sum()
          12 +     return -(labels * F.log_softmax(logits, dim=-1)).sum()

        """)


def test_cause_and_effect_on_one_line_share_it() -> None:
    finding = _finding(Span(1, 5, 1, 15), Annotation(Span(1, 9, 1, 14), "cause"))
    assert _frame("y = log(soft(x))", finding) == dedent("""\
        a.py:1:5 NL101 [likely] message
          1 │ y = log(soft(x))
            │         ───── cause
            │     ^^^^^^^^^^ effect

        """)


def test_the_farthest_cause_on_a_line_comes_first() -> None:
    causes = (Annotation(Span(1, 9, 1, 10), "near"), Annotation(Span(1, 11, 1, 12), "far"))
    lines = _frame("y = log(a, b)", _finding(Span(1, 5, 1, 14), *causes)).splitlines()
    assert [line.split()[-1] for line in lines[2:5]] == ["far", "near", "effect"]


def test_a_short_span_of_several_lines_is_shown_whole() -> None:
    assert _frame("y = log(\n    x,\n)", _finding(Span(1, 5, 3, 2))) == dedent("""\
        a.py:1:5 NL101 [likely] message
          1 │ y = log(
            │     ^^^^
          2 │     x,
            │     ^^
          3 │ )
            │ ^ effect

        """)


def test_the_middle_of_a_long_span_is_left_out() -> None:
    finding = _finding(Span(1, 1, 9, 2))
    excerpt = {1: "log(", 2: "  a,", 8: "  b,", 9: ")"}
    assert render_full([finding], _excerpt(excerpt)) == dedent("""\
        a.py:1:1 NL101 [likely] message
          1 │ log(
            │ ^^^^
          2 │   a,
            │   ^^
        ...
          8 │   b,
            │   ^^
          9 │ )
            │ ^ effect

        """)


def test_tabs_and_wide_characters_do_not_shift_the_underline() -> None:
    text = "\tx = '日本', e\u0301 + log(p)"
    start = text.index("log") + 1
    source, underline = _frame(text, _finding(Span(1, start, 1, start + 6))).splitlines()[1:3]
    assert "\t" not in source
    columns = source.index("log") + 2 - 1  # two characters are two columns wide, one is none
    assert underline.index("^") == columns


def test_of_a_very_long_line_only_the_surroundings_are_shown() -> None:
    text = f"x = [{'1, ' * 100_000}log(p), {'2, ' * 100_000}]"
    start = text.index("log") + 1
    source, underline = _frame(text, _finding(Span(1, start, 1, start + 6))).splitlines()[1:3]
    assert len(source) < 140
    assert source.count("…") == 2
    assert source[underline.index("^") :].startswith("log(p)")
    assert underline.count("^") == 6


def test_two_places_of_one_long_line_are_both_shown() -> None:
    text = f"soft(x); {'1, ' * 1000}; log(p)"
    start = text.index("log") + 1
    finding = _finding(Span(1, start, 1, start + 6), Annotation(Span(1, 1, 1, 8), "cause"))
    shown = _frame(text, finding)
    assert "soft(x)" in shown
    assert "log(p)" in shown


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in _frame("x = '\x1b[31m' + log(p)", _finding(Span(1, 15, 1, 21)))


def test_a_place_beyond_the_end_of_a_line_is_underlined_there() -> None:
    underline = _frame("x = (", _finding(Span(1, 6, 1, 7))).splitlines()[2]
    assert underline == "    │      ^ effect"


def test_a_lower_severity_is_said() -> None:
    finding = replace(_finding(Span(1, 1, 1, 2)), severity=Severity.WARNING)
    assert _frame("x", finding).startswith("a.py:1:1 NL101 [likely, warning] message\n")


def _fixed(text: str, *edits: Edit, message: str = "m", display: str = "") -> list[str]:
    fix = Fix(Applicability.SAFE, message, edits, display=display)
    lines = _frame(text, replace(_finding(Span(1, 1, 1, 2)), fix=fix)).rstrip().split("\n")
    return lines[next(at for at, line in enumerate(lines) if "= fix" in line) :]


def test_a_line_that_a_fix_adds_moves_the_numbers_of_those_below_it() -> None:
    edits = (Edit(Span(1, 1, 1, 1), "import math\n\n"), Edit(Span(3, 5, 3, 8), "math.pi"))
    assert _fixed("x = 1\n\ny = 3.1\nz = 0", *edits) == [
        "    = fix (safe): m",
        "  1 + import math",
        "  2 +",
        "  3 - y = 3.1",
        "  5 + y = math.pi",
    ]


def test_a_variable_that_a_fix_introduces_is_shown_where_it_is_assigned() -> None:
    edits = (Edit(Span(1, 5, 1, 5), "d = a.sum()\n    "), Edit(Span(1, 16, 1, 23), "where(d == 0, 1, d)"))
    assert _fixed("    return a / a.sum()", *edits) == [
        "    = fix (safe): m",
        "  1 -     return a / a.sum()",
        "  1 +     d = a.sum()",
        "  2 +     return a / where(d == 0, 1, d)",
    ]


def test_of_a_long_fix_the_first_lines_are_shown_and_the_others_counted() -> None:
    lines = _fixed("x", Edit(Span(1, 1, 1, 1), "".join(f"a = {number}\n" for number in range(15))))
    assert lines[1] == "   1 + a = 0"
    assert len(lines) == 1 + 12 + 1
    assert lines[-1].strip() == "…and 3 more lines: --diff"


def test_code_that_is_long_is_without_its_inner_parts_above_the_diff_and_whole_in_it() -> None:
    code = "torch.where(" + ", ".join(f"argument_{number}" for number in range(12)) + ")"
    first, _, added = _fixed("x", Edit(Span(1, 1, 1, 2), code), message=f"replace with `{code}`", display=code)
    assert first == "    = fix (safe): replace with `torch.where(..., argument_1, argument_2, argument_3, ...)`"
    assert added == f"  1 + {code}"


def test_lines_of_other_files_that_a_fix_changes_are_under_their_names() -> None:
    other = Edit(Span(7, 1, 7, 8), "log_softmax", "model.py", ((7, "softmax(x)\n"),))
    assert _fixed("y", Edit(Span(1, 1, 1, 2), "z"), other)[1:] == [
        "  1 - y",
        "  1 + z",
        "  model.py",
        "  7 - softmax(x)",
        "  7 + log_softmax(x)",
    ]


def test_a_fix_whose_lines_are_not_known_is_shown_as_text() -> None:
    assert _fixed("x", Edit(Span(3, 1, 3, 4), "y"), display="y = 2") == ["    = fix (safe): m"]


def test_a_replacement_of_several_lines_is_indented() -> None:
    fix = Fix(Applicability.UNSAFE, "m", display="a = 1\nb = 2")
    assert _frame("x", replace(_finding(Span(1, 1, 1, 2)), fix=fix)).endswith(
        "    = fix (unsafe): a = 1\n                    b = 2\n\n"
    )


def test_colour_changes_nothing_but_colour() -> None:
    import click

    finding = _finding(Span(1, 5, 1, 15), Annotation(Span(1, 9, 1, 14), "cause"))
    painted = render_full([finding], {(None, 1): "y = log(soft(x))"}, paint=coloured)
    assert painted != click.unstyle(painted) == render_full([finding], {(None, 1): "y = log(soft(x))"})
