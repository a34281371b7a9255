"""What says that something is an array: of Python numbers, 0 as a divisor raises and makes no infinity."""

from __future__ import annotations

import pytest

from tests.marked import JAX, NUMPY, TORCH, said

ELSEWHERE = "import math\nfrom elsewhere import folder, number, text, wrapped\n\n\n"


@pytest.mark.parametrize(
    "before",
    [
        "lowest = torch.amin(y)",
        "lowest = y.abs()",
        "wide = y[:, None]",
        "last = y[..., -1]",
        "chosen = y[x > 0]",
        "n = y.shape[0]",
        "kind = y.dtype",
        "made = x @ y",
        "total = (1 - y).sum()",
        "total = (2 / y).sum()",
        "first = y[:3]",
        "assert isinstance(y, torch.Tensor)",
    ],
)
def test_what_is_used_as_an_array_is_one(before: str) -> None:
    source = f"{TORCH}\n\ndef scaled(x, y):\n    {before}\n    return x / y\n"
    assert said(source)
    assert said(source.replace(before, "pass")) == []


def test_what_is_used_as_an_array_anywhere_is_one_wherever_it_is_read() -> None:
    source = """

class Scaled:
    def of(self, x):
        n = {}
        return x / self.width
"""
    assert said(TORCH + source.format("self.width.shape[0]"))
    assert said(TORCH + source.format("self.length.shape[0]")) == []


def test_a_column_of_a_table_is_an_array() -> None:
    source = "import pandas as pd\n\n\ndef error(table: pd.DataFrame):\n    return table['x'] / table['y']\n"
    assert said(source)
    assert said(source.replace(": pd.DataFrame", "")) == []


@pytest.mark.parametrize(
    ("given", "array"), [("Array", True), ("float", False), ("Array = 2", False), ("float = 2", False)]
)
def test_an_annotation_tells_an_array_from_a_number_and_a_default_is_believed(given: str, array: bool) -> None:
    assert bool(said(f"{JAX}\n\ndef scaled(x, width: {given}):\n    return jnp.exp(x) / width\n")) is array


@pytest.mark.parametrize(
    "body",
    [
        "return path / text(x)",
        "return folder(x) / path",
        "inside = path / x\n    return inside.exists()",
        "return x / number(y)",
        "return 1 / (x + number(y))",
        "return wrapped(x) ** y",
        "rate = 2 * x / (y + 1)\n    return 1 / rate",
        "return x / y.processes",
        "return np.cumsum(x) / y",
        "return np.cumsum(x) / np.asarray(y)",
        "return np.cumsum(x) / number()",
        "return np.cumsum(x) / (1 + math.sqrt(y[:3].sum()))",
        "state = {'step': y, 'average': np.zeros(3)}\n    return np.cumsum(x) / (1 - state['step'])",
        "for i in range(3):\n        x = x / y['scale']\n    return x",
    ],
)
def test_of_what_nothing_says_that_it_is_an_array_nothing_is_said(body: str) -> None:
    assert said(f"{NUMPY}{ELSEWHERE}def made(path, x, y):\n    {body}\n") == []


def test_a_method_that_only_arrays_have_is_called_on_arrays() -> None:
    """Whatever the file imports: numbers, texts, paths and containers have no norm."""
    source = f"{NUMPY}\n\ndef shown(x):\n    x = x.squeeze(0)\n    return x / x.norm()\n"
    assert said(source)
    assert said(source.replace("x.squeeze(0)", "x.strip()").replace("x.norm()", "x.lower()")) == []


@pytest.mark.parametrize(("exponent", "negative"), [("1 - y", True), ("-y", True), ("y", False), ("step(y)", False)])
def test_a_power_is_negative_where_something_says_so(exponent: str, negative: bool) -> None:
    power = f"@torch.no_grad()\ndef decayed(x: torch.Tensor, y):\n    return x ** ({exponent})\n"
    source = f"{TORCH}from elsewhere import step\n\n\n{power}"
    assert bool(said(source)) is negative
