"""The walks of the mission's PyTorch tutorials: a program goes bad, the report leads to the line, the fix trains on."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from nanlint.runtime.events import Birth
from nanlint.runtime.runfile import read_run
from tests.ports import free_port
from tests.runtime.running import Ran, together, verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]


@dataclass(frozen=True)
class Walk:
    """A program, what is reported of it, and the line that mends it.

    ``finding``: the rule that speaks of the line, empty where it is a birth without a finding.
    """

    program: str
    finding: str
    op: str
    kinds: tuple[str, ...]
    backward: bool
    fixed: str
    zeros: int = 1


SQRT = Walk(
    program="""\
import torch

points = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
optimizer = torch.optim.SGD([points], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    squares = points.square().sum(dim=1)
    lengths = torch.sqrt(squares)  # bad
    loss = lengths.mean()
    loss.backward()
    optimizer.step()
assert torch.isfinite(points).all(), points
""",
    finding="NL201",
    op="sqrt",
    kinds=("pinf",),
    backward=True,
    fixed="lengths = torch.where(squares != 0, torch.sqrt(torch.where(squares != 0, squares, 1.0)), 0.0)",
)
ATAN2 = Walk(
    program="""\
import torch

vectors = torch.tensor([[0.0, 0.0], [1.0, 1.0]], requires_grad=True)
optimizer = torch.optim.SGD([vectors], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    x, y = vectors.unbind(dim=1)
    angles = torch.atan(y / x)  # bad
    angles.square().sum().backward()
    optimizer.step()
assert torch.isfinite(vectors).all(), vectors
""",
    finding="NL511",
    op="div",
    kinds=("nan",),
    backward=False,
    fixed="angles = torch.atan2(y, x)",
)
EXP = Walk(
    program="""\
import torch

weight = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=1e-3)
x = torch.tensor([100.0, 1.0])
for step in range(3):
    optimizer.zero_grad()
    rates = torch.exp(weight * x)  # bad
    loss = rates.log1p().mean()
    loss.backward()
    optimizer.step()
assert torch.isfinite(weight).all(), weight
""",
    finding="NL107",
    op="exp",
    kinds=("pinf",),
    backward=False,
    fixed="rates = torch.exp((weight * x).clamp(max=80))",
    zeros=0,
)
CTC = Walk(
    program="""\
import torch

torch.manual_seed(0)
scores = torch.zeros(4, 2, 5, requires_grad=True)
optimizer = torch.optim.SGD([scores], lr=0.1)
targets = torch.tensor([[1, 2, 3], [1, 1, 2]])
frames, lengths = torch.tensor([4, 3]), torch.tensor([3, 3])
for step in range(3):
    optimizer.zero_grad()
    log_probs = scores.log_softmax(dim=-1)
    loss = torch.nn.functional.ctc_loss(log_probs, targets, frames, lengths)  # bad
    loss.backward()
    optimizer.step()
assert torch.isfinite(scores).all() and torch.isfinite(loss), loss
""",
    finding="NL703",
    op="ctc_loss",
    kinds=("pinf",),
    backward=False,
    fixed="loss = torch.nn.functional.ctc_loss(log_probs, targets, frames, lengths, zero_infinity=True)",
    zeros=0,
)


WALKS = {"sqrt": SQRT, "atan2": ATAN2, "exp": EXP, "ctc": CTC}


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, dict[str, list[Birth]]]:
    """All programs, one after the other."""
    directory = tmp_path_factory.mktemp("walks")
    for name, walk in WALKS.items():
        (directory / f"{name}.py").write_text(walk.program, "utf-8")
    return together(*(f"{name}.py" for name in WALKS), cwd=directory, run="run")


def bad_line(walk: Walk) -> tuple[int, str]:
    return next((i, line) for i, line in enumerate(walk.program.splitlines(), 1) if line.endswith("# bad"))


@pytest.mark.parametrize("name", WALKS)
def test_the_report_leads_to_the_line(walked: tuple[Ran, dict[str, list[Birth]]], name: str) -> None:
    ran, births = walked
    walk, (bad, line) = WALKS[name], bad_line(WALKS[name])
    assert re.search(rf'{name}\.py", line \d+, in <module>\n +assert .*\nAssertionError', ran.stderr), ran.stderr
    first = births[f"{name}.py"][0]
    blamed = (first.forward or first.frames)[0]
    assert (first.op, first.kinds, first.backward) == (walk.op, walk.kinds, walk.backward)
    assert first.step == 3 * list(WALKS).index(name), "in its first step: those before it have made three each"
    assert (blamed.line, blamed.text) == (bad, line.strip())
    assert any(one.health.zero >= walk.zeros for one in first.inputs)
    here = [finding for finding in ran.report["findings"] if Path(finding["filename"]).name == f"{name}.py"]
    confirmed = [finding["code"] for finding in here if finding["verdict"]["state"] == "confirmed"]
    assert confirmed == [walk.finding] * bool(walk.finding), ran.report


def test_the_fix_of_the_line_trains_on(tmp_path: Path) -> None:
    for name, walk in WALKS.items():
        bad, line = bad_line(walk)
        lines = walk.program.splitlines()
        lines[bad - 1] = line[: len(line) - len(line.lstrip())] + walk.fixed
        (tmp_path / f"{name}.py").write_text("\n".join(lines) + "\n", "utf-8")
    ran, births = together(*(f"{name}.py" for name in WALKS), cwd=tmp_path, run="run")
    assert (ran.code, ran.stderr, births) == (0, "", {})


RANKS = """\
import os, sys
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[1], RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    weight = torch.ones(2, requires_grad=True)
    if rank == 1:
        weight = torch.zeros(2, requires_grad=True)
    torch.sqrt(weight).sum().backward()  # bad
    total = torch.tensor([float(rank)])
    dist.all_reduce(total)
    assert total.item() == 1
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, nprocs=2)
"""


def test_ranks_are_watched_each_and_read_as_one_run(tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text(RANKS, "utf-8")
    ran = verify("ranks.py", str(free_port()), cwd=tmp_path, options=("--watch", "all", "--run-dir", "run"))
    assert ran.stderr == ""
    record = read_run(str(tmp_path / "run"))
    born = [event for _, event in record if isinstance(event, Birth)]
    assert [(event.op, event.backward, event.forward[0].line) for event in born] == [("sqrt", True, 13)]
    assert len(record.processes) >= 3
