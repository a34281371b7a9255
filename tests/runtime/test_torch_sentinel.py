"""The watch of long runs: what it tells, and that PyTorch's random numbers can be repeated."""

from __future__ import annotations

import pytest

from nanlint.runtime.events import Step

torch = pytest.importorskip("torch")

from nanlint.runtime.adapters.torch.sentinel import gradient_norm  # noqa: E402
from tests.runtime.test_torch import Watching, adapter, watching  # noqa: E402, F401


def test_each_step_has_its_loss_and_gradient_norm(watching: Watching) -> None:  # noqa: F811
    with watching("sentinel") as run:
        weight = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
        optimizer = torch.optim.SGD([weight], lr=0.0)
        for _ in range(2):
            optimizer.zero_grad()
            (weight.square().sum() / 2).backward()
            optimizer.step()
    numbers = [event.numbers for event in run.events if isinstance(event, Step)]
    assert numbers == [{"gradient_norm": "5.0", "loss": "12.5"}] * 2
    assert not run.alerts


def test_a_norm_whose_square_overflows_is_finite() -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([3e30, 4e30])
    assert gradient_norm(torch.optim.SGD([weight])) == pytest.approx(5e30)


def test_a_bad_step_says_in_which_gradients(watching: Watching) -> None:  # noqa: F811
    with watching("sentinel") as run:
        model = torch.nn.Linear(2, 1)
        model.weight.data = torch.tensor([[1.0, -1.0]])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        (model.weight * float("inf")).sum().backward()
        optimizer.step()
    (alert,) = (a for a in run.alerts if a.alert == "non-finite")
    assert alert.message == "the loss is nan and the gradient norm is inf; in the gradients of model.weight"


def test_random_numbers_go_on_as_from_a_snapshot() -> None:
    state = adapter().snapshot()
    expected = torch.rand(3)
    torch.rand(100)
    adapter().restore(state)
    assert torch.equal(torch.rand(3), expected)
