"""``check --prove`` in each framework: what it executes, what it shows, and what it makes of the confidence."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from nanlint.cli import cli
from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Span
from nanlint.lint.proving import FixProof, judged, proved
from nanlint.proof.plausible import Plausibility
from nanlint.proof.pool import Pool
from nanlint.proof.proofs import Proof, Question
from nanlint.source import Source
from tests.proof.programs import LOG_OF_SOFTMAX, ROOT_AT_ZERO, only

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as started:
        yield started


def after(pool: Pool, text: str, framework: str, minimum: Confidence = Confidence.LIKELY) -> Diagnostic:
    """The one finding of a program once it is proved."""
    pytest.importorskip(framework)
    (finding,) = proved(pool, [only(text, minimum)], 60.0)
    return finding


@pytest.mark.parametrize("framework", LOG_OF_SOFTMAX)
def test_a_value_that_fails_is_executed_with_its_gradient(framework: str, pool: Pool) -> None:
    witness = after(pool, LOG_OF_SOFTMAX[framework], framework).witness
    assert witness is not None
    assert (witness.executed, witness.framework) == (True, framework)
    # NumPy computes in float64, which underflows later
    apart = 2000.0 if framework == "numpy" else 200.0
    assert witness.inputs == (("logits", (0.0, apart)), ("labels", (0.0, 1.0)))
    assert witness.output[0] == "loss(...)"
    assert math.isnan(witness.output[1][0])
    if framework == "numpy":
        assert witness.gradient is None
    else:
        assert witness.gradient is not None
        assert all(map(math.isnan, dict(witness.gradient)["logits"]))
        assert witness.text.endswith("d loss(...)/d logits = [nan, nan]")


@pytest.mark.parametrize("framework", ROOT_AT_ZERO)
def test_a_trap_is_shown_by_its_gradient(framework: str, pool: Pool) -> None:
    finding = after(pool, ROOT_AT_ZERO[framework], framework)
    witness = finding.witness
    assert witness is not None
    assert witness.executed
    assert witness.output == ("distance(...)", (0.0,))
    assert witness.gradient is not None
    assert not all(math.isfinite(g) for _, row in witness.gradient for g in row)


@pytest.mark.parametrize("programs", [LOG_OF_SOFTMAX, ROOT_AT_ZERO], ids=["certain", "likely"])
def test_an_input_that_fails_makes_a_finding_no_surer(programs: dict[str, str], pool: Pool) -> None:
    assert after(pool, programs["torch"], "torch").confidence is only(programs["torch"]).confidence


def test_keras_runs_on_tensorflow(pool: Pool) -> None:
    text = """
        import keras

        def loss(logits):
            return keras.ops.log(keras.ops.softmax(logits))
    """
    pytest.importorskip("keras")
    witness = after(pool, text, "tensorflow").witness
    assert witness is not None
    assert witness.framework == "tensorflow"


@pytest.mark.parametrize("format", ["float16", "bfloat16", "float64"])
def test_numbers_are_of_the_format_that_the_program_casts_to(format: str, pool: Pool) -> None:
    text = f"""
        import torch

        def loss(logits):
            return torch.log(torch.softmax(logits.to(torch.{format}), -1))
    """
    witness = after(pool, text, "torch").witness
    assert witness is not None
    ((_, (a, b)),) = witness.inputs
    assert abs(a - b) == {"float16": 200.0, "bfloat16": 200.0, "float64": 2000.0}[format]


def test_what_a_name_alone_says_is_no_surer_for_it(pool: Pool) -> None:
    text = """
        import torch

        def entropy(probs):
            return -(probs * torch.log(probs)).sum(-1)
    """
    finding = after(pool, text, "torch")
    assert finding.witness is not None
    assert finding.witness.executed
    assert finding.confidence is Confidence.LIKELY


def test_a_finding_that_no_input_makes_fail_is_less_sure(pool: Pool) -> None:
    pytest.importorskip("torch")
    finding = only(LOG_OF_SOFTMAX["torch"])
    program = finding.slices[0]
    # the same operations where no logit can be far below another
    harmless = replace(
        program,
        steps=tuple(replace(step, domain=replace(step.domain, lo=-1.0, hi=1.0)) for step in program.steps),
    )
    (proof,) = pool.prove([Question((harmless,), 60.0)])
    assert proof == Proof(searched=True, refuted=True)
    assert judged(finding, proof).confidence is Confidence.LIKELY


def test_what_no_input_shows_is_not_certain() -> None:
    finding = only(LOG_OF_SOFTMAX["torch"])
    assert finding.confidence is Confidence.CERTAIN
    assert judged(finding, Proof(searched=True)).confidence is Confidence.LIKELY
    assert judged(replace(finding, confidence=Confidence.LIKELY), Proof(searched=True)).confidence is Confidence.LIKELY


def test_a_finding_that_only_an_absurd_input_shows_is_less_sure(pool: Pool) -> None:
    pytest.importorskip("torch")
    finding = only("import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    program = finding.slices[0]
    far = replace(
        program,
        steps=tuple(
            replace(step, domain=replace(step.domain, lo=1e6)) if step.sort is not None else step
            for step in program.steps
        ),
    )
    (proof,) = pool.prove([Question((far,), 60.0)])
    assert proof is not None
    assert proof.found is not None
    assert proof.found.plausibility is Plausibility.ABSURD
    assert judged(finding, proof).confidence is Confidence.LIKELY
    assert judged(finding, proof).witness is not None


def test_a_finding_that_could_not_be_executed_stays_as_it_is() -> None:
    finding = only(LOG_OF_SOFTMAX["torch"])
    assert judged(finding, None) == finding
    assert judged(finding, Proof()) == finding


def test_the_command_says_it_in_json_and_in_the_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("loss.py").write_text(dedent(LOG_OF_SOFTMAX["torch"]).lstrip())
    done = CliRunner().invoke(cli, ["--prove", "--output-format", "json", "loss.py"])
    ((witness),) = [finding["witness"] for finding in json.loads(done.stdout)]
    assert witness == {
        "inputs": {"logits": [0.0, 200.0], "labels": [0.0, 1.0]},
        "output": {"loss(...)": ["nan"]},
        "gradient": {"logits": ["nan", "nan"]},
        "framework": "torch",
        "executed": True,
        "text": "logits = [0., 200.], labels = [0., 1.] gives loss(...) = nan, d loss(...)/d logits = [nan, nan]",
    }
    frame = CliRunner().invoke(cli, ["--prove", "loss.py"]).stdout
    assert f"= witness: {witness['text']}\n" in frame


# ── fixes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

TEXT = "import torch\n\n\ndef loss(x):\n    p = torch.softmax(x, -1)\n    return torch.log(p).sum()\n"


def with_fix(*edits: Edit) -> tuple[Source, Diagnostic]:
    """The program, and its finding with another fix."""
    fix = Fix(Applicability.SAFE, "another", edits, "another")
    return Source("program.py", TEXT), replace(only(TEXT), fix=fix)


def test_a_fix_that_does_not_end_the_nan_is_refused(pool: Pool) -> None:
    pytest.importorskip("torch")
    proof = FixProof(pool, {}, 60.0)
    wrong = with_fix(Edit(Span(6, 12, 6, 24), "torch.log(p * 1.0)"))
    assert proof.refusal(*wrong) == "x = [0., 200.] still gives loss(...) = -inf"
    right = with_fix(Edit(Span(6, 12, 6, 24), "torch.log_softmax(x, -1)"))
    assert proof.refusal(*right) is None
    upstream = with_fix(Edit(Span(5, 9, 5, 29), "torch.softmax(x, -1).clamp(min=1e-6)"))
    assert proof.refusal(*upstream) is None


def test_a_fix_of_a_trap_that_leaves_the_gradient_is_refused(pool: Pool) -> None:
    pytest.importorskip("torch")
    text = "import torch\n\n\ndef norm(x):\n    s = (x**2).sum()\n    return torch.sqrt(s)\n"
    hidden = Edit(Span(6, 12, 6, 25), "torch.where(s > 0, torch.sqrt(s), 0.0)")
    finding = replace(only(text), fix=Fix(Applicability.SAFE, "another", (hidden,)))
    reason = FixProof(pool, {}, 60.0).refusal(Source("program.py", text), finding)
    assert reason == "x = 0. still gives norm(...) = 0., a gradient of nan"


def test_a_fix_that_is_refused_is_not_written_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("loss.py").write_text(TEXT)
    monkeypatch.setattr(FixProof, "refusal", lambda *_: "x = 1. still gives nan")
    done = CliRunner().invoke(cli, ["--fix", "--prove", "loss.py"])
    assert Path("loss.py").read_text() == TEXT
    assert "warning: loss.py:6:12: the fix of NL101 was not applied: x = 1. still gives nan" in done.stderr
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(cli, ["--fix", "--prove", "loss.py"])
    assert "torch.log_softmax(x, -1)" in Path("loss.py").read_text()
