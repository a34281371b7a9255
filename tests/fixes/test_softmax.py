"""exp(x) / sum(exp(x)): what it becomes, in each framework and style."""

from __future__ import annotations

import pytest

from tests.fixes.programs import JAX, KERAS, TF, TF1, TORCH, Mend, Shown

SCIPY = "import numpy as np\nfrom scipy.special import softmax\n\n\n"

QUOTIENTS = {
    "torch": (TORCH, "torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)", "torch.softmax(x, dim=-1)"),
    "torch-f": (
        "import torch\nimport torch.nn.functional as F\n\n\n",
        "torch.exp(x) / torch.sum(torch.exp(x), dim=1, keepdim=True)",
        "F.softmax(x, dim=1)",
    ),
    "torch-methods": (TORCH, "x.exp() / x.exp().sum(dim=1, keepdim=True)", "torch.softmax(x, dim=1)"),
    "torch-div": (
        TORCH,
        "torch.div(torch.exp(x), torch.exp(x).sum(-1, keepdim=True))",
        "torch.softmax(x, dim=-1)",
    ),
    "torch-first-axis": (TORCH, "torch.exp(x) / torch.exp(x).sum(0)", "torch.softmax(x, dim=0)"),
    "torch-unsqueeze": (TORCH, "torch.exp(x) / torch.exp(x).sum(-1).unsqueeze(-1)", "torch.softmax(x, dim=-1)"),
    "torch-none": (TORCH, "torch.exp(x) / torch.exp(x).sum(1)[:, None]", "torch.softmax(x, dim=1)"),
    "torch-sum-as-exponent": (TORCH, "torch.exp(x + 1) / torch.exp(x + 1).sum(0)", "torch.softmax(x + 1, dim=0)"),
    "tf": (TF, "tf.exp(x) / tf.reduce_sum(tf.exp(x), axis=-1, keepdims=True)", "tf.nn.softmax(x, axis=-1)"),
    "tf1": (
        TF1,
        "tf.div(tf.exp(x), tf.reduce_sum(tf.exp(x), 1, keepdims=True))",
        "tf.nn.softmax(x, axis=1)",
    ),
    "jax": (JAX, "jnp.exp(x) / jnp.sum(jnp.exp(x), axis=-1, keepdims=True)", "jax.nn.softmax(x, axis=-1)"),
    "scipy": (SCIPY, "np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)", "softmax(x, axis=-1)"),
    "scipy-all": (SCIPY, "np.exp(x) / np.sum(np.exp(x))", "softmax(x)"),
    "keras": (KERAS, "ops.exp(x) / ops.sum(ops.exp(x), axis=-1, keepdims=True)", "ops.softmax(x, axis=-1)"),
}


@pytest.mark.parametrize(("imports", "before", "after"), QUOTIENTS.values(), ids=QUOTIENTS)
def test_quotient_of_exponentials(mend: Mend, imports: str, before: str, after: str) -> None:
    text = f"{imports}def f(x, v):\n    return {before} @ v\n"
    assert mend("NL401", text) == text.replace(before, after)


def test_the_exponentials_may_be_in_variables(mend: Mend) -> None:
    text = f"""{JAX}def attention(q, k, v):
    scores = q @ k.T
    weights = jnp.exp(scores)
    total = jnp.sum(weights, axis=-1, keepdims=True)
    return weights / total @ v
"""
    assert mend("NL401", text) == text.replace("weights / total", "jax.nn.softmax(scores, axis=-1)")


def test_an_augmented_division_becomes_an_assignment(mend: Mend) -> None:
    text = f"{TORCH}def f(x):\n    e = torch.exp(x)\n    e /= e.sum(-1, keepdim=True)\n    return e\n"
    assert mend("NL401", text) == text.replace("e /= e.sum(-1, keepdim=True)", "e = torch.softmax(x, dim=-1)")


FOR_A_PERSON = {
    "a sum of everything": "torch.exp(x) / torch.exp(x).sum()",
    "the axis lost": "torch.exp(x) / torch.exp(x).sum(-1)",
    "the axis put elsewhere": "torch.exp(x) / torch.exp(x).sum(1)[None]",
    "several axes": "torch.exp(x) / torch.exp(x).sum((0, 1), keepdim=True)",
}


@pytest.mark.parametrize("quotient", FOR_A_PERSON.values(), ids=FOR_A_PERSON)
def test_where_the_axis_is_not_certain_the_fix_is_for_display(mend: Mend, shown: Shown, quotient: str) -> None:
    text = f"{TORCH}def f(x):\n    return {quotient}\n"
    assert mend("NL401", text) == text
    assert [a for a, _ in shown("NL401", text)] == ["display"]


def test_an_exponent_that_changed_in_between_is_for_display(mend: Mend) -> None:
    text = f"{TORCH}def f(x):\n    e = torch.exp(x)\n    x = x + 1\n    return e / e.sum(-1, keepdim=True)\n"
    assert mend("NL401", text) == text
