"""In which format numbers are of which nothing is said; and which warnings an author has silenced."""

from __future__ import annotations

from pathlib import Path

import pytest

import nanlint
from nanlint.ops.frameworks import AUTOCAST_TO_HALF

#: 1 - 1e-10 is 1 in single precision, and not in double precision
BOUND = "def f(p):\n    return np.log(1 - np.clip(p, 1e-10, 1 - 1e-10))\n"


def test_frameworks_compute_as_it_is_said() -> None:
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    assert jnp.asarray(1.0).dtype == "float32"
    autograd = pytest.importorskip("autograd.numpy", reason="autograd is not installed")
    assert autograd.array(1.0).dtype == "float64"


def test_autocast_computes_products_in_half_precision() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = {"linear": torch.nn.functional.linear(x, x), "dot": x @ x, "einsum": torch.einsum("ij,jk->ik", x, x)}
    assert {op for op, result in made.items() if result.dtype == torch.bfloat16} == AUTOCAST_TO_HALF


@pytest.mark.parametrize(("path", "single"), [("pkg/__init__.py", False), ("tests/conftest.py", True)])
def test_a_switch_elsewhere_in_the_project(tmp_path: Path, path: str, single: bool) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'pkg'\n", encoding="utf-8")
    for name in ("pkg", "tests"):
        (tmp_path / name).mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("", encoding="utf-8")
    switch = "import jax\njax.config.update('jax_enable_x64', True)\n"
    (tmp_path / path).write_text(switch, encoding="utf-8")
    file = tmp_path / "pkg" / "loss.py"
    file.write_text("import jax.numpy as np\n" + BOUND, encoding="utf-8")
    found = nanlint.check_paths([str(file)]).diagnostics
    assert ("NL502" in [one.code for one in found]) == single
