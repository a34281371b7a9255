"""Where a gradient is taken across the files of a project: of each kind one is checked, two of a framework run."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: of each framework some of the projects of benchmarks/programs/gradients: one of a kind
CHOSEN = {
    "torch": (
        "a forward pass calls a function of another file",
        "what a cell that is given starts from",
        "the length of a derivative enters a loss",
        "forces are derivatives of an energy",
        "a metric that another file calls when it validates",
        "the size of labels under a local name",
        "a part of the result that nobody takes",
        "an option that no caller asks for",
        "a value that is only logged",
    ),
    "jax": (
        "a loss of one file calls a model of another",
        "a rule of derivatives takes those of a reference",
        "another argument is differentiated",
        "what stands beside the loss has no gradient",
    ),
    "tensorflow": ("a function is compiled in as the loss", "a metric is compiled in"),
}


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return import_module("gradients_taken")


@pytest.mark.parametrize("framework", CHOSEN)
def test_nanlint_says_what_a_run_shows(benchmark: Any, framework: str) -> None:
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    chosen = [one for one in benchmark.programs() if one.framework == framework and one.name in CHOSEN[framework]]
    assert len(chosen) == len(CHOSEN[framework])
    assert {one.name: told for one, told in zip(chosen, benchmark.said(chosen), strict=True)} == {
        one.name: one.taken for one in chosen
    }
    # the benchmark executes them all
    for one in (chosen[0], chosen[-1]):
        assert benchmark.executed(one) is one.taken


def test_a_finding_names_what_takes_the_gradient(benchmark: Any, tmp_path: Path) -> None:
    nanlint = import_module("nanlint")
    one = next(one for one in benchmark.programs() if one.name == CHOSEN["torch"][0])
    path = str(one.write(tmp_path))
    found = import_module("nanlint.lint.one_file").run_task(
        import_module("nanlint.lint.report").Task(path, nanlint.config_of_keys(path, {}))
    )
    said = "reaches `model(torch.randn(4, 2), torch.randn(4, 2)).backward()` in train.py:8 through `between`"
    (finding,) = found.diagnostics
    assert finding.sink == said
    assert finding.sentence == f"{finding.message}; {said}"
