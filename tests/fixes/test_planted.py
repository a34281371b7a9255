"""A wrong fix does not pass: reading back sees a factor, a sign, a term, an axis and a base, and so does ``--prove``.

What passes all the same is executed, and has to give the numbers that were there: a sign that is squared, say, or a
bound that is half of what it was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

import nanlint
import nanlint.rules.diagnose
from nanlint.diagnostic import Applicability, Diagnostic, Edit, Fix
from nanlint.hazards.facts import Facts
from nanlint.lint.fixing import applied
from nanlint.lint.proving import FixProof
from nanlint.proof.pool import Pool
from nanlint.source import Source
from tests.fixes.executing import outcomes
from tests.fixes.planting import WRONG, planted
from tests.fixes.proving import Array, Proof, drawn, proofs
from tests.fixes.styles import styled
from tests.sampling import sample

PROOFS = proofs()
#: the module, which has the name of a function of its package
DIAGNOSE = sys.modules["nanlint.rules.diagnose"]
SHARE = 16


def found(proof: Proof) -> tuple[Source, list[Diagnostic]]:
    """The program of a proof, and its findings whose fix may be made."""
    text = next(text for name, text in styled(proof.framework, proof.body) if name == "function")
    told = nanlint.check_source(text, select=[proof.code], confidence="possible")
    made = [d for d in told if d.fix is not None and d.fix.applicability is not Applicability.DISPLAY]
    return Source("<program>", text), made


def wrong_fixes(proof: Proof) -> Iterator[tuple[Source, Diagnostic, Fix]]:
    """Fixes that are wrong, each in one way, of what is found in a program."""
    source, made = found(proof)
    for one in made:
        for wrong in WRONG.values() if one.fix is not None and not one.fix.changes else ():
            for fix in planted(source, one.fix, wrong) if one.fix is not None else ():
                yield source, one, fix


def doubles(proof: Proof) -> Iterator[list[Array]]:
    """The inputs that are drawn for a proof, in double precision."""
    return ([array.astype("float64") for array in pair] for pair in drawn(proof))


def same(proof: Proof, before: Source, after: Source) -> bool:
    """Whether a program, mended in a wrong way, gives the same: to what a bound moves, and not at 0."""
    inputs = [[np.where(np.abs(array) < 0.01, 0.01, array) for array in pair] for pair in doubles(proof)]
    results = zip(
        outcomes(proof.framework, before.text, inputs), outcomes(proof.framework, after.text, inputs), strict=True
    )
    return all(
        old is None or (new is not None and np.allclose(old[0], new[0], rtol=1e-2, atol=5e-3, equal_nan=True))
        for old, new in results
        if old is None or np.isfinite(old[0]).all()
    )


@pytest.mark.parametrize("name", sample(list(PROOFS), SHARE, "planted"))
def test_what_reads_fixes_back_makes_no_wrong_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = DIAGNOSE.fixes_of

    for source, one, fix in wrong_fixes(PROOFS[name]):

        def wrong(facts: Facts, findings: Sequence[object], style: str, fix: Fix = fix) -> list[tuple[Fix, ...]]:
            return [(fix,) if forms else () for forms in made(facts, findings, style)]

        with monkeypatch.context() as patched:
            patched.setattr(DIAGNOSE, "fixes_of", wrong)
            _, passed = found(PROOFS[name])
        assert not passed or same(PROOFS[name], source, applied(source, fix.edits)), (one.code, fix.edits)


@pytest.mark.parametrize("call", ["f(torch.tensor([1000.0]).float())", "f(torch.tensor([1000.0]))", "f(x)"])
def test_a_wrong_fix_is_seen_in_a_function_that_is_called_once(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "(x):\n    return torch.log(1 + torch.exp(x))\n\n\n"
    text = f"import torch\n\n\ndef f{body}def other{body}{call}\n"
    made = DIAGNOSE.fixes_of

    def wrong(facts: Facts, findings: Sequence[object], style: str) -> list[tuple[Fix, ...]]:
        source = facts.source
        return [
            tuple(next(planted(source, one, WRONG["factor"])) for one in forms)
            for forms in made(facts, findings, style)
        ]

    def offered() -> set[Applicability]:
        return {d.fix.applicability for d in nanlint.check_source(text, select=["NL107"]) if d.fix is not None}

    assert offered() == {Applicability.SAFE}
    monkeypatch.setattr(DIAGNOSE, "fixes_of", wrong)
    assert offered() == {Applicability.DISPLAY}


def test_what_proves_fixes_sees_a_wrong_one() -> None:
    seen = total = 0
    with Pool() as pool:
        for name in sample(list(PROOFS), 40, "proven"):
            for source, one, fix in wrong_fixes(PROOFS[name]):
                refused = FixProof(pool, {}, 10.0).difference(source, fix) is not None
                total, seen = total + 1, seen + refused
                assert refused or same(PROOFS[name], source, applied(source, fix.edits)), (one.code, fix.edits)
    assert seen >= total / 2 > 0


def test_another_element_of_an_array_is_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """\
import torch


def f(z, first, second):
    p = torch.sigmoid(z[first])
    return torch.log(p).sum() + z[second].sum()
"""
    made = DIAGNOSE.fixes_of
    assert [d.fix is not None for d in nanlint.check_source(text, select=["NL102"])] == [True]

    def wrong(facts: Facts, findings: Sequence[object], style: str) -> list[tuple[Fix, ...]]:
        return [
            tuple(replace(fix, edits=tuple(map(elsewhere, fix.edits))) for fix in forms)
            for forms in made(facts, findings, style)
        ]

    def elsewhere(edit: Edit) -> Edit:
        return replace(edit, content=edit.content.replace("first", "second"))

    monkeypatch.setattr(DIAGNOSE, "fixes_of", wrong)
    told = nanlint.check_source(text, select=["NL102"])
    assert [d.fix is not None and bool(d.fix.edits) for d in told] == [False]
