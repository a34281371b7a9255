"""What functions are given that nobody sees: lists, whole numbers, masked arrays, other frameworks' arrays, tracers."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import nanlint
from nanlint.lint.one_file import diagnose_source
from nanlint.source import Source
from nanlint.source.project import in_project
from nanlint.source.project_files import forget

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

given: Any = import_module("given")

ANYTHING_IS_GIVEN = True
#: one program of each kind: whole numbers, lists, masks, two frameworks, callers in other files, tracers, soft counts
KINDS = {
    "torch": [
        "torch_whole_scores",
        "torch_grid",
        "mixed_selection",
        "mixed_report",
        "torch_traced_symbolically",
        "torch_vmapped_mean",
    ],
    "numpy": ["numpy_list_chances", "numpy_masked_growth", "numpy_view_of_weights"],
}
UNSEEN = "takes floating-point numbers only"


@pytest.mark.parametrize("framework", KINDS)
def test_a_program_gives_the_same_after_its_fixes(framework: str) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    assert list(given.broken(KINDS[framework])) == []


def fixes(text: str, path: str = "<string>") -> list[tuple[str, str]]:
    """Applicability and message of each fix that is offered."""
    forget()
    source = in_project(Source(path, dedent(text)))
    found = diagnose_source(source, nanlint.config_of_keys(path, {"confidence": "possible"}))
    return [(str(one.fix.applicability), one.fix.message) for one in found if one.fix is not None]


def torch_likelihood(parameter: str, operand: str, doc: str = "") -> list[tuple[str, str]]:
    text = f"import torch\n\n\ndef f({parameter}):\n{doc}    return torch.log(torch.sigmoid({operand}))\n"
    return fixes(text)


@pytest.mark.parametrize(
    ("parameter", "operand"),
    [
        ("score: torch.FloatTensor", "score"),
        ("score", "score / 2"),
        ("score", "0.5 * score"),
        ("score", "score.float()"),
        ("score", "score.mean(-1)"),
    ],
)
def test_a_fix_is_safe_where_floating_point_numbers_are_seen(parameter: str, operand: str) -> None:
    ((applicability, message),) = torch_likelihood(parameter, operand)
    assert applicability == "safe"
    assert UNSEEN not in message


def test_a_docstring_says_so_too() -> None:
    said = '    """Log-likelihood.\n\n    Args:\n        score (FloatTensor): of each item.\n    """\n'
    assert torch_likelihood("score", "score", said)[0][0] == "safe"
    assert torch_likelihood("score", "score", said.replace("FloatTensor", "int or float"))[0][0] == "unsafe"


@pytest.mark.parametrize("operand", ["score", "score + 1", "score.sum(-1)", "score[0]"])
def test_a_fix_is_unsafe_where_whole_numbers_may_be_given(operand: str) -> None:
    ((applicability, message),) = torch_likelihood("score", operand)
    assert applicability == "unsafe"
    assert UNSEEN in message


def test_callers_show_what_is_given() -> None:
    text = """
    import torch


    def nll(score):
        return -torch.log(torch.sigmoid(score)).mean()


    def step(a, b):
        return nll((a * b).mean(-1))
    """
    assert fixes(text)[0][0] == "safe"
    assert fixes(text.replace("mean(-1)", "sum(-1)"))[0][0] == "unsafe"


def test_lists_are_no_arrays() -> None:
    text = "import numpy as np\n\n\ndef versine(angle):\n    return 1 - np.cos(angle)\n"
    assert fixes(text)[0][0] == "unsafe"
    assert fixes(text.replace("angle)", "angle: np.ndarray)", 1))[0][0] == "safe"
    assert fixes(text.replace("np.cos(angle)", "np.cos(-angle)"))[0][0] == "safe"


def test_a_fix_that_branches_on_data_says_so_and_is_not_made_where_functions_are_traced(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    text = "import torch\n\n\ndef f(x):\n    return x[x > 0].mean()\n"
    path = tmp_path / "mean.py"
    path.write_text(text)
    ((applicability, message),) = fixes(text, str(path))
    assert applicability == "unsafe"
    assert "branches on the number of elements" in message
    (tmp_path / "train.py").write_text("import torch\nfrom mean import f\n\ng = torch.compile(f)\n")
    assert [applicability for applicability, _ in fixes(text, str(path))] == ["display"]


@pytest.mark.parametrize(
    ("said", "file", "written"),
    [
        ("tensorflow==1.8.0\n", "requirements.txt", False),
        ("tensorflow-gpu>=1.4,<2\n", "requirements.txt", False),
        ('[project]\nname = "a"\ndependencies = ["tensorflow>=1.4"]\n', "pyproject.toml", False),
        ('[tool.poetry.dependencies]\ntensorflow = "^1.8"\n', "pyproject.toml", False),
        ("from setuptools import setup\nsetup(install_requires=['tensorflow~=1.8.0'])\n", "setup.py", False),
        ("tensorflow>=2.3\n", "requirements.txt", True),
        ("tensorflow\n", "requirements.txt", True),
        ("torch==1.2\n", "requirements.txt", True),
    ],
)
def test_versions_that_are_pinned_bound_what_is_written(tmp_path: Path, said: str, file: str, written: bool) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / file).write_text(said)
    text = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.log(tf.sigmoid(x))\n"
    (tmp_path / "loss.py").write_text(text)
    found = fixes(text, str(tmp_path / "loss.py"))
    assert any("log_sigmoid" in message for _, message in found) is written
