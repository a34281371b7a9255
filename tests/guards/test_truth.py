"""The guards are guards: each program is run, and gives finite numbers or raises; its twin gives NaN or Inf."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.guards.twins import Twins, all_twins

RUNNABLE = [twins for twins in all_twins() if twins.call is not None]

#: what a program may import, and so must be there to run it
IMPORTED = {"tf": "tensorflow", "math": "numpy"}


def result(source: str, call: str) -> list[float]:
    """All numbers that a call gives, in a program that is run anew."""
    names: dict[str, Any] = {"__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, "program", "exec"), names)
        return numbers(eval(call, names))


def numbers(given: object) -> list[float]:
    """The numbers in a result: in arrays, lists and tuples of them."""
    if isinstance(given, (list, tuple)):
        return [number for one in given for number in numbers(one)]
    if hasattr(given, "detach"):
        given = given.detach()
    import numpy as np

    return [float(number) for number in np.asarray(given, dtype=float).ravel()]


@pytest.mark.slow
@pytest.mark.parametrize("twins", RUNNABLE, ids=lambda twins: twins.name)
def test_the_guard_is_what_makes_the_difference(twins: Twins) -> None:
    pytest.importorskip(IMPORTED.get(twins.framework, twins.framework))
    assert twins.call is not None
    import numpy as np

    assert not all(map(np.isfinite, result(twins.unguarded, twins.call)))
    try:
        given = result(twins.guarded, twins.call)
    except (AttributeError, NameError, TypeError):
        # a slip of the program
        raise
    except Exception:
        # what the guard raises
        return
    assert all(map(np.isfinite, given))
