"""The model of a run: who fed whom, across processes, and what is made of damage."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nanlint.runtime.frames import place
from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.dataflow import expressions_of, written_at
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.runfile import read_run
from nanlint.source import Source
from tests.runtime.inspecting.runs import INF, NAN, PROGRAM, born, recorder, row


def names(run: Run, nodes: list[int]) -> list[str]:
    return [run.nodes[node].name for node in nodes]


@pytest.fixture
def untold(tmp_path: Path) -> Run:
    """Births of a run whose framework does not tell which op fed which."""
    path = tmp_path / "train.py"
    path.write_text(PROGRAM)
    watch = recorder(tmp_path / "run")
    here = (place(os.fspath(path), 7, "loss_of"),)
    logs = row([-INF, 0.0])
    born(watch, "log", [("input", row([0.0, 1.0]), None)], [("result", logs, None)], here)
    born(
        watch,
        "mul",
        [("input", row([0.0, 1.0]), None), ("other", logs, None)],
        [("result", row([NAN, 0.0]), None)],
        here,
    )
    born(watch, "log", [("input", row([0.5, 1.0]), None)], [("result", row([NAN, 1.0]), None)], here, forward=here)
    watch.end()
    return run_of(read_run(str(tmp_path / "run")))


def test_ops_are_connected_as_their_expressions_are(untold: Run) -> None:
    log, mul, backward = (incident.node for incident in untold.incidents)
    assert log is not None and mul is not None and backward is not None  # noqa: PT018
    assert names(untold, untold.producers(log)) == ["softmax@train.py:6"]
    assert names(untold, untold.consumers(log))[0] == "mul@train.py:7"
    assert "log@train.py:7" in names(untold, untold.producers(mul))
    assert names(untold, untold.producers(backward)) == ["backward/mul@train.py:7", "softmax@train.py:6"]


def test_a_tensor_with_the_elements_of_an_output_came_out_of_its_op(untold: Run) -> None:
    mul = untold.incidents[1]
    assert untold.tensors[mul.inputs[1]].source == untold.incidents[0].node


def test_the_graph_of_a_source_goes_through_names_and_calls() -> None:
    program = (
        "import numpy as np\n\n\ndef normed(x):\n    size = np.sqrt(x)\n    return x / size\n\n\n"
        "def f(y):\n    z = np.exp(y)\n    return normed(z)\n"
    )
    expressions = expressions_of(Source("f.py", program))
    sqrt = written_at(expressions, "aten.sqrt.default", 5)
    div = written_at(expressions, "RealDiv", 6)
    assert sqrt is not None
    assert div is not None
    taken = {expressions[i].op for operand in expressions[div].operands for i in operand}
    assert taken == {"sqrt", "exp"}
    assert written_at(expressions, "log", 5) is None
    assert expressions_of(Source("g.py", "def (")) == ()


def test_births_of_all_ranks_are_told_in_the_order_of_their_steps(tmp_path: Path) -> None:
    first = recorder(tmp_path / "run", rank=0)
    for _ in range(3):
        first.step()
    born(first, "exp", [("x", row([1000.0]), None)], [("result", row([INF]), None)], ())
    first.end()
    (events,) = (tmp_path / "run").glob("events-*")
    events.rename(tmp_path / "run" / "events-first.jsonl")
    second = recorder(tmp_path / "run", rank=1)
    second.step()
    born(second, "log", [("x", row([0.0]), None)], [("result", row([-INF]), None)], ())
    second.end()
    run = run_of(read_run(str(tmp_path / "run")))
    assert [(one.op, one.step, run.members[one.process].started.rank) for one in run.incidents] == [
        ("log", 1, 1),
        ("exp", 3, 0),
    ]
    assert run.first_bad == 0


def test_a_run_without_its_modules_is_shown_with_what_there_is(tmp_path: Path, kept: Path) -> None:
    (events,) = kept.glob("events-*")
    (tmp_path / events.name).write_bytes(events.read_bytes()[:-20] + b"\n{half\n")
    run = run_of(read_run(str(tmp_path)))
    assert run.findings == ()
    assert [one.kind for one in run.incidents] == ["birth", "birth", "birth", "dead-gradient"]
    assert run.members[0].damaged == 2
    assert run.members[0].ended is None
    assert run.files[run.incidents[0].frames[0].path].current
    observed = [tensor for tensor in run.tensors if tensor.name.endswith("NL101/result")]
    assert len(observed) == 1


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    watch = recorder(tmp_path / "run")
    for directory in ("a", "b"):
        watch.executed(watch.numbered("numbers", "log", f"/{directory}/model.py", 3))
    watch.step()
    watch.end()
    run = run_of(read_run(str(tmp_path / "run")))
    assert [node.name for node in run.nodes] == ["log@a/model.py:3", "log@b/model.py:3"]
    assert list(run.members[0].traces.values()) == [(0, 1)]
