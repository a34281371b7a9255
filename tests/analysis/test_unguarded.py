"""Data that comes in and is divided by, with nobody having looked at it: possible, and no more."""

from __future__ import annotations

import pytest

from tests.marked import JAX, NUMPY, TORCH, said


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
    assert said(f"{NUMPY}\n\ndef scaled(x, y: np.ndarray):\n    {body}\n") == [(rule, "possible")]


def test_a_logarithm_of_what_comes_in_is_possibly_infinite() -> None:
    assert said(f"{TORCH}\n\ndef change(x, y):\n    return torch.log2(x) - y\n") == [("NL103", "possible")]


@pytest.mark.parametrize(
    "body",
    [
        "return x / (y + 1e-8)",
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
    source = f"{NUMPY}from elsewhere import repaired\n\n\ndef scaled(x, y, eps, scale, n: int):\n    {body}\n"
    assert said(source) == []


@pytest.mark.parametrize("call", ["inner(d, e)", "inner(e)", "e.length()", "(1 - inner(e)[0])"])
def test_what_functions_give_is_met_as_it_comes(call: str) -> None:
    source = f"{NUMPY}from elsewhere import inner\n\n\ndef step(x, d, e):\n    return np.cumsum(x) / {call}\n"
    assert said(source) == [("NL303", "possible")]
    assert said(source.replace("np.cumsum(x)", "x")) == []


def test_what_a_call_is_given_a_function_for_may_be_filtered_by_it() -> None:
    source = (
        f"{NUMPY}from elsewhere import kept\n\n\ndef step(x, e):\n    return np.cumsum(x) / kept(e, lambda v: v != 0)\n"
    )
    assert said(source) == []


def test_a_comparison_with_a_number_far_from_zero_does_not_ask_about_zero() -> None:
    body = "grows = y > 1\n    return x / y, grows"
    source = f"{NUMPY}\n\ndef scaled(x, y: np.ndarray):\n    {body}\n"
    assert said(source) == [("NL303", "possible")]
    assert said(source.replace("> 1", "> 1e-8")) == []


def test_a_count_of_the_turns_of_a_loop_is_zero_where_there_are_none() -> None:
    """Of Python numbers the quotient raises."""
    source = """

def average(epochs, shape):
    total, n = np.zeros(shape), 0
    for epoch in epochs:
        total += epoch
        n += 1
    return total / n
"""
    assert said(NUMPY + source) == [("NL303", "possible")]
    assert said(NUMPY + source.replace("return total / n", "return total / max(n, 1)")) == []
    assert said(NUMPY + source.replace("np.zeros(shape)", "0.0")) == []


@pytest.mark.parametrize("body", ["return x / (x + y + 1)", "return x / (x + np.abs(y) + 1e-8)"])
def test_a_sum_that_holds_a_positive_number_is_not(body: str) -> None:
    assert said(f"{NUMPY}\n\ndef share(x, y):\n    {body}\n") == []


def test_what_only_may_be_is_no_infinity_of_numpys_to_speak_of() -> None:
    """-inf is a number there; possible is said of what is known to reach 0, not of what nobody looked at."""
    assert said(f"{NUMPY}\n\ndef change(x):\n    return np.log2(x)\n") == []
    assert said(f"{NUMPY}\n\ndef change(x, y):\n    return np.log2(abs(x - y))\n") == []
    assert said(f"{NUMPY}\n\ndef level(x):\n    return np.log10(np.sum(np.abs(x)))\n")[0][1] == "possible"


def test_infinity_asked_of_something_else_guards_nothing() -> None:
    source = """

def step(gradient, order):
    if order == np.inf:
        return np.sign(gradient)
    return gradient / np.linalg.norm(gradient, axis=-1, keepdims=True)
"""
    assert [level for _, level in said(NUMPY + source)] == ["possible"]


def test_a_column_of_a_selection_may_be_empty_and_its_differences_too() -> None:
    source = f"{NUMPY}\n\ndef pace(table):\n    late = table[table['t'] > 1]\n    return np.diff(late['t']).mean()\n"
    assert said(source) == [("NL304", "possible")]


def test_what_is_written_past_the_tape_is_in_the_tensor() -> None:
    source = """

def attend(scores, mask):
    weights = torch.softmax(scores, -1)
    weights.data.masked_fill_(mask, 0)
    return weights / weights.sum(-1, keepdim=True)
"""
    assert [code for code, _ in said(TORCH + source)] == ["NL301"]
    assert said(TORCH + source.replace("    weights.data.masked_fill_(mask, 0)\n", "")) == []


def test_a_scalar_of_jax_is_an_array() -> None:
    source = "\n\ndef weight(t0: Scalar, t1: Scalar, t):\n    return (t - t0) / (t1 - t0)\n"
    assert said(f"{JAX}from jaxtyping import Scalar\n{source}") == [("NL303", "possible")]


@pytest.mark.parametrize("given", ["by", "self.by", "count(x)"])
@pytest.mark.parametrize("parameter", ["n: int", "n=2.0", "n: float = 2"])
def test_what_is_given_for_a_number_is_one_and_what_is_given_for_data_is_data(given: str, parameter: str) -> None:
    def program(parameter: str) -> str:
        return f"""{NUMPY}from elsewhere import count


class Scaled:
    def of(self, x, by):
        return self._part(x, {given})

    def _part(self, x, {parameter}):
        return x / n
"""

    assert said(program(parameter)) == []
    assert said(program("n: np.ndarray")) == [("NL303", "possible")]


def test_a_text_is_no_number_of_0() -> None:
    path = "def place(folder, n):\n    return root(folder) / {}\n"
    assert said(f"{NUMPY}from elsewhere import root\n\n\n" + path.format('f"{n}.npy"')) == []
    assert said(f"{NUMPY}from elsewhere import root\n\n\n" + path.format("name_of(n)")) == []
    assert said(f"{NUMPY}from elsewhere import root\n\n\n" + path.format("np.abs(n)")) == [("NL303", "possible")]


def test_a_size_is_one_when_more_is_known_of_the_shape() -> None:
    checked = f"{NUMPY}\n\ndef error(x, y):\n    if x.shape != y.shape:\n        raise ValueError\n    n, d = {{}}\n"
    assert said(checked.format("x.shape") + "    return (x - y) / n\n") == []
    assert said(checked.format("y") + "    return (x - y) / n\n") == [("NL303", "possible")]
