"""The watch of long runs: what it tells, and that PyTorch's random numbers can be repeated."""

from __future__ import annotations

import copy
import importlib
import math
import warnings
from typing import Any

import pytest

from nanlint.runtime.events import Step
from nanlint.runtime.recorder import NonFinite
from tests.frameworks import lazily
from tests.runtime.test_torch import Watching, adapter, watching  # noqa: F401

torch = lazily("torch")
exact_norm = lazily("nanlint.runtime.adapters.torch.sentinel", "exact_norm")
gradient_norm = lazily("nanlint.runtime.adapters.torch.sentinel", "gradient_norm")


def test_each_step_has_its_loss_and_gradient_norm(watching: Watching) -> None:  # noqa: F811
    with watching("sentinel") as run:
        weight = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
        optimizer = torch.optim.SGD([weight], lr=0.0)
        for _ in range(2):
            optimizer.zero_grad()
            (weight.square().sum() / 2).backward()
            optimizer.step()
    numbers = [event.numbers for event in run.events if isinstance(event, Step)]
    assert numbers == [{"gradient_norm": "5.0", "loss": "12.5", "learning_rate": "0.0"}] * 2
    assert not run.told


def test_a_norm_whose_square_overflows_is_finite() -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([3e30, 4e30])
    optimizer = torch.optim.SGD([weight])
    assert gradient_norm(optimizer) == math.inf
    assert exact_norm(optimizer) == pytest.approx(5e30)


def test_a_bad_step_says_in_which_gradients(watching: Watching) -> None:  # noqa: F811
    with watching("sentinel") as run:
        model = torch.nn.Linear(2, 1)
        model.weight.data = torch.tensor([[1.0, -1.0]])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        (model.weight * float("inf")).sum().backward()
        optimizer.step()
    (alert,) = (a for a in run.told if a.alert == "non-finite")
    assert alert.message == "the loss is nan and the gradient norm is inf; not finite: the gradient of model.weight"


def test_a_loss_that_is_not_finite_stops_the_program_if_it_is_to_stop(watching: Watching) -> None:  # noqa: F811
    weight = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    with watching("sentinel", on_nan="stop"):
        weight.backward()
        optimizer.step()
        (weight * math.nan).backward()
        with pytest.raises(NonFinite, match="step 1: the loss is nan"):
            optimizer.step()


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_what_a_model_gives_is_looked_at_outside_of_what_is_compiled(
    watching: Watching,  # noqa: F811
    compiled: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "torch", importlib.import_module("torch"))  # which is compiled as what it is

    class Ratio(torch.nn.Module):  # type: ignore[misc,name-defined]
        """Over its last input; what it masks with is no failure."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(2, 2, bias=False)
            torch.nn.init.ones_(self.inner.weight)

        def forward(self, x: Any, over: Any) -> dict[str, Any]:
            return {"ratio": self.inner(x) / over, "mask": torch.full((2,), -float("inf"))}

    from torch._dynamo.utils import counters

    warnings.simplefilter("error", UserWarning)  # PyTorch warns of hooks on all modules where one compiles
    with watching("sentinel") as run:
        torch._dynamo.reset()
        counters.clear()
        model = Ratio()
        called = torch.compile(model, backend="aot_eager") if compiled else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        for over in (1.0, 1.0, 0.0):
            given = called(torch.ones(1, 2), torch.tensor(over))  # here
            optimizer.zero_grad()
            torch.nan_to_num(given["ratio"], 0, 0, 0).sum().mul(0).backward()
            for parameter in model.parameters():
                parameter.grad = torch.zeros_like(parameter)
            optimizer.step()
        copy.deepcopy(model)
    (alert,) = (a for a in run.told if a.alert == "non-finite")
    assert (alert.step, alert.message) == (2, f"the output of {'called' if compiled else 'model'} is not finite")
    assert alert.frames[0].text.endswith("# here")
    assert not counters["graph_break"]
    assert counters["stats"]["unique_graphs"] == compiled
    assert not torch.nn.modules.module._has_any_global_hook()


def test_a_step_reads_its_numbers_at_once(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    asked: list[int] = []
    original = torch.Tensor.tolist

    def tolist(tensor: Any) -> Any:
        asked.append(tensor.numel())
        return original(tensor)

    with watching("sentinel"):
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with monkeypatch.context() as patch:  # what is left at the end may be waited for
            for i in range(2):
                if i:
                    patch.setattr(torch.Tensor, "tolist", tolist)
                    patch.setattr(torch.Tensor, "item", lambda _: pytest.fail("waits for the device"))
                    patch.setattr(torch.Tensor, "__float__", lambda _: pytest.fail("waits for the device"))
                model(torch.ones(3, 2)).sum().backward()
                optimizer.step()
    assert asked == [3, 16]  # norm, loss, output; then what is sampled of the layer


def test_random_numbers_go_on_as_from_a_snapshot() -> None:
    state = adapter().snapshot()
    expected = torch.rand(3)
    torch.rand(100)
    adapter().restore(state)
    assert torch.equal(torch.rand(3), expected)
