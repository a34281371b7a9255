"""Safe means safe: each fix is executed beside its original, in each style of writing, on random and special numbers.

Values and gradients agree to rounding wherever the original's are finite, shapes and dtypes always; and on the input
that spoils the original, the mended program is finite. Unsafe ones change no more than the rule's page says.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.fixes.proving import Proof, agree, proofs, prove

PROOFS = proofs()


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")


@pytest.mark.slow
@pytest.mark.parametrize("proof", PROOFS.values(), ids=PROOFS)
def test_the_fix_keeps_what_is_finite_and_ends_the_nan(proof: Proof) -> None:
    pytest.importorskip(proof.framework)
    prove(proof)


def test_a_proof_can_fail() -> None:
    spoiled, right, wrong = np.array([1.0, math.inf]), np.array([1.0, 0.0]), np.array([1.1, 0.0])
    agree(spoiled, right, spoiled, "float64", 1)
    with pytest.raises(AssertionError):
        agree(spoiled, wrong, spoiled, "float64", 1)
    with pytest.raises(AssertionError):
        agree(spoiled, right.astype("float32"), spoiled, "float64", 1)
