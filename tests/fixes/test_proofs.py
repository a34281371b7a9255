"""Safe means safe: each fix is executed beside its original, in each style of writing, on random and special numbers.

Values and gradients agree to rounding wherever the original's are finite, shapes and dtypes always; and on the input
that spoils the original, the mended program is finite. Unsafe ones change no more than the rule's page says.

A run of the tests draws a third of them; ``docs/proofs.py`` goes through all.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nanlint.rules import RULES
from tests.fixes.proving import Proven, agree, proofs, prove
from tests.fixes.test_isnan import COMPARISONS
from tests.fixes.test_loss_on_logits import LOSSES
from tests.programs.fixtures import FRAMEWORKS, PROGRAMS, Program
from tests.sampling import sample

PAGE = Path(__file__).parents[2] / "docs" / "proofs.md"
PROOFS = proofs()
PAGES = [p for p in PROGRAMS if p.is_page and p.is_bad and p.code in RULES and RULES[p.code].fixable]
#: what the page executes and no proof can: a loss that is compiled into a model, a mask that decides how many elements
#: there are, which JAX does not trace
BY_THE_PAGE_ALONE = {("NL701", "keras"), ("NL304", "jax")}


@pytest.mark.parametrize("name", sample(list(PROOFS), 8, "proofs"))
def test_the_fix_keeps_what_is_finite_and_ends_the_nan(name: str, proven: list[Proven]) -> None:
    proven.append(prove(PROOFS[name]))


@pytest.mark.parametrize("code", sorted({proof.code for proof in PROOFS.values()}))
def test_the_table_of_proofs_has_a_row_for_each_rule_that_is_proven(code: str) -> None:
    name = RULES[code].name
    assert f"| [{name}](rules/{name}.md) |" in PAGE.read_text(encoding="utf-8"), "run: python docs/proofs.py"


@pytest.mark.parametrize("page", PAGES, ids=[f"{p.rule}-{p.framework}" for p in PAGES])
def test_a_fix_that_a_page_shows_is_proven(page: Program) -> None:
    libraries = {"numpy": {"numpy", "scipy"}}.get(page.framework, {FRAMEWORKS[page.framework]})
    proven = {(proof.code, proof.framework) for proof in PROOFS.values()}
    proven |= {(loss.code, loss.framework) for loss in LOSSES.values()}
    proven |= {("NL505", framework) for framework, _ in COMPARISONS.values()}
    is_proven = any((page.code, library) in proven | BY_THE_PAGE_ALONE for library in libraries)
    assert is_proven or page.mended() is None, "no proof yet"


def test_a_proof_can_fail() -> None:
    spoiled, right, wrong = np.array([1.0, math.inf]), np.array([1.0, 0.0]), np.array([1.1, 0.0])
    agree(spoiled, right, spoiled, "float64", 1)
    with pytest.raises(AssertionError):
        agree(spoiled, wrong, spoiled, "float64", 1)
    with pytest.raises(AssertionError):
        agree(spoiled, right.astype("float32"), spoiled, "float64", 1)
