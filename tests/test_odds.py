"""The probability of a finding: the table that is shipped, what is read from it, and the traits it is read by."""

from __future__ import annotations

from itertools import product

import pytest

import nanlint
from nanlint import odds
from nanlint.analysis.context import Context
from nanlint.diagnostic import Confidence, Diagnostic, Span, Traits
from nanlint.odds import path_of, probability, table, with_confidence
from nanlint.ops.op import OPS
from nanlint.ops.value import Origin
from nanlint.rules import RULES
from nanlint.rules.traits import KINDS, NAME, OTHER

ORIGINS = ("", NAME, *(origin.name.lower() for origin in Origin))
EVERY = [
    Traits(origin, kind, part, context.name.lower())
    for origin, kind, part, context in product(ORIGINS, {*KINDS.values(), OTHER}, ("value", "gradient"), Context)
]


def traits_in(text: str, path: str = "model.py") -> list[tuple[str, Traits]]:
    return [(one.code, one.traits) for one in nanlint.check_source(text, path, confidence="possible")]


def test_the_table_has_a_cell_for_each_level() -> None:
    assert {cell for cell in table() if len(cell) == 1} == {("certain",), ("likely",), ("possible",)}


def test_every_cell_of_the_table_can_be_reached_and_follows_one_that_is_there() -> None:
    paths = {path_of(level, traits)[:n] for level in Confidence for traits in EVERY for n in range(1, 6)}
    for cell in table():
        assert cell in paths
        assert len(cell) == 1 or cell[:-1] in table()


@pytest.mark.parametrize("traits", EVERY[::37])
def test_a_surer_level_is_more_probable(traits: Traits) -> None:
    said = [probability(level, traits) for level in sorted(Confidence)]
    assert said == sorted(said)


def test_a_finding_is_in_the_farthest_cell_that_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = {("likely",): 0.7, ("likely", "value"): 0.8, ("likely", "value", "training"): 0.9}
    monkeypatch.setattr(odds, "table", lambda: cells)
    said = {
        (part, context): probability(Confidence.LIKELY, Traits("", "log", part, context))
        for part in ("value", "gradient")
        for context in ("training", "metric")
    }
    assert said == {
        ("value", "training"): 0.9,
        ("value", "metric"): 0.8,
        ("gradient", "training"): 0.7,
        ("gradient", "metric"): 0.7,
    }


def test_another_confidence_has_its_own_probability() -> None:
    finding = Diagnostic("a.py", Span(1, 1, 1, 2), "NL103", "", "", Confidence.CERTAIN, probability=0.99)
    assert with_confidence(finding, Confidence.LIKELY).probability == probability(Confidence.LIKELY, Traits())


def test_what_is_about_the_check_itself_has_no_probability() -> None:
    (finding,) = nanlint.check_source("import torch\ntorch.log(\n", "a.py")
    assert finding.probability is None
    assert with_confidence(finding, Confidence.LIKELY).probability is None


def test_every_op_that_breaks_is_of_a_kind() -> None:
    assert {name for name, op in OPS.items() if op.breaks} <= KINDS.keys()


def test_every_rule_about_nodes_says_what_its_evidence_rests_on() -> None:
    ours = [rule for rule in RULES.values() if rule.nodes and not rule.origin]
    assert [rule.code for rule in ours if rule.rests_on is None] == []


HEAD = "import torch\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("line", "origin", "kind", "part"),
    [
        ("torch.log(torch.softmax(x, -1))", "saturation", "log", "value"),
        ("torch.log(torch.relu(x))", "attained", "log", "value"),
        ("torch.log(1 + 1e-10 - torch.sigmoid(x))", "absorbed", "log", "value"),
        ("x / x.std()", "statistic", "division", "value"),
        ("(x - y) / (x == y).sum()", "empty", "division", "value"),
        ("torch.sqrt(((x - y) ** 2).sum(-1))", "coincidence", "root", "gradient"),
        ("torch.where(x > 0, 1 / x, 0.0)", "own_test", "division", "gradient"),
        ("torch.log(probs)", "name", "log", "value"),
        ("torch.exp(x) / torch.exp(x).sum(-1)", "overflow", "division", "value"),
    ],
)
def test_the_traits_of_a_finding(line: str, origin: str, kind: str, part: str) -> None:
    found = traits_in(f"{HEAD}def f(x, y, probs):\n    return {line}\n")
    assert (origin, kind, part) in {(t.origin, t.kind, t.part) for _, t in found}


@pytest.mark.parametrize(
    ("name", "path", "context"),
    [
        ("f", "model.py", "library"),
        ("training_loss", "model.py", "training"),
        ("evaluate", "model.py", "metric"),
        ("sampler", "model.py", "sampler"),
        ("preprocess", "model.py", "data"),
        ("test_loss", "tests/test_model.py", "test"),
        ("f", "test_model.py", "library"),
        ("test_shape", "model.py", "library"),
        ("f", "contest.py", "library"),
    ],
)
def test_the_context_of_a_finding(name: str, path: str, context: str) -> None:
    found = traits_in(f"{HEAD}def {name}(x):\n    return torch.log(torch.softmax(x, -1))\n", path)
    assert [t.context for _, t in found] == [context]


def test_what_a_test_computes_is_possible_at_most() -> None:
    text = f"{HEAD}def test_loss(x):\n    return torch.log(torch.softmax(x, -1))\n"
    for path, level in (("loss.py", Confidence.CERTAIN), ("loss_test.py", Confidence.POSSIBLE)):
        assert {one.confidence for one in nanlint.check_source(text, path, confidence="possible")} == {level}


def test_code_that_is_differentiated_is_training_whatever_its_name() -> None:
    text = (
        "import jax\nimport jax.numpy as jnp\n"
        "def evaluate(x):\n    return jnp.log(jax.nn.softmax(x)).sum()\nslope = jax.grad(evaluate)\n"
    )
    assert {t.context for _, t in traits_in(text)} == {"training"}
