"""The record of an expression, and why rules do or do not fire there, is that of the analysis and of the rules."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import nanlint
from nanlint.cli import cli
from nanlint.config import Layer, config_of
from nanlint.diagnostic import Span
from nanlint.explaining import Explanation, Verdict, explain
from nanlint.hazards.expressions import interval
from nanlint.hazards.read import LABELS, REPOSITORIES, read_rows, was_right
from nanlint.lint.known_rules import rule_names
from nanlint.output.explanation import MOST, render_explanations, render_explanations_json, sentences
from nanlint.source import Source
from nanlint.source.brief import brief
from nanlint.source.notebook import Notebook
from tests.programs.fixtures import PROGRAMS
from tests.programs.sentences import parses, quoted

PROGRAM = """\
import numpy as np
import torch


def loss(logits, x, mask, eps=1e-8):
    probs = torch.softmax(logits, -1)
    nll = -torch.log(probs).mean()
    rate = torch.relu(x)
    n = rate.sum()
    if n > 0:
        nll = nll + torch.log(n)
    floored = torch.log(rate.clamp(min=eps))
    quiet = torch.log(rate)  # nanlint: ignore[NL103]
    with torch.no_grad():
        shown = torch.sqrt(rate)
    picked = torch.where(x > 0, 1 / x, 0.0)
    void = torch.log(1 + 1e-10 - torch.sigmoid(x))
    return nll + floored + quiet + shown + picked + void


def counts(x):
    return np.log(np.maximum(x, 0))


def plain(a, b):
    return a * b
"""
ROWS = {line.strip(): row for row, line in enumerate(PROGRAM.splitlines(), start=1)}


def explained(row: int, column: int | None = None, program: str = PROGRAM, **table: object) -> list[Explanation]:
    config = config_of([Layer(table, "/", "test")], rule_names())
    return explain(Source("loss.py", program), config, row, column)


def row_of(start: str) -> int:
    (row,) = (row for line, row in ROWS.items() if line.startswith(start))
    return row


def verdicts(explanation: Explanation) -> dict[str, Verdict]:
    return {one.code: one for one in explanation.verdicts}


def said(explanation: Explanation, part: str) -> list[str]:
    return [line.text for line in explanation.lines if line.part == part]


def test_a_finding_is_told_as_its_record() -> None:
    (one,) = explained(row_of("nll = -"))
    assert one.text == "torch.log(probs)"
    assert sentences(one) == [
        "Reported: NL101 log-of-softmax (certain): log of a softmax: -inf as soon as one class underflows.",
        "Breaks: `probs` becomes 0, which gives -inf.",
        "Made by: `torch.softmax(logits, -1)` (line 6) is exactly 0 when a logit is 104 below the largest (float32).",
        "Guard: `probs` cannot be negative: it is in [0, 1], because of `torch.softmax(logits, -1)` (line 6).",
        "Goes to: `nll + floored + quiet + shown + picked + void` (line 18); gradients flow through it.",
        f"Level: certain, decided by made-by-form; {was_right('certain', 'made-by-form')}.",
        "Value: in [-inf, 0] (float32).",
    ]


def test_a_line_on_which_nothing_is_flagged_is_all_that_can_break_on_it() -> None:
    (one,) = explained(row_of("floored ="))
    assert one.text == "torch.log(rate.clamp(min=eps))"


def test_why_nothing_is_reported_is_told_with_the_guard_that_decides() -> None:
    (bounded,) = explained(row_of("floored ="))
    assert said(bounded, "guard") == [
        "`rate.clamp(min=eps)` cannot be 0: it is in [1e-08, inf]",
        "`rate.clamp(min=eps)` cannot be negative: it is in [1e-08, inf], because of `torch.relu(x)` (line 8)",
    ]
    (asked,) = explained(row_of("nll = nll"))
    assert said(asked, "guard")[0] == "`n` cannot be 0: it is in (0, inf], because of `rate.sum() > 0` (line 9)"
    assert verdicts(asked)["NL103"].why == "no singular point of the operation is reached"


def test_a_column_on_a_name_tells_where_its_value_comes_from() -> None:
    line = PROGRAM.splitlines()[row_of("nll = -") - 1]
    (one,) = explained(row_of("nll = -"), line.index("probs") + 1)
    assert one.text == "torch.softmax(logits, -1)"
    assert interval(one.value) == "[0, 1]"
    assert said(one, "cause of") == [f"NL101 log-of-softmax (certain) on line {row_of('nll = -')}"]
    (bound,) = explained(row_of("probs ="), 5)
    assert bound.text == one.text


def test_a_column_on_the_function_that_is_called_tells_of_the_call() -> None:
    column = PROGRAM.splitlines()[row_of("nll = -") - 1].index("torch.log") + 1
    for at in (column, column + len("torch.")):
        (one,) = explained(row_of("nll = -"), at)
        assert one.text == "torch.log(probs)"


def test_every_finding_of_the_check_fires_in_the_record_of_its_place_with_the_same_confidence() -> None:
    for path in (Path("examples/torch_classifier.py"), Path("examples/tape_model.py"), Path("examples/tf1_mnist.py")):
        text = (Path(__file__).parents[1] / path).read_text(encoding="utf-8")
        for finding in nanlint.check_source(text):
            told = [verdicts(one) for one in explained(finding.span.row, program=text)]
            assert any(v.get(finding.code) and v[finding.code].confidence == finding.confidence for v in told)


def test_a_guard_that_is_none_is_told_with_why() -> None:
    one = next(one for one in explained(row_of("void =")) if one.node.op == "log")
    assert said(one, "guard")[0] == "`1 + 1e-10` has no effect: 1 + 1e-10 is 1 in float32"


def test_no_gradient_says_why() -> None:
    (one,) = explained(row_of("shown ="))
    assert said(one, "goes to") == [
        "`nll + floored + quiet + shown + picked + void` (line 18); no gradient flows: under no_grad"
    ]
    assert "`rate` may be 0, but only the gradient breaks, and none flows: under no_grad" in said(one, "guard")


def test_a_selection_that_hides_the_value_is_told_as_a_guard_that_is_not_enough() -> None:
    (one,) = explained(row_of("picked ="))
    assert said(one, "guard") == ["`torch.where(x > 0, 1 / x, 0.0)` drops that value, but not its gradient"]
    assert verdicts(one)["NL203"].outcome == "fires"


def test_what_weighs_on_a_level_is_told_by_its_rows() -> None:
    (one,) = explained(row_of("return np.log"))
    assert "a caller's data would have to be degenerate, or at an end" in said(one, "against")
    assert said(one, "level")[0].startswith("possible, decided by of-a-caller (a caller's data")


def test_how_often_a_row_was_right_is_told_from_what_was_read() -> None:
    assert len(read_rows()) > 10
    for (level, row), one in read_rows().items():
        enough = one.labels >= LABELS and one.repositories >= REPOSITORIES
        assert was_right(level, row).endswith(": unproven") is not enough
        assert one.level in ("possible", "likely", "certain")
        assert f"{one.labels} such finding" in was_right(level, row)
    assert was_right("likely", "no-such-row") == "no such finding has been read: unproven"


def test_a_rule_that_comes_later_says_who_has_the_first_word() -> None:
    (one,) = explained(row_of("nll = -"))
    assert verdicts(one)["NL103"].why == "already reported as NL101"


def test_a_finding_that_a_comment_silences_is_told_with_the_comment() -> None:
    (one,) = explained(row_of("quiet ="))
    told = verdicts(one)["NL103"]
    assert (told.outcome, told.why) == ("suppressed", f"by the comment on line {row_of('quiet =')}")


def test_a_finding_below_the_threshold_is_told_with_the_threshold() -> None:
    (one,) = explained(row_of("return np.log"))
    assert verdicts(one)["NL208"].outcome == "below-threshold"
    (shown,) = explained(row_of("return np.log"), confidence="possible")
    assert verdicts(shown)["NL208"].outcome == "fires"


def test_why_a_fix_is_not_made_is_told_with_the_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "the file would not parse"
    monkeypatch.setattr(
        "nanlint.fixes.readback.Readback.refused",
        lambda self, offers, forms: dict.fromkeys(range(len(offers)), reason),
    )
    (one,) = found = explained(row_of("nll = -"))
    assert verdicts(one)["NL101"].refused == reason
    assert f"its fix was rejected: {reason}" in " ".join(render_explanations(found, "loss.py").split())
    assert f'"fix_refused": "{reason}"' in render_explanations_json(found, "loss.py")


def test_a_rule_that_is_not_selected_is_told_so() -> None:
    (one,) = explained(row_of("nll = -"), ignore=["NL101"])
    assert verdicts(one)["NL101"].outcome == "not-selected"
    assert verdicts(one)["NL104"].outcome in ("fires", "silent")


def test_what_no_rule_would_have_looked_at_is_explained_too() -> None:
    (one,) = explained(row_of("return a * b"))
    assert (one.text, one.verdicts[0].outcome) == ("a * b", "silent")
    assert said(one, "not reported")


def test_where_nothing_numeric_stands_there_is_no_explanation() -> None:
    assert explained(3) == []


def test_in_a_notebook_places_are_those_of_the_cells() -> None:
    cells = [(2, "import torch\n%matplotlib inline\nx = torch.relu(torch.randn(3))"), (5, "# now\ny = torch.log(x)")]
    notebook = Notebook.of_cells("loss.ipynb", cells)
    row = notebook.placed(Span(2, 1, 2, 1, 5)).row
    (one,) = explain(notebook, config_of([Layer({}, "/", "test")], rule_names()), row)
    assert one.span.start == "cell 5:2:5"
    assert [line.span.start for line in one.lines if line.part == "made by" and line.span] == ["cell 2:3:5"]
    assert "(line 3 of cell 2)" in render_explanations([one], "loss.ipynb")


def test_what_cannot_be_explained_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    file = tmp_path / "loss.py"
    file.write_text(PROGRAM, encoding="utf-8")
    notebook = tmp_path / "loss.ipynb"
    cell: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": "x = 1",
    }
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    notebook.write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "broken.py").write_text("def (:\n", encoding="utf-8")
    problems = {
        f"{file}:3": "no numeric expression there; the nearest are on lines 6, 7, 8",
        f"{file}:900": "has 26 lines; there is no line 900",
        f"{file}:6:80": "no expression there; leave out the column to explain the whole line",
        f"{file}": "expected FILE:LINE or FILE:LINE:COL",
        f"{file}:0": "lines and columns are counted from 1",
        f"{tmp_path}:1": "is a directory; name one of its files",
        f"{tmp_path}/none.py:1": "could not be read: no such file or directory",
        f"{tmp_path}/broken.py:1": "broken.py:1:5: invalid syntax",
        f"{notebook}:1": "in a notebook, give the cell and its line",
        f"{notebook}:cell 3:1": "has no cell 3 of Python code",
        f"{notebook}:cell 1:7": "cell 1 has no line 7",
        f"{notebook}:cell 1:1": "no numeric expression there or anywhere else in the file",
    }
    for place, message in problems.items():
        done = CliRunner().invoke(cli, ["explain", place])
        assert (done.exit_code, done.stdout) == (2, ""), place
        assert message in done.stderr, place


def test_a_pole_that_is_not_at_0_is_told_in_numbers_of_the_operand() -> None:
    program = "import torch\n\n\ndef f(x):\n    return torch.acos(x.clamp(-0.9, 0.9))\n"
    shown = render_explanations(explained(5, program=program), "a.py")
    assert "`x.clamp(-0.9, 0.9)` cannot be more than 1: it is in [-0.9, 0.9]." in shown


def test_json_has_a_version_and_every_part_of_the_record() -> None:
    shown = json.loads(render_explanations_json(explained(row_of("nll = -")), "/loss.py"))
    assert (shown["version"], shown["filename"]) == (2, "/loss.py")
    (expression,) = shown["expressions"]
    assert (expression["op"], expression["spelling"], expression["range"]) == ("log", "torch.log", ["-inf", 0.0])
    assert expression["health"]["-inf"] == "certain"
    assert expression["record"][2] == {
        "part": "made by",
        "text": "`torch.softmax(logits, -1)` (line 6) is exactly 0 when a logit is 104 below the largest (float32)",
        "cell": None,
        "location": {"row": 6, "column": 13},
        "end_location": {"row": 6, "column": 38},
    }
    rule = {"code": "NL101", "outcome": "fires", "confidence": "certain", "level_row": "made-by-form"}
    assert rule.items() <= expression["rules"][0].items()


def test_an_explanation_is_a_dozen_plain_sentences() -> None:
    """Those of the expressions that are flagged on the pages: whole code, reasons in words, no line in vain."""
    bare_code = re.compile(r"\w\.\w|\w\(|\w_\w|[][{}=]|\bNone\b")
    reasons = set[str]()
    for program in (program for program in PROGRAMS if program.is_page and program.framework == "torch"):
        for row, _ in program.marked():
            for one in explained(row, program=program.text):
                head, *lines = render_explanations([one], "loss.py").splitlines()
                assert head.startswith(f"loss.py:{row}:")
                assert len(lines) == len(set(lines)) < MOST, lines
                assert [line for line in lines if not re.fullmatch(r"  [`A-Z0-9].*\.", line)] == []
                assert [
                    code for line in lines for code in quoted(line) if not parses(code) and not code.startswith("--")
                ] == []
                reasons.update(verdict.why for verdict in one.verdicts if verdict.outcome == "silent")
    assert len(reasons) > 50
    # what is quoted stands in the program
    assert [why for why in reasons if bare_code.search(re.sub(r"`\w+`", "", why))] == []


def test_a_long_expression_is_shown_without_its_inner_parts() -> None:
    shown = {
        "torch.tensor([-1.0, 4.0], requires_grad=True)": "torch.tensor(..., requires_grad=True)",
        "jax.value_and_grad(half_circle)(jnp.array([1.0, 2.0]))": "jax.value_and_grad(half_circle)(...)",
        "(points * member[:, None]).sum(axis=0) / n": "(... * member[:, None]).sum(axis=0) / n",
        "a_name_that_is_rather_long_but_one_word": "a_name_that_is_rather_long_but_one_word",
    }
    assert {text: brief(text, 40) for text in shown} == shown
