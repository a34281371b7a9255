"""What is ignored is silent: no other rule reports its hazard, whichever way it is ignored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import nanlint
from nanlint.config import Configs, Layer, config_of
from nanlint.diagnostic import Diagnostic
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import diagnose_source
from nanlint.source import Source
from nanlint.source.edits import apply_edits
from nanlint.source.ignoring import ignore_lines
from tests.sampling import sample

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted([*(ROOT / "tests" / "fixtures").glob("*/bad*.py"), *(ROOT / "examples").glob("*.py")])
CONFIG = Configs(rule_names(), isolated=True).default()


def _places(found: list[Diagnostic]) -> Counter[tuple[int, int, str]]:
    return Counter((one.span.row, one.span.column, one.code) for one in found)


def _without(code: str, found: list[Diagnostic]) -> Counter[tuple[int, int, str]]:
    return _places([one for one in found if one.code != code])


def _each(share: int) -> Iterator[tuple[str, list[Diagnostic]]]:
    for path in sample(PROGRAMS, share, "ignored"):
        # comments may silence some of it already
        text = re.sub(r"# (nanlint|noqa):.*", "", path.read_text(encoding="utf-8"))
        yield text, nanlint.check_source(text)


def test_a_rule_that_is_ignored_leaves_its_hazards_to_no_other() -> None:
    seen = 0
    for text, found in _each(8):
        for code in {one.code for one in found}:
            assert _places(nanlint.check_source(text, ignore=[code])) == _without(code, found), (code, text)
            seen += 1
    assert seen


def test_a_comment_takes_away_its_findings_and_adds_none() -> None:
    seen = 0
    for text, found in _each(8):
        source = Source("a.py", text)
        for one in found:
            silenced = apply_edits(source, ignore_lines(source, [one], rule_names(), ""))
            after = Counter(left.code for left in diagnose_source(Source("a.py", silenced), CONFIG))
            before = Counter(known.code for known in found)
            assert not after - before, (one, silenced)
            assert after[one.code] < before[one.code]
            seen += 1
    assert seen


SOFTMAX = "import torch\n\n\ndef nll(x):\n    return -torch.log(torch.softmax(x, -1))\n"


@pytest.mark.parametrize("table", [{"ignore": ["log-of-softmax"]}, {"per-file-ignores": {"*.py": ["NL101"]}}])
def test_the_configuration_ignores_as_the_option_does(table: dict[str, object]) -> None:
    config = config_of([Layer({"confidence": "possible", **table}, "/", "nanlint.toml")], rule_names())
    assert diagnose_source(Source("/a.py", SOFTMAX), config.for_file("/a.py")) == []


def test_a_rule_that_is_only_not_selected_leaves_its_hazards_to_the_others() -> None:
    (found,) = nanlint.check_source(SOFTMAX, select=["NL103"], confidence="possible")
    assert found.code == "NL103"


def test_what_is_ignored_in_one_place_can_be_selected_in_a_nearer_one() -> None:
    layers = [Layer({"ignore": ["NL1"]}, "/", "base"), Layer({"extend-select": ["NL101"]}, "/", "own")]
    config = config_of(layers, rule_names())
    (found,) = diagnose_source(Source("a.py", SOFTMAX), config)
    assert found.code == "NL101"
