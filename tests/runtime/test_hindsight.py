"""A birth that no finding spoke of is written as a program that shows it, and the rule that applies is named."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from nanlint.runtime.events import Birth, Numbers
from nanlint.runtime.frames import place
from nanlint.runtime.health import health_of_numbers
from nanlint.runtime.hindsight import hindsight_of
from nanlint.runtime.verdicts import Verdicts

PROGRAMS = {
    "numpy": ("import numpy as np\n\n\ndef f(table, i):\n    return np.log(table[i] * 2)\n", "log", False),
    "torch": ("import torch\n\n\ndef f(table, i):\n    return torch.sqrt(table[i] * 2)\n", "aten.sqrt", True),
    "jax": ("import jax.numpy as jnp\n\n\ndef f(table, i):\n    return jnp.sqrt(table[i] * 2)\n", "sqrt", True),
    "tensorflow": ("import tensorflow as tf\n\n\ndef f(table, i):\n    return tf.sqrt(table[i] * 2)\n", "Sqrt", True),
}


def born(framework: str, op: str, path: str, line: int, backward: bool, *inputs: list[float]) -> Birth:
    numbers = [
        Numbers(f"input {i}", health_of_numbers(row, "float32", (len(row),)), tuple(map(repr, row)))
        for i, row in enumerate(inputs)
    ]
    kinds = ("ninf",) if op == "log" else ("pinf",)
    return Birth(0, 3, 0.0, framework, op, kinds, tuple(numbers), (), (place(path, line),), backward)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("framework", PROGRAMS)
def test_the_reproduction_runs_and_shows_it(framework: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(framework)
    program, op, backward = PROGRAMS[framework]
    path = str(tmp_path / "model.py")
    birth = born(framework, op, path, 5, backward, [0.0, 2.0])
    (found,) = hindsight_of(Verdicts(born=((birth, 1),), sources={path: program}), str(tmp_path))
    assert found.program is not None
    runpy.run_path(found.program, run_name="__main__")
    assert "inf" in capsys.readouterr().out
    assert "table" not in Path(found.program).read_text("utf-8")


def test_a_rule_that_says_possible_is_shown_in_hindsight(tmp_path: Path) -> None:
    path = str(tmp_path / "model.py")
    program = "import torch\n\n\ndef f(x):\n    return torch.exp(x) / torch.exp(x).sum()\n"
    birth = born("torch", "aten.div", path, 5, False, [float("inf"), 1.0], [float("inf")])
    (found,) = hindsight_of(Verdicts(born=((birth, 1),), sources={path: program}), str(tmp_path))
    assert found.diagnostic is not None
    assert found.diagnostic.code == "NL401"


def test_operands_whose_values_were_not_kept_whole_are_not_made_up(tmp_path: Path) -> None:
    path = str(tmp_path / "model.py")
    birth = born("numpy", "log", path, 5, False, [0.0, 2.0])
    cut = Numbers("x", health_of_numbers([0.0, 2.0, 3.0], "float32", (3,)), ("0.0", "2.0"))
    birth = Birth(0, 3, 0.0, "numpy", "log", ("ninf",), (cut,), (), birth.frames)
    sources = {path: PROGRAMS["numpy"][0]}
    (found,) = hindsight_of(Verdicts(born=((birth, 1),), sources=sources), str(tmp_path))
    assert found.program is None


def test_a_birth_in_no_line_of_the_users_is_left_as_it_is(tmp_path: Path) -> None:
    birth = Birth(0, 3, 0.0, "numpy", "log", ("ninf",), (), (), ())
    (found,) = hindsight_of(Verdicts(born=((birth, 1),)), str(tmp_path))
    assert (found.diagnostic, found.program) == (None, None)


def test_what_does_not_show_what_it_says_is_dropped(tmp_path: Path) -> None:
    """The operands are those of an op inside of another; the second birth is shown all the same."""
    path = str(tmp_path / "model.py")
    text = "import numpy as np\n\n\ndef f(x):\n    return np.exp(x)\n"
    births = [(born("numpy", "exp", path, 5, False, [x]), 1) for x in (-0.0, 1000.0)]
    one, other = hindsight_of(Verdicts(born=tuple(births), sources={path: text}), str(tmp_path))
    assert (one.program, one.text) == (None, "")
    assert other.program == str(tmp_path / "reproductions" / "2_model_5.py")
    assert "np.exp(x)" in other.text


def test_the_incoming_gradient_is_kept_apart_from_the_operands(tmp_path: Path) -> None:
    """inf * 0 is of the gradient that came in, and of the other operand."""
    pytest.importorskip("torch")
    path = str(tmp_path / "model.py")
    text = "import torch\n\n\ndef f(x):\n    return torch.exp(x)\n"
    birth = born("torch", "exp", path, 5, True, [float("inf")], [-1000.0])
    birth = Birth(0, 3, 0.0, "torch", "exp", ("nan",), birth.inputs, (), birth.frames, backward=True)
    (found,) = hindsight_of(Verdicts(born=((birth, 1),), sources={path: text}), str(tmp_path))
    assert 'incoming = torch.tensor([float("inf")]' in found.text
    assert "x = torch.tensor([-1000.0]" in found.text
