"""In which format numbers are of which nothing is said; and which warnings an author has silenced."""

from __future__ import annotations

from pathlib import Path

import pytest

import nanlint
from nanlint.ops.frameworks import AUTOCAST_TO_HALF
from tests.marked import JAX, NUMPY, said

#: 1 - 1e-10 is 1 in single precision, and not in double precision
BOUND = "def f(p):\n    return np.log(1 - np.clip(p, 1e-10, 1 - 1e-10))\n"
SPREAD = "return (x - x.min()) / (x.max() - x.min())\n"


@pytest.mark.parametrize(
    ("imports", "single"),
    [
        ("import jax.numpy as np\n", True),
        ("import autograd.numpy as np\nfrom autograd import grad\n", False),
        ("import jax\nimport jax.numpy as np\njax.config.update('jax_enable_x64', True)\n", False),
        ("import jax\nimport jax.numpy as np\njax.config.jax_enable_x64 = True\n", False),
        ("import os\nos.environ['JAX_ENABLE_X64'] = '1'\nimport jax.numpy as np\n", False),
        ("import os\nos.environ.update(JAX_ENABLE_X64='true')\nimport jax.numpy as np\n", False),
        ("import jax\nimport jax.numpy as np\nwith jax.enable_x64(True):\n    main()\n", False),
        ("import jax\nimport jax.numpy as np\njax.config.update('jax_enable_x64', False)\n", True),
        ("import os\nos.environ['JAX_ENABLE_X64'] = '0'\nimport jax.numpy as np\n", True),
    ],
)
def test_double_precision_by_import_and_by_switch(imports: str, single: bool) -> None:
    assert ("NL502" in [code for code, _ in said(imports, BOUND)]) == single


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


@pytest.mark.parametrize(
    ("line", "silenced"),
    [
        ("np.seterr(divide='ignore', invalid='ignore')", True),
        ("np.seterr(all='warn')", False),
        ("np.seterr(over='ignore')", False),
        ("np.seterr(all='raise')", True),
        ("warnings.simplefilter('ignore', RuntimeWarning)", True),
        ("warnings.filterwarnings('ignore', category=RuntimeWarning)", True),
        ("warnings.simplefilter('ignore', DeprecationWarning)", False),
        ("warnings.simplefilter('error', RuntimeWarning)", False),
    ],
)
def test_who_silences_the_warning_knows(line: str, silenced: bool) -> None:
    found = said(NUMPY, "import warnings\n", f"def f(x):\n    {line}\n    {SPREAD}")
    assert ([code for code, _ in found] == []) == silenced


@pytest.mark.parametrize(
    ("context", "silenced"),
    [
        ("np.errstate(divide='ignore')", True),
        ("np.errstate(all='raise')", True),
        ("np.errstate(divide=mode)", True),
        ("np.errstate(divide='warn')", False),
        ("np.errstate(over='ignore')", False),
        ("warnings.catch_warnings(action='ignore')", True),
        ("warnings.catch_warnings(action='ignore', category=RuntimeWarning)", True),
        ("warnings.catch_warnings(action='ignore', category=FutureWarning)", False),
        ("warnings.catch_warnings(record=True)", False),
    ],
)
def test_a_block_that_silences_the_warning_says_so(context: str, silenced: bool) -> None:
    block = f"def f(x, mode=None):\n    with {context}:\n        {SPREAD}"
    found = [said(NUMPY, "import warnings\n", block)]
    if "np." in context and "mode" not in context:
        found.append(said(NUMPY, f"@{context}\ndef f(x):\n    {SPREAD}"))
    assert [[code for code, _ in one] == [] for one in found] == [silenced] * len(found)


def test_a_filter_ends_with_its_block() -> None:
    source = (
        "def f(x):\n    with warnings.catch_warnings():\n        warnings.simplefilter('ignore')\n        pass\n    "
    )
    assert [code for code, _ in said(NUMPY, "import warnings\n", source + SPREAD)] == ["NL303"]


def test_of_several_functions_the_one_that_runs_is_differentiated() -> None:
    switch = "def f(x):\n    return jax.lax.switch(jnp.int32(x > 0), [lambda v: 0.0 * v, lambda v: jnp.sqrt(v)], x)\n"
    assert "NL203" not in [code for code, _ in said(JAX, switch, "df = jax.grad(f)\n")]
    where = "def f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0)\n"
    assert "NL203" in [code for code, _ in said(JAX, where, "df = jax.grad(f)\n")]
