"""What functions that saturate come to together: each formula is executed far out, where they are at their ends."""

from __future__ import annotations

from itertools import product
from math import isfinite

import numpy as np
import pytest

import nanlint
from nanlint.diagnostic import Confidence
from tests.marked import program

#: formulas of x and y, of which some ends give an infinity, a nan, or an infinite slope
BREAKING = (
    "1 / (1 - torch.tanh(x) * torch.tanh(y))",
    "torch.log(1 - torch.tanh(x) * torch.tanh(y))",
    "1 / (torch.sigmoid(x) - torch.sigmoid(x) ** 2)",
    "1 / (torch.sigmoid(x) - torch.sigmoid(y))",
    "torch.atanh(torch.tanh(x) * torch.tanh(y))",
    "torch.log(torch.sigmoid(x) * (1 - torch.sigmoid(y)))",
)
#: formulas that are finite at all ends, each by itself
FINITE = (
    "1 / (2 - torch.tanh(x) * torch.tanh(y))",
    "torch.log(1.5 - torch.sigmoid(x) * torch.sigmoid(y))",
    "1 / (1 + torch.sigmoid(x) * torch.sigmoid(y))",
    "1 / (torch.sigmoid(x) - torch.sigmoid(y) + 3)",
)
FAR = 200.0


def shown(formula: str) -> list[str]:
    """The rows by which what is shown by default is shown."""
    text = program("import torch", f"def f(x: torch.Tensor, y: torch.Tensor):\n    return {formula}")
    return [one.row for one in nanlint.check_source(text) if one.confidence >= Confidence.LIKELY]


def broken(formula: str) -> bool:
    """Whether some ends of both inputs give no finite number, in the formulas of NumPy."""
    with np.errstate(all="ignore"):
        scope = {"sigmoid": lambda v: 1 / (1 + np.exp(-v)), "tanh": np.tanh, "log": np.log, "atanh": np.arctanh}
        torch = type("torch", (), {name: staticmethod(function) for name, function in scope.items()})
        ends = product((-FAR, FAR), repeat=2)
        results = [eval(formula, {"torch": torch, "x": np.float64(x), "y": np.float64(y)}) for x, y in ends]
    return not all(isfinite(result) for result in results)


@pytest.mark.parametrize("formula", BREAKING)
def test_ends_that_break_are_shown(formula: str) -> None:
    assert broken(formula)
    assert shown(formula)


@pytest.mark.parametrize("formula", FINITE)
def test_ends_that_do_not_are_not(formula: str) -> None:
    assert not broken(formula)
    assert not shown(formula)


def test_weights_that_are_their_own_weights_are_summed() -> None:
    """Of sum(p * p) both factors are the softmax."""
    text = program(
        "import torch", "def f(x):\n    p = torch.softmax(x, dim=-1)\n    return torch.log((p * p).sum(dim=-1))"
    )
    assert not [one for one in nanlint.check_source(text) if one.code == "NL003"]
