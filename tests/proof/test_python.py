"""The interpreter's own formulas give what the frameworks give, at special values."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from nanlint.proof.backend import Backend
from nanlint.proof.python import PAIRWISE, POINTWISE, REDUCTIONS, ROWWISE, PythonBackend
from nanlint.proof.slice import Domain, Step

#: numbers a search tries, and those it makes of them
NUMBERS = [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 20.0, -20.0, 200.0, -200.0, 1e-6, math.inf, -math.inf, math.nan]
ROWS = [(0.0, 0.0), (1.0, 2.0), (0.0, 200.0), (-1.0, 1.0), (1000.0, 999.0), (2.0,), (-3.0, 0.5, 4.0)]

#: where torch and its like have no function of their own
FROM_SCIPY = frozenset({"cbrt", "entropy_term", "cdf"})
ONLY_HERE = frozenset({"reciprocal_no_nan", "div_no_nan", "mul_no_nan", "squared_difference", "relu6", "hard_tanh"})


def step(op: str) -> Step:
    """A step of an op, however it is written."""
    return Step(op, {}, {}, None, op, Domain())


@pytest.fixture(scope="module")
def torch() -> Backend:
    pytest.importorskip("torch")
    from nanlint.proof.torch import TorchBackend

    return TorchBackend()


@pytest.fixture(scope="module")
def numpy() -> Backend:
    from nanlint.proof.numpy import NumpyBackend

    return NumpyBackend()


def agree(op: str, mine: tuple[float, ...], theirs: tuple[float, ...]) -> None:
    assert len(mine) == len(theirs), op
    for a, b in zip(mine, theirs, strict=True):
        same = a == b or (math.isnan(a) and math.isnan(b))
        assert same or a == pytest.approx(b, rel=2e-6, abs=1e-37), (op, mine, theirs)


def results(op: str, framework: Backend, *rows: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What this module and a framework make of the same rows."""
    found = []
    for backend in (PythonBackend(framework.name), framework):
        names = ("x",) if len(rows) == 1 else ("x", "y") if op.startswith("xlog") else ("a", "b")
        operands = {name: backend.row(row, "float32") for name, row in zip(names, rows, strict=True)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(backend.numbers(backend.flat(backend.call(step(op), operands))))
    return found[0], found[1]


@pytest.mark.parametrize("op", sorted(POINTWISE.keys() - FROM_SCIPY - ONLY_HERE))
def test_pointwise_formulas_agree_with_torch(op: str, torch: Backend) -> None:
    for number in NUMBERS:
        agree(f"{op}({number})", *results(op, torch, (number,)))


@pytest.mark.parametrize("op", sorted(POINTWISE.keys() & FROM_SCIPY))
def test_pointwise_formulas_agree_with_scipy(op: str, numpy: Backend) -> None:
    pytest.importorskip("scipy")
    for number in NUMBERS:
        if op != "cdf" or not math.isinf(number):
            agree(f"{op}({number})", *results(op, numpy, (number,)))


@pytest.mark.parametrize("op", sorted(PAIRWISE.keys() - ONLY_HERE))
def test_formulas_of_two_agree_with_torch(op: str, torch: Backend) -> None:
    for a in NUMBERS:
        for b in NUMBERS:
            agree(f"{op}({a}, {b})", *results(op, torch, (a,), (b,)))


@pytest.mark.parametrize("op", sorted((REDUCTIONS.keys() | ROWWISE.keys() | {"std", "var"}) - {"ptp", "normalize"}))
def test_formulas_of_rows_agree_with_torch(op: str, torch: Backend) -> None:
    for row in ROWS:
        agree(f"{op}({row})", *results(op, torch, row))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic_is_that_of_ieee_754() -> None:
    row = PythonBackend().row
    operators = [
        (row([1.0, 0.0, -1.0], "float32") / 0.0, np.array([1, 0, -1], "float32") / np.float32(0)),
        (row([200.0], "float32") ** 30, np.array([200], "float32") ** np.float32(30)),
        (0.0 * row([math.inf], "float32"), np.float32(0) * np.array([math.inf], "float32")),
        (row([1.0], "float16") + 1e-8, np.array([1], "float16") + np.float16(1e-8)),
        (row([0.0, -8.0], "float32") ** (1 / 3), np.array([0, -8], "float32") ** np.float32(1 / 3)),
    ]
    with np.errstate(all="ignore"):
        for mine, theirs in operators:
            agree("arithmetic", PythonBackend().numbers(mine), tuple(map(float, theirs)))


def test_a_framework_that_proves_leaves_numpy_as_the_process_has_it(numpy: Backend) -> None:
    import numpy as np

    with np.errstate(all="raise"):
        type(numpy)().numbers(np.zeros(2))
        assert set(np.geterr().values()) == {"raise"}
