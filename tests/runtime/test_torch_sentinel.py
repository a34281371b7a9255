"""The watch of long runs: what it tells, and that the step that went bad is repeated with the same random numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from nanlint.runtime.events import Alert, Birth, Step
from nanlint.runtime.runfile import read_run
from tests.runtime.running import verify

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


PROGRAM = """
import torch
weight = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([weight], lr=0.01)
for step in range(500):
    optimizer.zero_grad()
    noise = torch.rand(3)
    if noise[0] < 0.05:
        noise[0] = 0
    loss = (torch.sqrt(noise * weight)).sum()
    loss.backward()
    optimizer.step()
"""


def births(directory: Path) -> list[Birth]:
    return [e for _, e in read_run(str(directory)) if isinstance(e, Birth)]


@pytest.mark.slow
def test_the_bad_step_is_repeated_and_its_line_found(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    first = verify("train.py", cwd=tmp_path, options=("--watch", "sentinel", "--run-dir", "first"))
    alerts = [e for _, e in read_run(str(tmp_path / "first")) if isinstance(e, Alert)]
    assert [alert.alert for alert in alerts] == ["non-finite"] * len(alerts)
    assert not births(tmp_path / "first")
    again = verify("train.py", cwd=tmp_path, options=("--replay", "first", "--run-dir", "again"))
    (birth, *_) = births(tmp_path / "again")
    assert birth.step == alerts[0].step
    assert (birth.op, birth.forward[0].line) == ("sqrt", 10)
    steps = [event for _, event in read_run(str(tmp_path / "again")) if isinstance(event, Step)]
    assert steps[-1].number == birth.step
    assert not first.stderr
    assert not again.stderr
