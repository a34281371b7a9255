"""Comparisons with NaN become tests for it: True exactly where x is NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.fixes.executing import outcomes
from tests.fixes.programs import Mend, Shown
from tests.fixes.proving import repaired
from tests.fixes.styles import IMPORTS

#: framework and a comparison of x, a computed array, with NaN
COMPARISONS = {
    "torch": ("torch", 'x == float("nan")'),
    "torch-not": ("torch", "x != torch.nan"),
    "torch-function": ("torch", "torch.eq(x, torch.nan)"),
    "torch-ne": ("torch", "torch.ne(x, torch.nan)"),
    "tf": ("tensorflow", 'x == float("nan")'),
    "tf-not": ("tensorflow", 'x != float("nan")'),
    "tf-function": ("tensorflow", 'tf.equal(x, float("nan"))'),
    "jax": ("jax", "jnp.nan == x"),
    "jax-not": ("jax", "jnp.not_equal(x, jnp.nan)"),
    "keras": ("keras", 'ops.equal(x, float("nan"))'),
    "keras-not": ("keras", 'ops.not_equal(x, float("nan"))'),
    "numpy": ("numpy", "np.nan == x"),
    "numpy-not": ("numpy", "x != np.nan"),
    "numpy-function": ("numpy", "np.equal(x, np.nan)"),
}
MAKE = {
    "torch": "torch.tensor(x) * 1",
    "tensorflow": "tf.constant(x) * 1",
    "keras": "ops.convert_to_tensor(x) * 1",
    "jax": "jnp.array(x) * 1",
    "numpy": "np.array(x) * 1",
}


@pytest.mark.parametrize(("framework", "comparison"), COMPARISONS.values(), ids=COMPARISONS)
def test_the_mended_comparison_finds_nan(framework: str, comparison: str) -> None:
    header = "\n".join(IMPORTS[framework].values())
    text = f"{header}\n\n\ndef f(x):\n    x = {MAKE[framework]}\n    return {comparison}\n"
    negated = "!=" in comparison or "ne(" in comparison or "not_equal" in comparison
    x = np.array([0.0, -0.0, 1.0, -2.5, 1e-45, 3e38, math.inf, -math.inf, math.nan, -math.nan], "float32")
    (outcome,) = outcomes(framework, repaired("NL505", text), [[x]], plain=True)
    assert outcome is not None
    assert outcome[0].tolist() == [math.isnan(one) is not negated for one in x]


def test_only_unsafe_fixes_change_what_a_test_says(mend: Mend) -> None:
    text = "import numpy as np\n\n\ndef f(x):\n    return 0 if x == np.nan else x\n"
    assert mend("NL505", text) == text
    assert mend("NL505", text, unsafe=True) == text.replace("x == np.nan", "np.isnan(x)")


def test_what_is_compared_with_a_nameless_nan_may_be_anything(shown: Shown) -> None:
    assert shown("NL505", 'import torch\n\n\ndef f(x):\n    return x == float("nan")\n') == [("display", "isnan(x)")]
