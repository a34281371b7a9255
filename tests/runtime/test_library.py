"""``with nanlint.verify()`` and ``pytest --nanlint``: the watch from inside."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.runtime.filters import FilterError
from nanlint.toml import loads
from tests.runtime.running import ROOT, environment, python, verify

pytest.importorskip("numpy")

MODEL = """
import numpy as np


def softmax(z):
    e = np.exp(z)
    return e / e.sum()
"""


def write(directory: Path, name: str, program: str) -> None:
    (directory / name).write_text(textwrap.dedent(program).lstrip())


def test_a_stretch_of_a_program_is_watched(tmp_path: Path) -> None:
    write(tmp_path, "model.py", MODEL)
    write(
        tmp_path,
        "train.py",
        """
        import nanlint

        with nanlint.verify(watch="sites", run_directory="run") as run:
            from model import softmax
            import numpy as np

            softmax(np.array([1.0, 2.0]))
            print(run.bad, [str(one.state) for one in run.findings])
            run.step(loss=1.0)
            softmax(np.array([0.0, 1000.0]))
            print(run.bad, [(str(one.state), one.step) for one in run.findings])
        softmax(np.array([0.0, 1000.0]))
        print([one.executions for one in run.findings])
        print(run.report())
        """,
    )
    ran = python("train.py", cwd=tmp_path)
    lines = ran.stdout.splitlines()
    assert lines[:3] == ["False ['clean']", "True [('confirmed', 1)]", "[2]"]
    assert "model.py:6:12 NL401 confirmed (nan and +inf at step 1)" in ran.stdout


def test_in_a_program_that_is_watched_its_watch_goes_on(tmp_path: Path) -> None:
    write(
        tmp_path,
        "train.py",
        """
        import nanlint
        import numpy as np

        with nanlint.verify() as run:
            np.log(np.zeros(1))
        print(run.directory)
        """,
    )
    ran = verify("train.py", cwd=tmp_path, options=("--watch", "all", "--run-dir", "run"), fresh=True)
    assert ran.stdout == f"{tmp_path / 'run'}\n"
    assert ran.code == 1


def test_an_exception_goes_through_and_is_in_the_record(project: Path) -> None:
    with pytest.raises(KeyError, match="mine"), nanlint.verify(run_directory="run") as run:
        raise KeyError("mine")
    assert run.verdicts.ended is not None
    assert run.verdicts.ended.error == "KeyError"


@pytest.mark.parametrize(
    "option", [{"watch": "everything"}, {"on_nan": "explode"}, {"confidence": "sure"}, {"filters": ["odd"]}]
)
@pytest.mark.usefixtures("project")
def test_an_option_that_is_none_is_refused(option: dict[str, Any]) -> None:
    (value,) = option.values()
    with pytest.raises((ValueError, FilterError), match="".join(value)), nanlint.verify(**option):
        pytest.fail("the block ran")


PLUGIN = "nanlint.pytest_plugin"


def test_where_nanlint_is_installed_pytest_knows_the_plugin() -> None:
    project = loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"nanlint": PLUGIN}


def pytest_in(directory: Path, *arguments: str, watched: bool = False) -> subprocess.CompletedProcess[str]:
    """With the plugin, and none of the others that are installed here: to start them takes longer than all the rest.

    ``watched``: by `nanlint verify`.
    """
    verifying = ("-m", "nanlint", "verify", "--") if watched else ()
    return subprocess.run(
        [sys.executable, *verifying, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", *arguments],
        cwd=directory, env={**environment(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_tests_in_which_something_is_born_do_not_pass(tmp_path: Path) -> None:
    write(tmp_path, "model.py", MODEL)
    write(
        tmp_path,
        "test_model.py",
        """
        import numpy as np
        from model import softmax

        def test_small():
            assert softmax(np.array([0.0, 0.0]))[0] == 0.5

        def test_large():
            assert softmax(np.array([0.0, 1000.0])).shape == (2,)
        """,
    )
    there = pytest_in(tmp_path)
    assert there.returncode == 0, there.stdout
    assert "NL401" not in there.stdout
    ran = pytest_in(tmp_path, "--nanlint", "test_model.py")
    assert ran.returncode == 1
    assert "1 failed, 1 passed" in ran.stdout
    assert "FAILED test_model.py::test_large - Failed: not finite: model.py:" in ran.stdout
    assert "model.py:6:12 NL401 confirmed (nan and +inf at step 1)" in ran.stdout
    clean = pytest_in(tmp_path, "--nanlint=all", "-k", "small")
    assert clean.returncode == 0
    assert "NL401 clean (1 execution)" in clean.stdout


TESTS = """
import numpy as np
import pytest
import torch

from model import inverse, softmax, unit


@pytest.fixture
def weights():
    return softmax(np.array([0.0, 1000.0]))


@pytest.mark.parametrize("scale", [1.0, 1000.0, 2000.0])
def test_scale(scale):
    assert softmax(np.array([0.0, scale])).shape == (2,)

def test_fixture(weights):
    assert len(weights) == 2

def test_gradient():
    x = torch.zeros(2, requires_grad=True)
    (unit(x) * torch.tensor([0.0, 1.0])).sum().backward()
    assert x.grad is not None

def test_own_line():
    p = torch.softmax(torch.tensor([0.0, 300.0]), -1)
    assert torch.log(p)[1] == 0

def test_that_means_it():
    assert torch.isinf(torch.log(torch.softmax(torch.tensor([0.0, 300.0]), -1))[0])

def test_that_asserts_it():
    assert np.isinf(inverse(np.array([0.0, 1.0])))[0]

def test_that_asserts_none():
    assert not np.isinf(inverse(np.array([0.0, 1.0])))[1]

@pytest.mark.nanlint(allow="all")
def test_that_is_marked():
    assert len(softmax(np.array([0.0, 1000.0]))) == 2

@pytest.mark.parametrize("allow", [
    pytest.param(allow, id=str(allow), marks=pytest.mark.nanlint(allow=allow))
    for allow in ("inf", ["nan", "+inf"], "NL401", "NL101", "model.py", "model.py:6", "model.py:5")
])
def test_allows(allow):
    assert len(softmax(np.array([0.0, 1000.0]))) == 2

@pytest.mark.nanlint(allow="everything")
def test_that_is_marked_wrongly():
    pass

def test_that_fails():
    p = torch.softmax(torch.tensor([0.0, 1.0]), -1)
    assert torch.log(p)[0] == 3

def test_that_ignores_it():
    with np.errstate(divide="ignore"):
        assert (1.0 / np.array([0.0, 2.0]))[1] == 0.5

@pytest.mark.xfail
def test_known():
    assert len(softmax(np.array([0.0, 1000.0]))) == 2
"""
UNIT = """

def unit(x):
    return x / x.norm()


def inverse(z):
    return 1 / z
"""


@pytest.mark.parametrize("how", ["plugin", "verify"])
def test_the_test_fails_in_which_something_is_not_finite_and_no_other(how: str, tmp_path: Path) -> None:
    """By a finding in another file or its own, a gradient that comes back, in a fixture; each time anew."""
    pytest.importorskip("torch")
    write(tmp_path, "model.py", MODEL + UNIT)
    write(tmp_path, "test_model.py", TESTS)
    without = pytest_in(tmp_path, "test_model.py")
    own = (tmp_path / "__pycache__").glob("test_model*")
    before = {path: path.read_bytes() for path in own}
    command = ("--nanlint",) if how == "plugin" else ()
    ran = pytest_in(tmp_path, *command, "test_model.py", watched=how == "verify")
    failed = [line.split(" - ")[0].rpartition("::")[2] for line in ran.stdout.splitlines() if line.startswith("FAILED")]
    assert failed == [
        *("test_scale[1000.0]", "test_scale[2000.0]", "test_fixture", "test_gradient", "test_own_line"),
        *("test_that_asserts_none", "test_allows[inf]", "test_allows[NL101]", "test_allows[model.py:5]"),
        *("test_that_is_marked_wrongly", "test_that_fails"),
    ], ran.stdout
    assert "@pytest.mark.nanlint takes allow=" in ran.stdout
    assert ran.returncode == 1
    assert "not finite: model.py:6: NL401 confirmed" in ran.stdout
    assert "the gradient of x is nan, seen at backward()" in ran.stdout
    line = TESTS.lstrip().partition("assert torch.log(p)[1]")[0].count("\n") + 1
    assert f"not finite: test_model.py:{line}: NL101 confirmed: -inf in log" in ran.stdout
    told = without.stdout.partition("def test_that_fails")[2].partition("=====")[0]
    assert "assert tensor(" in told
    assert told in ran.stdout
    assert "__nanlint_probe__" not in ran.stdout
    assert {path: path.read_bytes() for path in before} == before
    assert pytest_in(tmp_path, "test_model.py").stdout.count("FAILED") == without.stdout.count("FAILED") == 1


def test_workers_of_xdist_are_part_of_the_run(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    write(tmp_path, "model.py", MODEL)
    write(
        tmp_path,
        "test_model.py",
        """
        import numpy as np
        import pytest
        from model import softmax

        @pytest.mark.parametrize("scale", [1.0, 2.0, 3.0, 1000.0])
        def test_sum(scale):
            assert softmax(np.array([0.0, scale])).shape == (2,)
        """,
    )
    ran = pytest_in(tmp_path, "-p", "xdist", "--nanlint", "-n", "2")
    assert ran.returncode == 1, ran.stdout
    assert "1 failed, 3 passed" in ran.stdout
    assert "NL401 confirmed" in ran.stdout
