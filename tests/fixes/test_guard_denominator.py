"""Denominators that reach 0: what guards them, in each framework and style."""

from __future__ import annotations

import pytest

import nanlint
from tests.fixes.programs import JAX, KERAS, NUMPY, TF, TORCH, Mend, Shown

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
def test_a_count(mend: Mend, imports: str, before: str, after: str, mask: str) -> None:
    text = f"{imports}def pool(x, ids):\n    m = {mask}\n    return {before}\n"
    assert mend("NL301", text, confidence="possible") == text.replace(before, after)


VALUES = {
    "torch": (
        TORCH,
        "    d = torch.relu(d).sum()\n    return x / d\n",
        "    d = torch.relu(d).sum()\n    return x / d.masked_fill(d == 0, 1.0)\n",
    ),
    "torch-augmented": (
        TORCH,
        "    d = torch.relu(d).sum()\n    x /= d\n    return x\n",
        "    d = torch.relu(d).sum()\n    x /= d.masked_fill(d == 0, 1.0)\n    return x\n",
    ),
    "torch-reciprocal": (
        TORCH,
        "    d = torch.relu(d).sum()\n    return x * d.reciprocal()\n",
        "    d = torch.relu(d).sum()\n    return x * d.masked_fill(d == 0, 1.0).reciprocal()\n",
    ),
    "torch-hoisted": (
        TORCH,
        "    return x / torch.relu(d).sum()  # scaled\n",
        "    denominator = torch.relu(d).sum()\n"
        "    return x / denominator.masked_fill(denominator == 0, 1.0)  # scaled\n",
    ),
    "torch-method": (
        "from torch import relu\n\n\n",
        "    d = relu(d).sum()\n    return x / d\n",
        "    d = relu(d).sum()\n    return x / d.masked_fill(d == 0, 1.0)\n",
    ),
    "jax-import-added": (
        "from jax.nn import relu\n\n\n",
        "    d = relu(d).sum()\n    return x / d\n",
        None,
    ),
    "tf": (
        TF,
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return tf.square(x) / d\n",
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return tf.math.divide_no_nan(tf.square(x), d)\n",
    ),
    "tf-one-over": (
        TF,
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return x * (1.0 / d)\n",
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return x * tf.math.reciprocal_no_nan(d)\n",
    ),
    "tf-two-over": (
        TF,
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return x * (2.0 / d)\n",
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    return x * (2.0 / tf.where(tf.equal(d, 0), tf.ones_like(d), d))\n",
    ),
    "tf-augmented": (
        TF,
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    x /= d\n    return x\n",
        "    d = tf.reduce_sum(tf.nn.relu(d))\n    x = tf.math.divide_no_nan(x, d)\n    return x\n",
    ),
    "jax": (
        JAX,
        "    d = jnp.maximum(d, 0).sum()\n    return x / d\n",
        "    d = jnp.maximum(d, 0).sum()\n    return x / jnp.where(d == 0, 1.0, d)\n",
    ),
    "keras": (
        KERAS,
        "    d = ops.sum(ops.relu(d))\n    return x / d\n",
        "    d = ops.sum(ops.relu(d))\n    return ops.divide_no_nan(x, d)\n",
    ),
}


@pytest.mark.parametrize(("imports", "before", "after"), VALUES.values(), ids=VALUES)
def test_a_value(mend: Mend, imports: str, before: str, after: str | None) -> None:
    if after is None:
        after = before.replace("x / d", "x / jnp.where(d == 0, 1.0, d)")
        expected = f"import jax.numpy as jnp\n{imports}def f(x, d):\n{after}"
    else:
        expected = f"{imports}def f(x, d):\n{after}"
    text = f"{imports}def f(x, d):\n{before}"
    assert mend("NL301", text, confidence="possible") == text, "an infinity may be meant"
    assert mend("NL301", text, unsafe=True, confidence="possible") == expected


def test_of_a_number_that_is_infinite_over_0_only_its_author_knows(
    shown: Shown,
) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, d: torch.Tensor):\n    d = torch.relu(d)\n    return x / d\n"
    assert shown("NL303", text) == [("display", "d.masked_fill(d == 0, 1.0)")]


#: a quotient of x and y; whether data is divided by what is gathered from it, or an average is taken of nothing
QUOTIENTS = {
    "(x * (y > 0)).sum() / (y > 0).sum()": True,
    "(x * torch.relu(y)).sum() / torch.relu(y).sum()": False,
    "((x - x.mean()) ** 3).mean() / x.var(correction=0)": False,
    "x.abs().mean() ** 2 / (x ** 2).mean()": False,
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
def test_safe_is_what_has_no_infinity(shown: Shown, quotient: str) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, y: torch.Tensor):\n    return {quotient}\n"
    offered = {
        one
        for rule in ("NL301", "NL302", "NL303")
        for one, _ in shown(rule, text, confidence="possible", fix_style="exact")
    }
    assert offered == {"safe"} if QUOTIENTS[quotient] else "safe" not in offered


#: quotients of functions of one number, which tend to another where both are 0
LIMITS = [
    "torch.expm1(-torch.relu(x)) / torch.relu(x) + 1",
    "torch.log1p(x.norm()) / x.norm()",
    "torch.sin(x.norm()) / x.norm()",
    "x / x.abs()",
]


@pytest.mark.parametrize("quotient", LIMITS)
def test_where_the_quotient_has_a_limit_it_is_only_shown(shown: Shown, quotient: str) -> None:
    text = f"{TORCH}def f(x: torch.Tensor):\n    return {quotient}\n"
    offered = [
        one
        for rule in ("NL301", "NL302", "NL303")
        for one in shown(rule, text, confidence="possible", fix_style="exact")
    ]
    assert {(safety, "limit" in after) for safety, after in offered} == {("display", True)}


def test_rows_that_are_constant_need_not_be_equal(shown: Shown) -> None:
    within = "np.mean(np.var(x, axis=1), axis=0)"
    between = "np.var(np.mean(x, axis=1), axis=0)"
    text = f"{NUMPY}def ratio(x: np.ndarray):\n    return {between} / {within}\n"
    assert [safety for safety, _ in shown("NL301", text, confidence="possible", fix_style="exact")] == ["unsafe"]
    rows = "(x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)"
    text = f"{NUMPY}def f(x: np.ndarray):\n    return {rows}\n"
    assert [safety for safety, _ in shown("NL302", text, confidence="possible", fix_style="exact")] == ["safe"]


#: what goes on with a normalised x, and whether that breaks at the 0 that it becomes
FURTHER = {
    "y / z.norm()": True,
    "y / (z.norm() + 1e-3)": False,
    "y / torch.where(z.norm() == 0, 1.0, z.norm())": False,
    "y * torch.exp(z)": False,
    "torch.log((z ** 2).sum())": True,
}


@pytest.mark.parametrize("onward", FURTHER)
def test_a_zero_that_leads_to_the_next_nan_is_only_shown(shown: Shown, onward: str) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, y: torch.Tensor):\n    z = x / x.norm()\n    return {onward}\n"
    assert shown("NL302", text, confidence="possible")[0][0] == ("display" if FURTHER[onward] else "safe")


#: programs whose denominator is not known to be an array of the framework
NOT_ARRAYS = {
    "anything": f"{TORCH}def f(x: torch.Tensor, d):\n    return x / (d[1:] - d[:-1])\n",
    "a number": f"{TORCH}def f(x: torch.Tensor, d):\n    return x / max(float(d), 0.0)\n",
    "an array of another": (
        "import numpy as np\nimport torch\n\n\n"
        "def f(x: torch.Tensor, t):\n    t = t.cpu().numpy()\n    return x / (t - t[0])\n"
    ),
    "compiled": (
        "import numpy as np\nfrom numba import njit\n\n\n"
        "@njit\ndef f(x: np.ndarray, d: np.ndarray):\n    return x / np.maximum(d, 0)\n"
    ),
}


@pytest.mark.parametrize("text", NOT_ARRAYS.values(), ids=NOT_ARRAYS)
def test_a_selection_is_only_shown_for_what_may_be_no_array(mend: Mend, text: str) -> None:
    found = nanlint.check_source(text, select=["NL303"], confidence="possible")
    assert [str(one.fix.applicability) for one in found if one.fix is not None] == ["display"] * len(found)
    assert found
    assert mend("NL303", text, unsafe=True, confidence="possible") == text


def test_an_array_of_numpy_is_one_in_a_file_of_torch(mend: Mend) -> None:
    imports = "import numpy as np\nimport torch\n\n\n"
    text = f"{imports}def f(x, t):\n    t = t.cpu().numpy()\n    d = np.abs(t).sum()\n    return 1 / d\n"
    after = text.replace("1 / d", "1 / np.where(d == 0, 1.0, d)")
    assert mend("NL301", text, unsafe=True, confidence="possible") == after


def test_a_long_denominator_with_no_room_for_a_name_is_for_display(mend: Mend, shown: Shown) -> None:
    text = f"{TORCH}def f(x, d):\n    return lambda t: x / torch.relu(t + x.mean() + d.mean() + 1234567890)\n"
    assert mend("NL303", text, unsafe=True) == text
    assert shown("NL303", text) == [("display", "denominator.masked_fill(denominator == 0, 1.0)")]


NOT_CERTAINLY_TENSORS = {
    "a sum of anything": ("return k / sum(m == k)", "display", "sum(m == k).clamp(min=1)"),
    "a Python number": ("return x / (m == k).sum().item()", "unsafe", "max((m == k).sum().item(), 1)"),
    "one or the other": (
        "n = x.numel()\n    if k:\n        n = torch.sum(m == k)\n    return x / n",
        "display",
        "n or 1",
    ),
}


@pytest.mark.parametrize(("body", "applicability", "after"), NOT_CERTAINLY_TENSORS.values(), ids=NOT_CERTAINLY_TENSORS)
def test_only_what_is_certainly_a_tensor_is_clamped_unasked(
    shown: Shown, body: str, applicability: str, after: str
) -> None:
    text = f"{TORCH}def f(x: torch.Tensor, m, k):\n    {body}\n"
    assert shown("NL301", text) == [(applicability, after)]


def test_what_occurrences_weigh_is_no_count(shown: Shown) -> None:
    counted = f"{NUMPY}def f(k: np.ndarray, w: np.ndarray):\n    n = np.bincount(k)\n    return w / n\n"
    assert shown("NL301", counted) == [("unsafe", "np.maximum(n, 1)")]
    weighed = counted.replace("np.bincount(k)", "np.bincount(k, weights=w)")
    assert shown("NL301", weighed) == [("unsafe", "np.where(n == 0, 1.0, n)")]


def test_a_deviation_that_is_nan_of_one_element_is_no_divisor(mend: Mend) -> None:
    text = "import torch\n\n\ndef f(x):\n    std = x.std(0{})\n    return (x - x.mean(0)) / std\n"
    assert "torch.where(std > 0, std, 1.0)" in mend("NL302", text.format(""), confidence="possible")
    assert "std.masked_fill(std == 0, 1.0)" in mend("NL302", text.format(", unbiased=False"), confidence="possible")


def test_an_integer_divisor_stays_one(shown: Shown) -> None:
    text = "import numpy as np\n\n\ndef f(x, ids):\n    return np.bincount(ids, x) / (np.bincount(ids) * 2)\n"
    assert shown("NL303", text) == [("display", "np.maximum(np.bincount(ids) * 2, 1)")]


def test_a_function_of_what_it_is_divided_by_has_a_limit_there(
    shown: Shown,
) -> None:
    text = """\
        import torch


        def step(h, eta):
            rate = torch.relu(h) * (eta + 1)
            return rate.neg().expm1() / rate
    """
    [(applicability, display)] = shown("NL303", text)
    assert applicability == "display"
    assert display.startswith("torch.where(rate == 0, limit,")


def test_a_count_that_is_only_divided_by_is_bound_where_it_is_made(mend: Mend) -> None:
    divided = "    n = (mask > 0).sum()\n    return (x * mask).sum() / n + (y * mask).sum() / n\n"
    for kept, expected in (("", "n = (mask > 0).sum().clamp(min=1)"), ("    print(n)\n", "/ n.clamp(min=1) +")):
        body = divided.replace("    return", f"{kept}    return")
        text = f"{TORCH}def f(x: torch.Tensor, y, mask: torch.Tensor):\n{body}"
        assert expected in mend("NL301", text, unsafe=True, confidence="possible")
