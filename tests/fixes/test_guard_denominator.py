"""Denominators that reach 0: what guards them, in each framework and style."""

from __future__ import annotations

from collections.abc import Callable

import pytest

TORCH = "import torch\n\n\n"
TF = "import tensorflow as tf\n\n\n"
JAX = "import jax.numpy as jnp\n\n\n"
NUMPY = "import numpy as np\n\n\n"
KERAS = "from keras import ops\n\n\n"

COUNTS = {
    "torch": (TORCH, "(x * m).sum(1) / m.sum(1)", "(x * m).sum(1) / m.sum(1).clamp(min=1)", "(ids != 0).float()"),
    "torch-div": (
        TORCH,
        "torch.div((x * m).sum(), m.sum())",
        "torch.div((x * m).sum(), m.sum().clamp(min=1))",
        "(ids != 0).float()",
    ),
    "torch-method": (
        TORCH,
        "(x * m).sum().div(m.sum())",
        "(x * m).sum().div(m.sum().clamp(min=1))",
        "(ids != 0).float()",
    ),
    "jax": (
        JAX,
        "jnp.sum(x * m) / jnp.sum(m)",
        "jnp.sum(x * m) / jnp.maximum(jnp.sum(m), 1)",
        "(ids != 0).astype(float)",
    ),
    "numpy": (NUMPY, "np.sum(x * m) / np.sum(m)", "np.sum(x * m) / np.maximum(np.sum(m), 1)", "ids != 0"),
    "tf": (
        TF,
        "tf.reduce_sum(x * m) / tf.reduce_sum(m)",
        "tf.math.divide_no_nan(tf.reduce_sum(x * m), tf.reduce_sum(m))",
        "tf.cast(tf.not_equal(ids, 0), tf.float32)",
    ),
    "tf-divide": (
        TF,
        "tf.divide(tf.reduce_sum(x * m), tf.reduce_sum(m))",
        "tf.math.divide_no_nan(tf.reduce_sum(x * m), tf.reduce_sum(m))",
        "tf.cast(tf.not_equal(ids, 0), tf.float32)",
    ),
    "keras": (
        KERAS,
        "ops.sum(x * m) / ops.sum(m)",
        "ops.divide_no_nan(ops.sum(x * m), ops.sum(m))",
        'ops.cast(ops.not_equal(ids, 0), "float32")',
    ),
}


@pytest.mark.parametrize(("imports", "before", "after", "mask"), COUNTS.values(), ids=COUNTS)
def test_a_count(mend: Callable[..., str], imports: str, before: str, after: str, mask: str) -> None:
    text = f"{imports}def pool(x, ids):\n    m = {mask}\n    return {before}\n"
    assert mend("NL301", text, confidence="possible") == text.replace(before, after)


VALUES = {
    "torch": (
        TORCH,
        "    d = torch.relu(d)\n    return x / d\n",
        "    d = torch.relu(d)\n    return x / torch.where(d == 0, 1.0, d)\n",
    ),
    "torch-augmented": (
        TORCH,
        "    d = torch.relu(d)\n    x /= d\n    return x\n",
        "    d = torch.relu(d)\n    x /= torch.where(d == 0, 1.0, d)\n    return x\n",
    ),
    "torch-reciprocal": (
        TORCH,
        "    d = torch.relu(d)\n    return x * d.reciprocal()\n",
        "    d = torch.relu(d)\n    return x * torch.where(d == 0, 1.0, d).reciprocal()\n",
    ),
    "torch-hoisted": (
        TORCH,
        "    return x / torch.relu(d)  # scaled\n",
        "    denominator = torch.relu(d)\n    return x / torch.where(denominator == 0, 1.0, denominator)  # scaled\n",
    ),
    "torch-difference": (
        TORCH,
        "    p = torch.sigmoid(x)\n    return p / (1 - p)\n",
        "    p = torch.sigmoid(x)\n    denominator = 1 - p\n"
        "    return p / torch.where(denominator == 0, 1.0, denominator)\n",
    ),
    "torch-import-added": (
        "from torch import relu\n\n\n",
        "    d = relu(d)\n    return x / d\n",
        None,
    ),
    "tf": (
        TF,
        "    d = tf.nn.relu(d)\n    return tf.square(x) / d\n",
        "    d = tf.nn.relu(d)\n    return tf.math.divide_no_nan(tf.square(x), d)\n",
    ),
    "tf-one-over": (
        TF,
        "    d = tf.nn.relu(d)\n    return x * (1.0 / d)\n",
        "    d = tf.nn.relu(d)\n    return x * tf.math.reciprocal_no_nan(d)\n",
    ),
    "tf-two-over": (
        TF,
        "    d = tf.nn.relu(d)\n    return x * (2.0 / d)\n",
        "    d = tf.nn.relu(d)\n    return x * (2.0 / tf.where(tf.equal(d, 0), tf.ones_like(d), d))\n",
    ),
    "tf-augmented": (
        TF,
        "    d = tf.nn.relu(d)\n    x /= d\n    return x\n",
        "    d = tf.nn.relu(d)\n    x = tf.math.divide_no_nan(x, d)\n    return x\n",
    ),
    "jax": (
        JAX,
        "    d = jnp.maximum(d, 0)\n    return x / d\n",
        "    d = jnp.maximum(d, 0)\n    return x / jnp.where(d == 0, 1.0, d)\n",
    ),
    "keras": (
        KERAS,
        "    d = ops.relu(d)\n    return x / d\n",
        "    d = ops.relu(d)\n    return ops.divide_no_nan(x, d)\n",
    ),
}


@pytest.mark.parametrize(("imports", "before", "after"), VALUES.values(), ids=VALUES)
def test_a_value(mend: Callable[..., str], imports: str, before: str, after: str | None) -> None:
    if after is None:
        after = before.replace("x / d", "x / torch.where(d == 0, 1.0, d)")
        expected = f"import torch\n{imports}def f(x, d):\n{after}"
    else:
        expected = f"{imports}def f(x, d):\n{after}"
    text = f"{imports}def f(x, d):\n{before}"
    assert mend("NL303", text) == text, "an infinity may be meant"
    assert mend("NL303", text, unsafe=True) == expected


#: a quotient of x and y; whether its numerator is 0 wherever its denominator is
QUOTIENTS = {
    "x / x.norm()": True,
    "x / x.norm(dim=-1, keepdim=True)": True,
    "2 * x / x.norm(dim=-1, keepdim=True)": True,
    "x / torch.sqrt((x ** 2).sum(-1, keepdim=True))": True,
    "(x - x.mean()) / x.std(correction=0)": True,
    "(x - x.mean(-1, keepdim=True)) / x.std(-1, correction=0, keepdim=True)": True,
    "(x - x.min()) / (x.max() - x.min())": True,
    "x.abs() / x.abs().max()": True,
    "(x - y).abs() / (x.abs() + y.abs())": True,
    "torch.relu(x) / (torch.relu(x) + torch.relu(y))": True,
    "y / x.norm()": False,
    "1 / x.norm()": False,
    "(x + y) / x.norm()": False,
    "(x - x.mean()) / x.std(-1, correction=0, keepdim=True)": False,
    "(y - y.mean()) / x.std(correction=0)": False,
    "x / x.std(correction=0)": False,
    "(x - y.min()) / (x.max() - x.min())": False,
    "x / torch.relu(x).max()": False,
}


@pytest.mark.parametrize("quotient", QUOTIENTS)
def test_safe_is_what_has_no_infinity(shown: Callable[[str, str], list[tuple[str, str]]], quotient: str) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, y: torch.Tensor):\n    return {quotient}\n"
    offered = {one for rule in ("NL301", "NL302", "NL303") for one, _ in shown(rule, text)}
    assert offered == {"safe" if QUOTIENTS[quotient] else "unsafe"}


def test_a_long_denominator_with_no_room_for_a_name_is_for_display(
    mend: Callable[..., str], shown: Callable[[str, str], list[tuple[str, str]]]
) -> None:
    text = f"{TORCH}def f(x, d):\n    return lambda t: x / torch.relu(t + x.mean() + d.mean() + 1234567890)\n"
    assert mend("NL303", text, unsafe=True) == text
    assert shown("NL303", text) == [("display", "torch.where(denominator == 0, 1.0, denominator)")]


NOT_CERTAINLY_TENSORS = {
    "a sum of anything": ("return k / sum(m == k)", "unsafe", "sum(m == k).clamp(min=1)"),
    "a Python number": ("return x / (m == k).sum().item()", "unsafe", "max((m == k).sum().item(), 1)"),
    "one or the other": (
        "n = x.numel()\n    if k:\n        n = torch.sum(m == k)\n    return x / n",
        "display",
        "n or 1",
    ),
}


@pytest.mark.parametrize(("body", "applicability", "after"), NOT_CERTAINLY_TENSORS.values(), ids=NOT_CERTAINLY_TENSORS)
def test_only_what_is_certainly_a_tensor_is_clamped_unasked(
    shown: Callable[[str, str], list[tuple[str, str]]], body: str, applicability: str, after: str
) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, m, k):\n    {body}\n"
    assert shown("NL301", text) == [(applicability, after)]


def test_what_occurrences_weigh_is_no_count(shown: Callable[[str, str], list[tuple[str, str]]]) -> None:
    counted = f"{NUMPY}def f(k: np.ndarray, w: np.ndarray):\n    n = np.bincount(k)\n    return w / n\n"
    assert shown("NL301", counted) == [("unsafe", "np.maximum(n, 1)")]
    weighed = counted.replace("np.bincount(k)", "np.bincount(k, weights=w)")
    assert shown("NL301", weighed) == [("unsafe", "np.where(n == 0, 1.0, n)")]
