"""The story of an expression, and why rules do or do not fire there, is that of the analysis and of the rules."""

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
from nanlint.hazards.record import Cleared, Hazard
from nanlint.hazards.story import interval
from nanlint.lint.known_rules import rule_names
from nanlint.output.story import MOST, render_explanations, render_explanations_json
from nanlint.server.hovering import of_story
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


def stories(row: int, column: int | None = None, program: str = PROGRAM, **table: object) -> list[Explanation]:
    config = config_of([Layer(table, "/", "test")], rule_names())
    return explain(Source("loss.py", program), config, row, column)


def row_of(start: str) -> int:
    (row,) = (row for line, row in ROWS.items() if line.startswith(start))
    return row


def verdicts(explanation: Explanation) -> dict[str, Verdict]:
    return {one.code: one for one in explanation.verdicts}


def test_a_line_without_a_column_is_what_is_flagged_on_it() -> None:
    (one,) = stories(row_of("nll = -"))
    assert one.story.step.text == "torch.log(probs)"
    assert [step.text for step in one.story.steps] == ["logits", "torch.softmax(logits, -1)", "torch.log(probs)"]


def test_a_line_on_which_nothing_is_flagged_is_all_that_can_break_on_it() -> None:
    (one,) = stories(row_of("floored ="))
    assert one.story.step.text == "torch.log(rate.clamp(min=eps))"


def test_a_column_on_a_name_tells_where_its_value_comes_from() -> None:
    column = PROGRAM.splitlines()[row_of("nll = -") - 1].index("probs") + 1
    (one,) = stories(row_of("nll = -"), column)
    assert one.story.step.text == "torch.softmax(logits, -1)"
    assert interval(one.story.step.value) == "[0, 1]"
    assert [d.code for d in one.causes] == ["NL101"]


def test_a_column_on_the_function_that_is_called_tells_of_the_call() -> None:
    column = PROGRAM.splitlines()[row_of("nll = -") - 1].index("torch.log") + 1
    for at in (column, column + len("torch.")):
        (one,) = stories(row_of("nll = -"), at)
        assert one.story.step.text == "torch.log(probs)"


def test_every_finding_of_the_check_fires_in_the_story_of_its_place_with_the_same_confidence() -> None:
    for path in (Path("examples/torch_classifier.py"), Path("examples/tape_model.py"), Path("examples/tf1_mnist.py")):
        text = (Path(__file__).parents[1] / path).read_text(encoding="utf-8")
        for finding in nanlint.check_source(text):
            told = [verdicts(one) for one in stories(finding.span.row, program=text)]
            assert any(v.get(finding.code) and v[finding.code].confidence == finding.confidence for v in told)


def test_evidence_is_derived_or_a_name() -> None:
    (softmax,) = stories(row_of("probs ="))
    by_class = {belief.cls: belief for belief in softmax.story.step.beliefs}
    assert by_class["zero"].basis == "derived"
    (named,) = stories(5, PROGRAM.splitlines()[4].index("mask") + 1)
    assert {belief.basis for belief in named.story.step.beliefs if belief.cls == "zero"} == {"named"}


def test_a_condition_is_a_step_that_says_what_it_rules_out() -> None:
    (one,) = stories(row_of("nll = nll"))
    (condition,) = [step for step in one.story.steps if step.condition]
    assert condition.condition.endswith("> 0")
    assert "zero" in condition.guards
    assert {type(pole) for pole in one.story.poles} == {Cleared}
    assert verdicts(one)["NL103"].why == "no singular point of the operation is reached"


def test_a_bound_is_a_guard() -> None:
    (one,) = stories(row_of("floored ="))
    (clamp,) = [step for step in one.story.steps if step.sort == "clamp"]
    assert clamp.guards == ("zero",)


def test_an_upper_bound_is_told_with_its_own_number() -> None:
    program = "import torch\n\n\ndef f(x):\n    return x.clip(min=-2, max=1), torch.minimum(x, torch.tensor(3.0))\n"
    evidence = {
        belief.evidence.text
        for one in stories(5, program=program)
        for belief in one.story.step.beliefs
        if belief.evidence is not None
    }
    assert "is exactly 1 where this bound applies" in evidence
    assert not any(text.startswith("is exactly -1") for text in evidence)


def test_an_epsilon_that_vanishes_is_told_of() -> None:
    one = next(one for one in stories(row_of("void =")) if one.story.step.sort == "log")
    assert [step.text for step, _ in one.story.void] == ["1 + 1e-10"]


def test_no_gradient_says_why() -> None:
    (one,) = stories(row_of("shown ="))
    assert one.story.step.obstacle == "under no_grad"
    assert "only the gradient breaks, and none flows: under no_grad" in [
        pole.why for pole in one.story.poles if isinstance(pole, Cleared)
    ]


def test_a_trap_behind_a_selection_is_a_pole_that_is_met() -> None:
    (one,) = stories(row_of("picked ="))
    assert [pole.guard is not None for pole in one.story.poles if isinstance(pole, Hazard)] == [True]
    assert verdicts(one)["NL203"].outcome == "fires"


def test_a_rule_that_comes_later_says_who_has_the_first_word() -> None:
    (one,) = stories(row_of("nll = -"))
    assert verdicts(one)["NL103"].why == "already reported as NL101"


def test_a_finding_that_a_comment_silences_is_told_with_the_comment() -> None:
    (one,) = stories(row_of("quiet ="))
    told = verdicts(one)["NL103"]
    assert (told.outcome, told.why) == ("suppressed", f"by the comment on line {row_of('quiet =')}")


def test_a_finding_below_the_threshold_is_told_with_the_threshold() -> None:
    (one,) = stories(row_of("return np.log"))
    assert verdicts(one)["NL208"].outcome == "below-threshold"
    (shown,) = stories(row_of("return np.log"), confidence="possible")
    assert verdicts(shown)["NL208"].outcome == "fires"


def test_why_a_fix_is_not_made_is_told_with_the_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "the file would not parse"
    monkeypatch.setattr("nanlint.fixes.readback.refused", lambda offers, *_: dict.fromkeys(range(len(offers)), reason))
    (one,) = found = stories(row_of("nll = -"))
    assert verdicts(one)["NL101"].refused == reason
    assert f"its fix was rejected: {reason}" in " ".join(render_explanations(found, "loss.py").split())
    assert f'"fix_refused": "{reason}"' in render_explanations_json(found, "loss.py")


def test_a_rule_that_is_not_selected_is_told_so() -> None:
    (one,) = stories(row_of("nll = -"), ignore=["NL101"])
    assert verdicts(one)["NL101"].outcome == "not-selected"
    assert verdicts(one)["NL104"].outcome in ("fires", "silent")


def test_what_no_rule_would_have_looked_at_has_a_story_too() -> None:
    (one,) = stories(row_of("return a * b"))
    assert [step.text for step in one.story.steps] == ["a", "b", "a * b"]


def test_where_nothing_numeric_stands_there_is_no_story() -> None:
    assert stories(3) == []


def test_in_a_notebook_steps_stand_in_their_cells() -> None:
    cells = [(2, "import torch\n%matplotlib inline\nx = torch.relu(torch.randn(3))"), (5, "# now\ny = torch.log(x)")]
    notebook = Notebook.of_cells("loss.ipynb", cells)
    row = notebook.placed(Span(2, 1, 2, 1, 5)).row
    (one,) = explain(notebook, config_of([Layer({}, "/", "test")], rule_names()), row)
    assert [step.span.start for step in one.story.steps] == ["cell 2:3:16", "cell 2:3:5", "cell 5:2:5"]
    shown = render_explanations([one], "loss.ipynb")
    assert "(line 3 of cell 2)" in shown


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
    shown = render_explanations(stories(5, program=program), "a.py")
    assert "`x.clamp(-0.9, 0.9)` cannot be more than 1: it is in [-0.9, 0.9]." in shown


def test_json_has_a_version_and_every_part_of_the_story() -> None:
    shown = json.loads(render_explanations_json(stories(row_of("nll = -")), "/loss.py"))
    assert (shown["version"], shown["filename"]) == (1, "/loss.py")
    (expression,) = shown["expressions"]
    assert expression["steps"][1]["health"]["0"] == "certain"
    assert expression["steps"][1]["range"] == [0.0, 1.0]
    assert expression["poles"][0] == {
        "where": "probs = 0: the value is -inf",
        "gives": "-inf",
        "gradient": False,
        "met": True,
        "reach": "certain",
        "why": "is exactly 0 when a logit is 104 below the largest (float32)",
    }
    assert {"code": "NL101", "outcome": "fires", "confidence": "certain"}.items() <= expression["rules"][0].items()


def test_an_explanation_is_a_dozen_plain_sentences() -> None:
    """Those of the expressions that are flagged on the pages: whole code, reasons in words, no line in vain."""
    bare_code = re.compile(r"\w\.\w|\w\(|\w_\w|[][{}=]|\bNone\b")
    reasons = set[str]()
    for program in (program for program in PROGRAMS if program.is_page and program.framework == "torch"):
        for row, _ in program.marked():
            for one in stories(row, program=program.text):
                head, *lines = render_explanations([one], "loss.py").splitlines()
                assert head.startswith(f"loss.py:{row}:")
                assert len(lines) == len(set(lines)) < MOST, lines
                assert [line for line in lines if not re.fullmatch(r"  [`A-Z0-9].*\.", line)] == []
                assert [
                    code for line in lines for code in quoted(line) if not parses(code) and not code.startswith("--")
                ] == []
                hovered = of_story(one.story, lines=True).splitlines()
                assert 1 < len(hovered) <= MOST
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
