"""Of a whole project it is seen who calls a function: what nothing trained calls meets no gradient, as is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

import nanlint
from nanlint.cache.reports import Reports
from nanlint.lint.one_file import run_task
from nanlint.lint.report import Task
from nanlint.source.project import WHOLE
from nanlint.source.project_files import forget
from tests.project.test_changes import codes as codes_by
from tests.project.test_changes import recalled, task_of

#: its gradient is infinite where x and y coincide; its value is finite
DISTANCE = "import jax.numpy as jnp\n\ndef distance(x, y):\n    return jnp.sqrt(jnp.sum((x - y) ** 2))\n"
TESTS = {
    "called": "import jax\nfrom main import distance\n\ndef test():\n    assert jax.grad(distance)(1.0, 2.0)\n",
    "in a pass": "import torch\nfrom main import distance\n\nclass Pull(torch.nn.Module):\n"
    "    def forward(self, x, y):\n        return distance(x, y) + 1\n",
    "in a loss": "from main import distance\n\ndef pull_loss(x, y):\n    return distance(x, y) + 1\n",
}
#: words that say nothing of derivatives that are taken
BESIDE = "import jax.numpy as jnp\n\ndef update(grads, rate):\n    return jnp.abs(grads) * rate  # a gradient\n"


def project(root: Path, others: int = WHOLE) -> Path:
    """A project of so many files beside main.py, none of which takes derivatives."""
    (root / "pyproject.toml").write_text("")
    for number in range(others):
        (root / f"task{number}.py").write_text(BESIDE)
    (root / "main.py").write_text(DISTANCE)
    return root / "main.py"


def codes(path: Path) -> list[str]:
    forget()
    return [one.code for one in run_task(task_of(path)).diagnostics]


FRAMEWORKS = {
    "jax": DISTANCE,
    "torch": "import torch\n\ndef distance(x, y):\n    return torch.sqrt(torch.sum((x - y) ** 2))\n",
    "tensorflow": "import tensorflow as tf\n\ndef distance(x, y):\n    return tf.sqrt(tf.reduce_sum((x - y) ** 2))\n",
}


@pytest.mark.parametrize("text", FRAMEWORKS.values(), ids=FRAMEWORKS)
def test_what_nothing_trained_calls_is_possible(tmp_path: Path, text: str) -> None:
    path = project(tmp_path)
    path.write_text(text)
    (tmp_path / "report.py").write_text("from main import distance\n\ndef table(x, y):\n    return [distance(x, y)]\n")
    assert codes(path) == []
    possible = nanlint.config_of_keys(str(path), {"confidence": "possible"})
    found = run_task(Task(str(path), possible)).diagnostics
    assert [(one.code, one.confidence.name) for one in found] == [("NL201", "POSSIBLE")]


@pytest.mark.parametrize("name", TESTS)
def test_one_user_that_is_trained_is_enough_and_a_test_that_differentiates(tmp_path: Path, name: str) -> None:
    path = project(tmp_path)
    (tmp_path / "test_main.py").write_text(TESTS[name])
    assert codes(path) == (["NL201"] if name == "called" else [])
    (tmp_path / "user.py").write_text(TESTS[name])
    assert codes(path) == ["NL201"]


def test_what_stands_beside_a_model_that_does_not_use_it_is_no_part_of_it(tmp_path: Path) -> None:
    path = project(tmp_path)
    text = FRAMEWORKS["torch"]
    net = "class Net(torch.nn.Module):\n    def forward(self, x):\n        return"
    path.write_text(f"{text}\n{net} x + 1\n")
    assert codes(path) == []
    path.write_text(f"{text}\n{net} distance(x, 1 - x)\n")
    assert codes(path) == ["NL201"]


def test_where_nothing_takes_derivatives_the_gradient_behind_a_test_is_doubtful_too(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text("import jax.numpy as jnp\n\ndef inverse(x):\n    return jnp.where(x > 0, 1 / x, 0.0)\n")
    assert codes(path) == []
    (tmp_path / "test_main.py").write_text(
        "from jax import grad as slope\nfrom main import inverse\n\ndef test(x):\n    return slope(inverse)(x)\n"
    )
    assert codes(path) == ["NL203"]


def test_a_derivative_with_respect_to_numbers_in_another_file_is_one(tmp_path: Path) -> None:
    path = project(tmp_path, others=0)
    (tmp_path / "user.py").write_text("import jax\nfrom main import distance\n\nslope = jax.grad(distance)(1.0, 2.0)\n")
    (tmp_path / "other.py").write_text(
        "import jax\nfrom main import distance\n\ndef slope():\n    return jax.grad(distance)(1.0, 2.0)\n"
    )
    assert codes(path) == ["NL201"]


TORCH = "import torch\n\ndef angle(c):\n    return torch.acos(c.clamp(-1.0, 1.0))\n"
JAX = "import jax\nimport jax.numpy as jnp\n\ndef angle(c):\n    return jnp.arccos(jnp.clip(c, -1.0, 1.0))\n"
CALLERS = {
    "backward": (
        TORCH,
        "def test():\n    c = torch.tensor([0.5, 1.0], requires_grad=True)\n    twice(c).sum().backward()\n",
    ),
    "grad": (JAX, "def test():\n    return jax.grad(twice)(jnp.array([0.5, 1.0]))\n"),
}


@pytest.mark.parametrize(("text", "test"), CALLERS.values(), ids=CALLERS)
def test_a_derivative_that_a_callers_caller_takes_is_one(tmp_path: Path, text: str, test: str) -> None:
    (tmp_path / "main.py").write_text(text)
    imports = text.partition("def")[0]
    (tmp_path / "user.py").write_text(
        f"{imports}from main import angle\n\ndef twice(c):\n    return 2 * angle(c)\n\n{test}"
    )
    assert codes(tmp_path / "main.py") == ["NL208"]


def test_of_a_few_files_nothing_is_said(tmp_path: Path) -> None:
    assert codes(project(tmp_path, others=3)) == ["NL201"]


def test_a_report_holds_until_a_derivative_comes(tmp_path: Path) -> None:
    path = project(tmp_path)
    task, memory = task_of(path), Reports(None)
    codes_by(task, memory)
    assert recalled(task, memory) is not None
    (tmp_path / "test_main.py").write_text(TESTS["called"])
    assert recalled(task, memory) is None
