"""What docstrings state of parameters is believed: it lowers a finding, and an end that is legal is met."""

from __future__ import annotations

import ast
import textwrap

import pytest

import nanlint
from nanlint.analysis.documented import domain, domains_in
from tests.marked import TORCH, program


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Must be positive.", "(0, inf)"),
        ("a positive float", "(0, inf)"),
        ("Non-negative weights of the edges", "[0, inf)"),
        ("float, in (0, 1]", "(0, 1]"),
        ("level, 0 < alpha < 1", "(0, 1)"),
        ("level, with 0 <= `alpha` < 1.", "[0, 1)"),
        ("a number between 0 and 1", "[0, 1]"),
        ("rate > 0", "(0, inf)"),
        ("at least 1e-3", "[0.001, inf)"),
        ("greater than or equal to zero", "[0, inf)"),
    ],
)
def test_stated(text: str, stated: str) -> None:
    assert str(next(domains_in(text))) == stated


@pytest.mark.parametrize(
    "text",
    ["the positive class", "number of true positives", "array of shape (n, 3)", "see (1, 2)", "from a to b", "x -> y"],
)
def test_nothing_stated(text: str) -> None:
    assert list(domains_in(text)) == []


STYLES = {
    "numpy": '''
        """Scale.

        Parameters
        ----------
        x, y : array
            Anything.
        width : float
            Must be positive.
        """
    ''',
    "google": '''
        """Scale.

        Args:
            x (array): anything
            width (float): must be positive
        """
    ''',
    "sphinx": '''
        """Scale.

        :param x: anything
        :param width: must be positive
        """
    ''',
}


@pytest.mark.parametrize("style", STYLES)
def test_styles(style: str) -> None:
    function = ast.parse("def f(x, width):\n" + textwrap.indent(textwrap.dedent(STYLES[style]).strip(), "    ")).body[0]
    assert str(domain("width", function)) == "(0, inf)"
    assert domain("x", function) is None


def levels(docstring: str) -> list[str]:
    source = program(
        TORCH,
        f"""
        def moments(x, n):
            '''Moments.

            Args:
                x: samples
                n: {docstring}
            '''
            return (x - x.mean()) / n, torch.log(n)
        """,
    )
    return [str(found.confidence) for found in nanlint.check_source(source, confidence="possible")]


def test_a_stated_domain_lowers_and_a_legal_end_is_met() -> None:
    assert levels("must be positive") == []
    assert levels("non-negative") == ["possible", "possible"]
