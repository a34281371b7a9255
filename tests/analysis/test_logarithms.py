"""Logarithms whose -inf is the right result: of a geometric mean, and of a frequency."""

from __future__ import annotations

import nanlint
from tests.marked import NUMPY, program


def test_what_numpy_reads_is_float64() -> None:
    source = program(
        NUMPY,
        """
        def log_evidence(path):
            return np.log(np.sum(np.exp(np.genfromtxt(path, skip_header=1))))
        """,
    )
    causes = [cause.message for found in nanlint.check_source(source) for cause in found.causes]
    assert causes == ["overflows above 710 (float64)"]
