"""What authors test with holds for rules that are right, and says of those that are not what is wrong and where."""

from __future__ import annotations

import math
import unittest
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanlint import plugins
from nanlint.config import ConfigError
from nanlint.testing import Failure, check_op, check_page, check_rule

BAD = """\
import torch


def loss(x):
    return torch.log(torch.relu(x))  # error: [NL103] certain
"""
GOOD = BAD.replace("(x))  # error: [NL103] certain", "(x) + 1e-6)")
UNMARKED = BAD.partition("  # error")[0] + "\n"


@pytest.fixture(autouse=True)
def without_rule_files() -> Iterator[None]:
    """What a test loads is gone when it ends."""
    yield
    for path in list(plugins._files):
        plugins._forget(path)


def test_a_rule_that_does_what_it_must_passes() -> None:
    (finding,) = check_rule("unclipped-log", bad=BAD, good=GOOD)
    assert finding.code == "NL103"
    assert len(check_rule("NL103", bad=[UNMARKED, BAD])) == 2


def test_a_fix_is_compared_with_the_program_expected() -> None:
    bad = "import torch\n\n\ndef loss(x):\n    return torch.log(torch.softmax(x, -1))\n"
    fixed = bad.replace("torch.log(torch.softmax(x, -1))", "torch.log_softmax(x, -1)")
    check_rule("NL101", bad=bad, fixed=fixed)
    with pytest.raises(Failure, match=r"fixes the program in another way\n(.*\n)*-.*log_softmax\(x, dim=-1\)"):
        check_rule("NL101", bad=bad, fixed=bad.replace("torch.log(torch.softmax(x, -1))", "log_softmax(x, dim=-1)"))
    with pytest.raises(Failure, match="NL103 fixes nothing: its fix is unsafe"):
        check_rule("NL103", bad=UNMARKED, fixed=GOOD, unsafe_fixes=False)


def test_a_bad_program_in_which_nothing_is_found_is_told_with_the_reason() -> None:
    with pytest.raises(Failure) as caught:
        check_rule("NL103", bad=GOOD)
    assert "NL103 reports nothing in a bad program" in str(caught.value)
    assert "line 5, torch.log(torch.relu(x) + 1e-6): no singular point of the operation is reached" in str(caught.value)


def test_marks_that_are_not_met_are_told_line_by_line() -> None:
    program = BAD.replace("certain", "likely").replace("import torch\n", "import torch  # error: [NL103]\n")
    with pytest.raises(Failure) as caught:
        check_rule("NL103", bad=program)
    assert "line 1 is marked, but NL103 does not report it" in str(caught.value)
    assert "line 5 is marked as likely, but reported as certain" in str(caught.value)


def test_what_is_found_in_a_good_program_is_underlined() -> None:
    with pytest.raises(Failure) as caught:
        check_rule("NL103", good=UNMARKED)
    assert "      │            ^^^^^^^^^^^^^^^^^^^^^^^^ log of a value that reaches 0" in str(caught.value)


def test_a_program_that_is_none_and_a_rule_that_is_none_are_said() -> None:
    with pytest.raises(Failure, match="could not be checked, line 1"):
        check_rule("NL103", good="def (:")
    with pytest.raises(ConfigError, match='unknown rule "NL1O3"; did you mean'):
        check_rule("NL1O3", good="")


def test_programs_are_executed_and_must_do_what_is_said_of_them() -> None:
    bad = """\
import numpy as np


def mean_of_positives(x):
    return x[x > 0.0].sum() / (x > 0.0).sum()


def witness():
    return {"y": mean_of_positives(np.array([-1.0, -2.0]))}
"""
    good = bad.replace("(x > 0.0).sum()", "np.maximum((x > 0.0).sum(), 1)")
    check_rule("NL301", bad=bad, good=good, execute=True)
    with pytest.raises(Failure, match="returns neither nan nor inf"):
        check_rule("NL301", bad=bad.replace("-1.0", "1.0"), execute=True)
    with pytest.raises(Failure, match=r"defines no `witness\(\)`"):
        check_rule("NL301", good="x = 1\n", execute=True)
    with pytest.raises(unittest.SkipTest, match="no_such_framework is not installed"):
        check_rule("NL301", good="import no_such_framework\n", execute=True)


def test_the_page_of_a_rule_is_checked(tmp_path: Path) -> None:
    check_page("where-gradient")
    rule = tmp_path / "rule.py"
    rule.write_text(
        "from nanlint.authoring import rule\n\n\n"
        '@rule("T101", "no-page", nodes="log")\ndef f(node, facts):\n    """None."""\n    return iter(())\n',
        encoding="utf-8",
    )
    with pytest.raises(Failure, match=r"the page of T101 must have one python block under `## Example \(bad\)`"):
        check_page("T101", rules=[str(rule)])


def test_an_op_is_held_against_the_function() -> None:
    def log(x: float) -> float:
        return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan

    check_op("log", log)
    with pytest.raises(Failure, match=r"log at x = 0\.0: returns 0\.0"):
        check_op("log", lambda x: 0.0)
    with pytest.raises(Failure, match="it must return a number, or nan"):
        check_op("log", math.log)
    with pytest.raises(Failure, match=r"tanh at x = 88\.8: returns 2\.0, outside of the predicted range"):
        check_op("tanh", lambda x: 2.0, [(88.8,)])
