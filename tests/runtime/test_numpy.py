"""The NumPy adapter, on NumPy itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", minversion="2")

from nanlint.runtime.adapters.numpy import NumpyAdapter  # noqa: E402
from nanlint.runtime.arrays import health_of_array  # noqa: E402
from nanlint.runtime.recorder import NonFinite  # noqa: E402
from tests.runtime.watched import Reported, watched  # noqa: E402

ADAPTERS = (NumpyAdapter,)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Reported]:
    with np.errstate(all="warn", under="ignore"):  # as it is by default, whatever ran in this process before
        before = np.geterr()
        with watched(ADAPTERS, tmp_path) as found:
            yield found
        assert np.geterr() == before


def said(function: Any) -> list[tuple[str, str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [(str(one.message), one.filename, one.lineno) for one in caught]


def test_the_logarithm_of_zero_is_a_birth_with_its_operand_and_line(run: Reported) -> None:
    x = np.array([0.0, 1.0, 2.0])
    said(lambda: np.log(x))
    (birth,) = run.births
    assert (birth.op, birth.kinds) == ("log", ("ninf",))
    assert birth.inputs[0].name == "x"
    assert (birth.inputs[0].health.zero, birth.inputs[0].health.pos) == (1, 2)
    assert birth.outputs[0].health.ninf == 1
    assert birth.frames[0].text == "said(lambda: np.log(x))"


def test_threads_are_watched_and_begin_with_the_state_that_they_have_without(run: Reported) -> None:
    def work() -> tuple[Any, Any]:
        with np.errstate(divide="ignore"):
            inside = np.geterr()
        np.log(np.zeros(1))
        return np.geterr(), inside

    with ThreadPoolExecutor(1) as pool:
        outer, inner = pool.submit(work).result()
    assert outer == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    assert inner == {**outer, "divide": "ignore"}
    (birth,) = run.births
    assert birth.frames[0].text == "np.log(np.zeros(1))"


def test_nan_that_passes_through_is_no_birth(run: Reported) -> None:
    x = np.array([np.nan, np.inf])
    said(lambda: np.exp(x) + x * 2)
    assert run.births == []


def test_nan_and_inf_of_one_division_are_one_birth(run: Reported) -> None:
    x = np.array([0.0, 1.0])
    said(lambda: x / 0)
    (birth,) = run.births
    assert birth.kinds == ("nan", "pinf")


def test_integers_that_overflow_are_no_birth(run: Reported) -> None:
    one, most = np.int32(1), np.int32(2**31 - 1)
    assert said(lambda: most + one)
    said(lambda: np.array([7]) // np.array([0]))
    said(lambda: np.array([np.nan]).astype(int))
    assert run.births == []


def test_a_birth_that_raises_no_flag(run: Reported) -> None:
    x = np.full(4, 1e200)
    assert said(lambda: np.vdot(x, x)) == []
    (birth,) = run.births
    assert (birth.op, birth.kinds) == ("vdot", ("pinf",))


@pytest.mark.parametrize("mode", ["warn", "ignore", "raise", "print", "call", "log"])
def test_what_the_program_chose_for_errors_goes_on(tmp_path: Path, capfd: Any, mode: str) -> None:
    x = np.array([-1.0, 0.0, 1e4])

    class Log:
        def __init__(self) -> None:
            self.lines: list[Any] = []

        def write(self, message: str) -> None:
            self.lines.append(message)

        def __call__(self, error: str, flag: int) -> None:
            self.lines.append((error, flag))

    def program() -> Any:
        log, raised = Log(), ""
        with np.errstate(all=mode, call=log):
            inside = np.geterr(), np.geterrcall() is log
            for function in (np.sqrt, np.log, np.exp):
                try:
                    function(x[:1] if function is np.sqrt else x[1:2] if function is np.log else x[1:])
                except FloatingPointError as error:
                    raised += str(error)
        return log.lines, raised, inside, np.geterr()

    def observed() -> Any:
        found: list[Any] = []
        warned = said(lambda: found.append(program()))
        return found, warned, capfd.readouterr().err

    expected = observed()
    with watched(ADAPTERS, tmp_path) as run:
        actual = observed()
    assert actual == expected
    born = set() if mode == "raise" else {"sqrt", "log", "exp"}  # what raises gives no value
    assert {birth.op for birth in run.births} == born
    assert observed() == expected


def test_a_warning_stands_at_the_line_of_the_program(run: Reported) -> None:
    warned = said(lambda: np.sqrt(np.array([-1.0])))
    assert [(message, filename) for message, filename, _ in warned] == [
        ("invalid value encountered in sqrt", __file__),
    ]


def test_a_birth_that_the_program_has_numpy_ignore_says_so(run: Reported) -> None:
    with np.errstate(divide="ignore"):
        1 / np.zeros(2)
    (birth,) = run.births
    assert "errstate" in birth.note


def test_stop_at_the_birth(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, on_nan="stop"), pytest.raises(NonFinite, match="first appeared in log"):
        np.log(np.zeros(1))


def test_births_are_told_where_sites_are_watched_and_nothing_stays_hooked(tmp_path: Path) -> None:
    make, save = np._core._ufunc_config._make_extobj, np.save
    with watched(ADAPTERS, tmp_path, "sites") as run, np.errstate(all="ignore"):
        np.log(np.zeros(1))
    assert [(birth.op, birth.kinds) for birth in run.births] == [("log", ("ninf",))]
    assert (np._core._ufunc_config._make_extobj, np.save) == (make, save)


def test_a_value_in_place_is_not_looked_at_twice(run: Reported) -> None:
    x = np.array([1.0, 0.0])
    with np.errstate(all="ignore"):
        x /= np.zeros(2)
    births = run.births
    assert {(birth.op, birth.kinds) for birth in births} == {("divide", ("nan",)), ("divide", ("pinf",))}
    assert all("could not be seen" in birth.note for birth in births)


@pytest.mark.parametrize(
    ("value", "counts"),
    [
        ([-np.inf, -1, 0, 1, 2, np.inf, np.nan], (1, 1, 1, 2, 1, 1)),
        (np.array([], dtype=np.float32), (0, 0, 0, 0, 0, 0)),
        (np.float16(-2), (0, 1, 0, 0, 0, 0)),
        (np.array([True, False]), (0, 0, 1, 1, 0, 0)),
        (np.array([3, 0], dtype=np.uint8), (0, 0, 1, 1, 0, 0)),
        (np.array([1 - 2j, complex(0, np.nan), 0j, complex(-np.inf, 1)]), (1, 1, 1, 0, 0, 1)),
        (np.array(["a", "b"]), (0, 0, 0, 0, 0, 0)),
        (np.array([None, 1.5, "x", float("inf")], dtype=object), (0, 0, 0, 1, 1, 0)),
        (np.ma.masked_array([1.0, np.nan], mask=[False, True]), (0, 0, 0, 1, 0, 0)),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), (0, 0, 0, 0, 0, 0)),
        (np.zeros(2, dtype=[("a", float)]), (0, 0, 0, 0, 0, 0)),
    ],
)
def test_the_breakdown_of_any_dtype(value: Any, counts: tuple[int, ...]) -> None:
    assert health_of_array(np.asanyarray(value)).counts == counts


def test_the_range_of_the_finite_elements() -> None:
    health = health_of_array(np.array([-3.0, 0.5, np.inf]))
    assert (health.low, health.high, health.near) == (-3.0, 0.5, 0.5)
    assert health_of_array(np.array([-128], dtype=np.int8)).near == 128


def test_a_glance_is_of_finite_numbers_only(tmp_path: Path) -> None:
    with watched(ADAPTERS, tmp_path, "sites") as run:
        (adapter,) = run.recorder.adapters
    assert adapter.glance(np.array([2.0, -1.0])) == (-1.0, 2.0)
    assert adapter.glance(np.array([2.0, np.nan])) is None
    assert adapter.glance(np.array([])) is None
    assert adapter.glance(np.array([1j])) is None


def test_the_logsumexp_of_scipy_is_not_told_of(run: Reported) -> None:
    special = pytest.importorskip("scipy.special")
    x = np.array([[0.0, -np.inf], [-1000.0, 1000.0]])
    special.logsumexp(x, axis=1)
    assert special.logsumexp(np.zeros(2), b=np.zeros(2)) == -np.inf
    special.logsumexp(np.array([-np.inf, -np.inf]))
    assert run.births == []
