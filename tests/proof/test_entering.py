"""What a witness may give numbers to: what enters a function, within what is known and what its name says."""

from __future__ import annotations

from textwrap import dedent

import pytest

import nanlint
from nanlint.diagnostic import Confidence
from nanlint.proof.entering import Sort
from nanlint.proof.slice import Domain
from tests.proof.programs import HEAD, only, slice_of


def sorts(text: str) -> dict[str, Sort]:
    """How each number of a program's slice comes in, by its name."""
    program = slice_of(text)
    return {step.name: step.sort for step in program.steps if step.sort is not None}


def domains(text: str) -> dict[str, Domain]:
    """What the sources of a program's slice may be."""
    program = slice_of(text)
    return {step.name: step.domain for step in program.steps if step.sort is not None and step.sort.given}


def witnesses(text: str) -> list[str]:
    """What is shown by default of a program."""
    return [one.witness.text for one in nanlint.check_source(HEAD + dedent(text)) if one.witness is not None]


def test_each_number_enters_in_its_own_way() -> None:
    text = """
        import torch

        class Policy(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(4, 3)
                self.shift = torch.nn.Parameter(torch.zeros(3))

            def forward(self, x, encode):
                z = self.head(x) + self.shift + encode(x) + self.offset + torch.randn(3)
                return torch.log(torch.softmax(z / x.shape[-1], -1))
    """
    assert sorts(text) == {
        "self.head.bias": Sort.LAYER,
        "self.shift": Sort.TRAINED,
        "encode(x)": Sort.UNSEEN,
        "self.offset": Sort.ATTRIBUTE,
        "torch.randn(3)": Sort.DRAWN,
        "x.shape[-1]": Sort.SIZE,
    }


@pytest.mark.parametrize(
    "expression",
    [
        "torch.special.bessel_j0(x)",
        "torch.distributions.Normal(x, 1.0).log_prob(x)",
        "(x + 1).exponential_moving()",
        "hasattr(x, 'grad')",
    ],
)
def test_what_a_known_function_computes_nobody_gives(expression: str) -> None:
    text = f"import torch\n\ndef f(x):\n    y = {expression}\n    return torch.log(torch.relu(y + x))\n"
    assert Sort.COMPUTED in sorts(text).values()
    assert witnesses(text) == []


@pytest.mark.parametrize("expression", ["encode(x)", "x.encode()", "parts[0].encode(x)", "self.encode(x)"])
def test_what_a_function_gives_that_nobody_sees_may_be_anything(expression: str) -> None:
    text = f"import torch\n\ndef f(self, x, parts, encode):\n    return torch.log(torch.relu({expression}))\n"
    assert sorts(text) == {expression: Sort.UNSEEN}
    assert witnesses(text) == [f"{expression} = 0. gives f(...) = -inf"]


def test_certain_is_only_what_numbers_that_enter_could_show() -> None:
    text = "import torch\n\ndef f(x):\n    return torch.log(torch.relu({}))\n"
    assert only(text.format("x")).confidence is Confidence.CERTAIN
    assert only(text.format("torch.special.bessel_j0(x)")).confidence is Confidence.LIKELY


def test_a_branch_whose_condition_is_no_number_is_taken_and_not_shown() -> None:
    text = """
        def f(self, x):
            if not hasattr(self, "scale"):
                p = torch.relu(x)
            else:
                p = x * self.scale
            return torch.log(p)
    """
    assert witnesses(text) == ["x = 0. gives f(...) = -inf"]


def test_the_number_of_a_turn_follows_from_the_bounds_of_the_loop() -> None:
    text = """
        def f(loss, assignment, k):
            means = []
            for cluster in range(k):
                means.append(loss.sum() / (assignment == cluster).sum())
            return means
    """
    (shown,) = witnesses(text)
    assert "range" not in shown
    assert shown.startswith("assignment = 1., k = 1., loss = 1. gives ")


def test_elements_that_are_set_are_computed_from_what_they_are_set_to() -> None:
    text = """
        def f(x):
            found = torch.zeros(3)
            found[0] = torch.relu(x)
            return torch.log(found)
    """
    assert witnesses(text) == ["x = 0. gives f(...) = -inf"]


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("self.head(x)", "self.head.bias"),
        ("self.body(x)", "nn.Linear(4, 3).bias"),
        ("self.plain(x)", "self.plain.weight"),
    ],
)
def test_a_layer_is_shown_by_the_weights_that_its_result_is(layer: str, name: str) -> None:
    text = f"""
        from torch import nn

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 3)
                self.body = nn.Sequential(nn.Linear(4, 3), nn.Identity())
                self.plain = nn.Linear(4, 3, bias=False)

            def forward(self, x):
                return torch.log(torch.softmax({layer}, -1))
    """
    assert witnesses(text) == [f"{name} = [0., 200.] gives forward(...) = [-inf, 0.]"]


def test_a_layer_that_is_called_twice_has_one_bias() -> None:
    text = """
        import torch

        class Scores(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.nn.Linear(4, 1)

            def forward(self, real, fake):
                return torch.log(torch.sigmoid(self.head(real) - 2 * self.head(fake)))
    """
    program = slice_of(text)
    assert [step.name for step in program.steps if step.sort is Sort.LAYER] == ["self.head.bias"]


@pytest.mark.parametrize(
    ("name", "lo", "hi"),
    [("log_probs", float("-inf"), 0.0), ("token_count", 0.0, float("inf")), ("x", float("-inf"), float("inf"))],
)
def test_numbers_are_what_the_name_lets_a_reader_expect(name: str, lo: float, hi: float) -> None:
    text = f"import torch\n\ndef f({name}):\n    return torch.log(torch.relu({name}))\n"
    domain = domains(text)[name]
    assert (domain.lo, domain.hi) == (lo, hi)
    assert domain.admits(0.5) is (name == "x")


def test_a_log_probability_is_not_given_what_only_a_logit_is() -> None:
    text = "import torch\n\ndef f({0}):\n    p = torch.exp({0})\n    return p / p.sum()\n"
    assert witnesses(text.format("scores")) == ["scores = 200. gives f(...) = nan"]
    # below 0 exp underflows, and 0 / 0 is not the overflow that the message is about
    assert witnesses(text.format("log_probs")) == []


def test_a_matrix_is_written_as_the_diagonal_that_it_is() -> None:
    text = """
        def f(x, weight):
            return torch.log(torch.softmax(torch.matmul(x, weight), -1))
    """
    (shown,) = witnesses(text)
    assert shown == "x = [0., 200.], weight = diag(0., 200.) gives f(...) = [-inf, 0.]"
