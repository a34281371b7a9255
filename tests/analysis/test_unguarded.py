"""Data that comes in and is divided by, with nobody having looked at it: possible, and no more."""

from __future__ import annotations

import pytest

import nanlint
from nanlint.diagnostic import Confidence
from tests.marked import NUMPY, TORCH


def said(source: str) -> list[tuple[str, Confidence]]:
    """What is found in a source, with how sure it is."""
    return [(found.code, found.confidence) for found in nanlint.check_source(source, confidence="possible")]


@pytest.mark.parametrize(
    "body",
    [
        "return x / y",
        "return x / abs(y)",
        "return x / y[:, None]",
        "return x / (2 * y)",
        "return x / (1 - y)",
        "return x / np.dot(y, y[0])",
    ],
)
def test_a_divisor_that_comes_in_is_possibly_zero(body: str) -> None:
    rule = "NL301" if "dot" in body else "NL303"
    assert said(f"{NUMPY}\n\ndef scaled(x, y):\n    {body}\n") == [(rule, Confidence.POSSIBLE)]


def test_a_logarithm_of_what_comes_in_is_possibly_infinite() -> None:
    assert said(f"{TORCH}\n\ndef change(x, y):\n    return torch.log2(x) - y\n") == [("NL103", Confidence.POSSIBLE)]


@pytest.mark.parametrize(
    "body",
    [
        "return x / (y + 1e-8)",
        "return x / safe(y)",
        "return x / eps",
        "return x / scale",
        "return x / y.shape[0]",
        "return x / n",
        "assert (y > 0).all()\n    return x / y",
        "if (y == 0).any():\n        y = repaired(y)\n    return x / y",
        "bad = ~np.isfinite(y)\n    return x / y, bad",
    ],
)
def test_what_somebody_keeps_from_zero_or_looks_at_is_not(body: str) -> None:
    source = f"{NUMPY}from elsewhere import repaired, safe\n\n\ndef scaled(x, y, eps, scale, n: int):\n    {body}\n"
    assert said(source) == []


def test_what_functions_give_is_met_as_it_comes() -> None:
    """Of two arrays something is computed; of one it may be kept from 0."""
    source = (
        f"{NUMPY}from elsewhere import inner, safe\n\n\ndef step(x, d, e):\n    return x / inner(d, e) + x / safe(e)\n"
    )
    assert said(source) == [("NL303", Confidence.POSSIBLE)]
