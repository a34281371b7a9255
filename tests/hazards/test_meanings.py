"""What takes a number to a pole, told apart by what it means: each program is read, and executed."""

from __future__ import annotations

from typing import Any

import pytest

import nanlint
from nanlint.diagnostic import Confidence

HIDDEN = {
    "product": "torch.softmax(scores, -1) * mask",
    "masked_fill": "torch.softmax(scores, -1).masked_fill(mask == 0, 0)",
    "where": "torch.where(mask > 0, torch.softmax(scores, -1), 0.0)",
}
LAID_OUT = {
    "triangle": "torch.tril(torch.ones(scores.shape[-1], scores.shape[-1]))",
    "window": "((places[:, None] - places[None, :]).abs() <= 1).float()",
}
SHARES = """import torch


def shares(scores, mask=None):
    places = torch.arange(scores.shape[-1])
    mask = {mask}
    weights = {weights}
    return weights / weights.sum(-1, keepdim=True)
"""


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names


def shown(text: str) -> list[str]:
    return [one.code for one in nanlint.check_source(text) if one.confidence > Confidence.POSSIBLE]


@pytest.mark.parametrize("weights", HIDDEN.values(), ids=HIDDEN)
def test_what_a_given_mask_hides_may_be_all_of_a_row(weights: str) -> None:
    text = SHARES.format(mask="mask", weights=weights)
    assert shown(text) == ["NL301"]
    program = run(text)
    torch = program["torch"]
    assert program["shares"](torch.zeros(2, 2), torch.tensor([[1.0, 0.0], [0.0, 0.0]])).isnan().any()


@pytest.mark.parametrize("weights", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("mask", LAID_OUT.values(), ids=LAID_OUT)
def test_a_mask_that_is_laid_out_by_places_leaves_something_of_each_row(mask: str, weights: str) -> None:
    text = SHARES.format(mask=mask, weights=weights)
    assert shown(text) == []
    program = run(text)
    scores = [program["torch"].randn(size, size) for size in range(1, 6)]
    assert all(program["shares"](one).isfinite().all() for one in scores)


DISTANCE = """import torch


class Pairs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.left = torch.nn.Linear(3, 3)
        self.right = torch.nn.Linear(3, 1)

    def step(self, a, b):
        loss = torch.sqrt(((self.left(a) - {other}) ** 2).sum(-1)).mean()
        loss.backward()
"""


@pytest.mark.parametrize(("other", "met"), [("self.left(b)", True), ("torch.sigmoid(self.right(b))", False)])
def test_one_layer_makes_the_same_of_equal_inputs_and_two_layers_do_not(other: str, met: bool) -> None:
    text = DISTANCE.format(other=other)
    assert shown(text) == ["NL201"] * met
    program = run(text)
    pairs, equal = program["Pairs"](), program["torch"].ones(2, 3)
    pairs.step(equal, equal)
    assert pairs.left.weight.grad.isnan().any().item() is met
