"""What torch.compile made is watched too, stays compiled, and computes the same bit by bit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.runtime.events import Observed
from nanlint.runtime.recorder import NonFinite
from nanlint.runtime.runfile import read_run
from nanlint.runtime.verdicts import State
from tests.frameworks import lazily
from tests.runtime.running import verify
from tests.runtime.test_torch import Watching, watching  # noqa: F401

torch = lazily("torch")
is_concrete = lazily("nanlint.runtime.adapters.torch.breakdown", "is_concrete")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "torch", importlib.import_module("torch"))  # which is compiled as what it is
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def breaks() -> int:
    return sum(torch._dynamo.utils.counters["graph_break"].values())


def graphs() -> int:
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def test_a_forward_birth_in_a_compiled_graph(watching: Watching) -> None:  # noqa: F811
    def share(x: Any) -> Any:
        total = x.sum(-1, keepdim=True)
        return x / total  # here

    with watching() as run:
        torch.compile(share, backend="aot_eager")(torch.zeros(2, 3))
    (birth,) = run.births
    assert run.first() == ("div", "return x / total  # here", False)
    assert (birth.compiled, birth.kinds) == ("torch.compile", ("nan",))
    assert [one.health.zero for one in birth.inputs] == [6, 2]
    assert (graphs(), breaks()) == (1, 0)


def test_a_backward_birth_in_a_compiled_graph(watching: Watching) -> None:  # noqa: F811
    def loss(x: Any) -> Any:
        y = torch.where(x > 0, torch.sqrt(x), x)  # here
        return (y * 2).sum()

    with watching() as run:
        x = torch.zeros(2, requires_grad=True)
        torch.compile(loss, backend="aot_eager")(x).backward()
    (birth,) = run.births
    assert run.first() == ("sqrt", "y = torch.where(x > 0, torch.sqrt(x), x)  # here", True)
    assert birth.kinds == ("nan",)
    assert birth.frames[0].text.endswith(".backward()")


def test_a_module_and_its_mutated_buffers(watching: Watching) -> None:  # noqa: F811
    class Model(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)

        def forward(self, x: Any) -> Any:
            return torch.log(self.norm(x))  # here

    expected, watched = Model(), Model()
    x = torch.arange(12.0).reshape(4, 3)
    torch.compile(expected, backend="aot_eager")(x)
    torch._dynamo.reset()
    with watching() as run:
        torch.compile(watched, backend="aot_eager")(x)
    assert run.first()[:2] == ("log", "return torch.log(self.norm(x))  # here")
    for one, other in zip(expected.buffers(), watched.buffers(), strict=True):
        assert torch.equal(one, other)


def test_bad_inputs_are_no_births(watching: Watching) -> None:  # noqa: F811
    with watching() as run:
        torch.compile(lambda x: (x * 2).relu(), backend="aot_eager")(torch.tensor([float("nan"), float("-inf")]))
    assert not run.births


def test_it_stays_compiled_and_computes_the_same(watching: Watching) -> None:  # noqa: F811
    def train(steps: int = 3) -> list[Any]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 1))
        step = torch.compile(lambda x: model(x).square().mean(), backend="aot_eager")
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(steps):
            optimizer.zero_grad()
            step(torch.randn(16, 4)).backward()
            optimizer.step()
        return [p.detach().clone() for p in model.parameters()]

    expected = train()
    counted = graphs(), breaks()
    torch._dynamo.utils.counters.clear()
    with watching() as run:
        found = train()
    assert (graphs(), breaks()) == counted
    assert all(torch.equal(a, b) for a, b in zip(expected, found, strict=True))
    assert not run.births
    assert not run.told


def test_what_is_masked_in_the_same_graph_is_a_birth(watching: Watching) -> None:  # noqa: F811
    def masked(x: Any) -> Any:
        y = torch.log(x)  # here
        return torch.where(x > 0, y, 0.0)

    with watching() as run:
        torch.compile(masked, backend="aot_eager")(torch.tensor([0.0, 1.0]))
    assert run.first() == ("log", "y = torch.log(x)  # here", False)


def test_what_was_compiled_before_is_watched_too(watching: Watching) -> None:  # noqa: F811
    root = torch.compile(lambda x: torch.log(x), backend="aot_eager")
    root(torch.ones(2))
    with watching() as run:
        root(torch.zeros(2))
    assert [birth.op for birth in run.births] == ["log"]
    root(torch.zeros(2))
    assert len(run.births) == 1


def test_stopping_unpatches_the_compiler(watching: Watching) -> None:  # noqa: F811
    import torch._dynamo.backends.common as common
    import torch._functorch.config as config

    before = torch.compile, common.aot_module_simplified, config.donated_buffer
    with watching():
        torch.compile(torch.sin, backend="aot_eager")(torch.ones(1))
        assert common.aot_module_simplified is not before[1]
    assert (torch.compile, common.aot_module_simplified, config.donated_buffer) == before


def test_what_jit_trace_records_is_not_looked_at() -> None:
    seen = []
    traced = torch.jit.trace(lambda x: (seen.append(is_concrete(x)), x * 2)[1], torch.ones(2), check_trace=False)
    assert traced(torch.ones(2)).tolist() == [2.0, 2.0]
    assert seen
    assert not any(seen)
    assert is_concrete(torch.ones(2))


PROGRAM = """
import torch

@torch.compile(backend={backend!r}, fullgraph=True)
def loss(x, w):
    y = torch.where(x > 0, torch.log(x), 0.0)
    return (torch.softmax(y, -1) / w.norm()).square().sum()

x = torch.tensor([[0., 1.], [2., 3.]], requires_grad=True)
w = torch.ones(2, requires_grad=True)
for step in range(3):
    x.grad = None
    value = loss(x, w)
    value.backward()
told = value.item().hex(), x.grad.tolist(), w.grad.tolist()
"""


SCRIPT = """
import torch

@torch.jit.script
def entropy(x: torch.Tensor) -> torch.Tensor:
    p = x * 2.0
    if bool(p.sum() > 0):
        p = p * torch.log(p)
    return p

print(entropy(torch.tensor([0.0, 0.5])).sum())
"""


EXPORTED = """
import torch

class Share(torch.nn.Module):
    def forward(self, x):
        return x / x.sum(-1, keepdim=True)

share = torch.export.export(Share(), (torch.ones(2, 3),)).module()
print(share(torch.zeros(2, 3)).sum())
"""


@pytest.mark.parametrize(("program", "code"), [(SCRIPT, "NL104"), (EXPORTED, "NL301")], ids=["script", "export"])
def test_what_is_flagged_where_no_probe_comes_along_is_not_called_unreached(
    program: str, code: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(program, "utf-8")
    ran = verify("train.py", cwd=tmp_path)
    assert (ran.stdout, ran.verdicts()) == ("tensor(nan)\n", [(code, "not watched")])


@pytest.fixture
def imported(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Any]:
    """Imports the program with a backend, under a name of its own."""
    monkeypatch.syspath_prepend(str(project))

    def imported(name: str, backend: str) -> Any:
        (project / f"loss_{name}.py").write_text(PROGRAM.format(backend=backend), "utf-8")
        torch._dynamo.reset()
        return importlib.import_module(f"loss_{name}")

    return imported


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_flagged_lines_are_watched_in_compiled_code(imported: Callable[[str, str], Any], backend: str) -> None:
    with nanlint.verify(watch="sites", run_directory="run") as run:
        imported(f"in_{backend}", backend)
    assert breaks() == 0
    assert ("NL203", State.CONFIRMED) in [(one.diagnostic.code, one.state) for one in run.findings]
    observed = [e for _, e in read_run("run") if isinstance(e, Observed)]
    last = {event.site: event for event in observed}
    (seen,) = (event for event in last.values() if "log" in event.site or event.roles.get("gradient of x"))
    assert seen.executions == 3
    assert seen.roles["x"].counts == (0, 0, 3, 9, 0, 0)
    assert seen.roles["gradient of x"].nan == 3


def test_the_program_stops_at_a_flagged_line_in_compiled_code(imported: Callable[[str, str], Any]) -> None:
    with (
        pytest.raises(NonFinite, match="-inf first appeared in log"),
        nanlint.verify(watch="sites", on_nan="stop", run_directory="run") as run,
    ):
        imported("stopped", "aot_eager")
    assert ("NL203", State.CONFIRMED) in [(one.diagnostic.code, one.state) for one in run.findings]
    assert not run.verdicts.born


@pytest.mark.slow
def test_inductor_is_watched_and_left_as_it_is(imported: Callable[[str, str], Any]) -> None:
    alone = imported("alone", "inductor")
    with nanlint.verify(watch="all", run_directory="run") as run:
        watched = imported("watched", "inductor")
    assert str(watched.told) == str(alone.told)
    assert [(b.compiled, b.backward, b.kinds) for b in run.births] == [
        ("inductor", False, ("ninf",)),
        ("inductor", True, ("nan",)),
    ]
    assert {(b.forward or b.frames)[0].line for b in run.births} == {6}
