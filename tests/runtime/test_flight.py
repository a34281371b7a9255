"""What runs are warned of before they break: histories that are drawn, and trainings that are executed."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.early import ENOUGH, PROGRAMS, Warned, layers_of, warned
from nanlint.runtime.events import Layer, Sampled
from nanlint.runtime.flight import FIRST_SKIPS, SKIPS, Flight
from nanlint.runtime.runfile import read_run
from tests.runtime.running import nanlint, verify
from tests.sampling import sample

GROWS = """
import torch
torch.manual_seed(0)
w = torch.nn.Parameter(torch.randn(8))
optimizer = torch.optim.SGD([w], lr=1e-3)
for step in range(600):
    if step == 60:
        optimizer.param_groups[0]["lr"] = 1.05  # each step goes a little further past the least loss
    loss = (w * w).sum() + 0.1 * torch.rand(())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        break
"""
WELL = GROWS.replace("= 1.05", "= 0.05")
COLLAPSES = """
import torch
w = torch.nn.Parameter(torch.ones(()))
optimizer = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 16)
for step in range(30):
    loss = w * 1.0 if step < 10 else torch.sqrt(w - w.detach())  # the slope is infinite from step 10 on
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""

DEAD = """
import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 16))
head = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=1e-2)
for step in range(10):
    x = torch.randn(32, 8)
    loss = (head(torch.relu(net(x) - 50.0)) - x[:, :1]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

#: a parameter in memory that was another's before: addresses, which no initialisation draws
UNMADE = """
import torch
torch.manual_seed(0)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Linear(8, 1)
        self.gate = torch.nn.Parameter(torch.empty(8))
        self.gate.data.copy_(torch.tensor([4.5e-41, 1.2e-20] * 4))
    def forward(self, x):
        return self.mix(x) + (x * self.gate).sum(1, keepdim=True)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(3):
    loss = net(torch.randn(32, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


class Heard(list[tuple[str, dict[str, Any]]]):
    """The warnings of a flight."""

    def __call__(self, kind: str, message: str, **details: Any) -> None:
        self.append((kind, {"message": message, **details}))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("noise", [0.1, 0.5, 1.0])
def test_healthy_losses_are_not_warned_of(seed: int, noise: float) -> None:
    heard, draw = Heard(), random.Random(seed)
    flight = Flight(heard)
    for step in range(600):
        loss = (2 * math.exp(-step / 60) + 0.05) * math.exp(draw.gauss(0, noise))
        flight.stepped(step, {"loss": loss, "learning_rate": 1e-3 * min(step / 100, 1)})
    assert not heard


def test_growth_is_warned_of_once_with_the_learning_rate() -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(200):
        flight.stepped(
            step, {"loss": 0.1 * 1.2 ** max(0, step - 100), "learning_rate": 1e-3 * 1.1 ** max(0, step - 90)}
        )
    ((kind, details),) = heard
    assert (kind, details["quantity"]) == ("growth", "loss")
    assert 98 <= details["since"] <= 104
    assert "the learning rate is" in details["message"]
    assert "and was" in details["message"]


@pytest.mark.parametrize("taken", [0, 3])
def test_skipped_steps_are_warned_of_where_they_do_not_end(taken: int) -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(taken):
        flight.settled(step, skipped=False)
    most = SKIPS if taken else FIRST_SKIPS
    for step in range(taken, taken + most - 1):
        flight.settled(step, skipped=True)
    assert not heard
    for step in range(taken + most - 1, taken + 30):
        flight.settled(step, skipped=True)
    assert [(kind, details["since"]) for kind, details in heard] == [("scale-collapse", taken)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (GROWS, {"growth", "non-finite"}),
        (WELL, set()),
        (COLLAPSES, {"scale-collapse", "skipped-step"}),
        (DEAD, {"dead-units", "vanishing-gradient", "dead-gradient"}),
        (UNMADE, {"uninitialised"}),
    ],
    ids=["grows", "goes well", "collapses", "dead units", "not initialised"],
)
def test_trainings_in_pytorch(tmp_path: Path, text: str, kinds: set[str]) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    alerts = verify("train.py", cwd=tmp_path, options=("--watch", "sentinel")).report["alerts"]
    assert {one["kind"] for one in alerts} == kinds
    if "growth" in kinds:
        first = min(one["step"] for one in alerts if one["kind"] == "growth")
        broke = min(one["step"] for one in alerts if one["kind"] == "non-finite")
        assert first <= broke - 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", sample(sorted((PROGRAMS / "late").glob("*.py")), 1, "late"), ids=lambda one: one.stem
)
def test_a_run_that_breaks_late_is_warned_of_early_with_its_layer(program: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    before = run(program, tmp_path).before(layers_of(program))
    assert before is not None
    assert before >= ENOUGH


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", sample(sorted((PROGRAMS / "noisy").glob("*.py")), 1, "noisy"), ids=lambda one: one.stem
)
def test_a_healthy_run_with_a_noisy_loss_is_not_warned_of(program: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert not run(program, tmp_path).warnings


def run(program: Path, directory: Path) -> Warned:
    """What the sentinel says of a program."""
    ran = verify(str(program), cwd=directory, options=("--watch", "sentinel"))
    return warned(ran.stdout, ran.report)


def layers(**largest: float) -> dict[str, Layer]:
    return {name: Layer(largest=x, zeros=0.0, top=65504.0) for name, x in largest.items()}


def test_the_layer_that_amplifies_is_blamed_and_not_those_behind_it() -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(40):
        grown = 1.3**step
        flight.sampled(
            step,
            layers(a=1.0)
            | {
                "b": Layer(largest=grown, top=65504.0, source="a"),
                "c": Layer(largest=2 * grown, top=65504.0, source="b"),
            },
        )
    growth = [details for kind, details in heard if kind == "growth"]
    assert [one["layer"] for one in growth] == ["b"]


def test_gradients_that_were_infinite_for_once_are_no_growth() -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(40):
        gradient = math.inf if step == 20 else 1.0
        flight.sampled(step, {"a": Layer(largest=1.0, gradient=gradient), "b": Layer(gradient=gradient)})
        flight.stepped(step, {"loss": 1e9 if step == 39 else 1.0})
    assert [(kind, details["quantity"]) for kind, details in heard] == [("spike", "loss")]


def test_a_step_without_layers_tells_nothing() -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(6):
        flight.stepped(step, {"loss": 1.0})
        flight.sampled(step, {})
        flight.sampled(step, layers(a=1.0))
    assert not heard


def test_an_output_near_the_end_of_its_format_is_warned_of_unless_it_is_a_mask() -> None:
    heard = Heard()
    flight = Flight(heard)
    for step in range(6):
        flight.sampled(step, layers(mask=60000.0, hot=20000.0 + step))
    assert [(kind, details["layers"]) for kind, details in heard] == [("headroom", ["hot"])]


def test_the_layers_of_the_last_steps_are_kept_with_the_run(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / "train.py").write_text(DEAD, encoding="utf-8")
    ran = verify("train.py", cwd=tmp_path, options=("--watch", "sentinel"))
    (kept,) = [event for _, event in read_run(ran.report["run"]) if isinstance(event, Sampled)]
    assert list(kept.layers) == [
        "the input of net.0",
        "net.0",
        "net.1",
        "net.2",
        "net",
        "the input of head",
        "head",
    ]
    step, relu = kept.layers["the input of head"][0]
    assert (step, relu.zeros, relu.dead, relu.largest) == (0, 1.0, 1.0, 0.0)
    assert kept.layers["net.2"][0][1].gradient == 0.0
    assert kept.layers["net.2"][0][1].source == "net.1"
    listed = nanlint("inspect", ran.report["run"], "-c", "layers head", cwd=tmp_path).stdout.splitlines()
    assert [line.split("  ")[0] for line in listed] == ["layer", "the input of head", "head"]
    assert "▁" * 8 in listed[1]
    assert listed[1].endswith("train.py:9")
