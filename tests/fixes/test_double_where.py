"""Selections that hide a bad branch, and roots at zero: the second selection, in each framework and style."""

from __future__ import annotations

import ast
import re

import pytest

from tests.fixes.programs import JAX, KERAS, TF, TF1, TORCH, Mend, Shown

GUARDED = {
    "torch-division": (TORCH, "torch.where(x != 0, 1 / x, 0.0)", "1 / x", "1 / torch.where(x != 0, x, 1.0)"),
    "torch-other-branch": (TORCH, "torch.where(x == 0, 0.0, 1 / x)", "1 / x", "1 / torch.where(x == 0, 1.0, x)"),
    "torch-log": (
        TORCH,
        "torch.where(x > 0, torch.log(x), 0.0)",
        "torch.log(x)",
        "torch.log(torch.where(x > 0, x, 1.0))",
    ),
    "torch-method": (TORCH, "torch.where(x > 0, x.log(), 0.0)", "x.log()", "torch.where(x > 0, x, 1.0).log()"),
    "torch-power": (TORCH, "torch.where(x > 0, x**0.5, 0.0)", "x**0.5", "torch.where(x > 0, x, 1.0)**0.5"),
    "torch-sum-as-operand": (
        TORCH,
        "torch.where(x > 1, torch.sqrt(x - 1), 0.0)",
        "torch.sqrt(x - 1)",
        "torch.sqrt(torch.where(x > 1, x - 1, 1.0))",
    ),
    "torch-parentheses": (
        TORCH,
        "torch.where(x != 1, 1 / (x - 1), 0.0)",
        "1 / (x - 1)",
        "1 / torch.where(x != 1, x - 1, 1.0)",
    ),
    "torch-exp": (
        TORCH,
        "torch.where(x > 0, x, torch.exp(x) - 1)",
        "torch.exp(x)",
        "torch.exp(torch.where(x > 0, 0.0, x))",
    ),
    "torch-masked-fill": (
        TORCH,
        "x.pow(-1).masked_fill(x == 0, 0.0)",
        "x.pow(-1)",
        "x.masked_fill(x == 0, 1.0).pow(-1)",
    ),
    "tf": (
        TF,
        "tf.where(x > 0, tf.math.log(x), 0.0)",
        "tf.math.log(x)",
        "tf.math.log(tf.where(x > 0, x, tf.ones_like(x)))",
    ),
    "jax": (JAX, "jnp.where(x > 0, jnp.log(x), 0.0)", "jnp.log(x)", "jnp.log(jnp.where(x > 0, x, 1.0))"),
    "jax-power": (
        JAX,
        "jnp.where(x > 0, jnp.power(x, 0.3), 0.0)",
        "jnp.power(x, 0.3)",
        "jnp.power(jnp.where(x > 0, x, 1.0), 0.3)",
    ),
}


@pytest.mark.parametrize(("imports", "expression", "before", "after"), GUARDED.values(), ids=GUARDED)
def test_the_condition_is_repeated_at_the_operand(
    mend: Mend, imports: str, expression: str, before: str, after: str
) -> None:
    mask, name = masked(expression)
    mended = expression.replace(before, after).replace(mask, name)
    named, inline = f"    {name} = {mask}\n    return {mended}", f"    return {expression.replace(before, after)}"
    short = max(map(len, named.split("\n"))) <= 88
    assert mend("NL203", f"{imports}def f(x):\n    return {expression}\n") == (
        f"{imports}def f(x):\n{named if short else inline}\n"
    )


def masked(expression: str) -> tuple[str, str]:
    """The condition of a selection, and what it is called."""
    call = ast.parse(expression, mode="eval").body
    assert isinstance(call, ast.Call)
    text = next(one for one in map(ast.unparse, [*call.args, *(k.value for k in call.keywords)]) if "x" in one)
    names = {"!= 0": "is_nonzero", "== 0": "is_zero", "> 0": "is_positive"}
    return text, next((name for end, name in names.items() if text.endswith(end)), "mask")


LINES = {
    "torch": (TORCH, "torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x)", "/ x", "torch.where(x == 0, 1.0, x)"),
    "tf": (TF, "tf.where(condition=x > 0, x=tf.math.log(x), y=0.0)", "(x)", "tf.where(x > 0, x, tf.ones_like(x))"),
    "tf1": (
        TF1,
        "tf.where(tf.equal(x, 0.0), tf.zeros_like(x), 1.0 / x)",
        "/ x",
        "tf.where(tf.equal(x, 0.0), tf.ones_like(x), x)",
    ),
}


@pytest.mark.parametrize(("imports", "expression", "read", "safe"), LINES.values(), ids=LINES)
def test_a_selection_that_does_not_fit_has_a_line_of_its_own(
    mend: Mend, imports: str, expression: str, read: str, safe: str
) -> None:
    before, after = (
        f"    return {expression}\n",
        f"    safe_x = {safe}\n    return {expression.replace(read, read.replace('x', 'safe_x'))}\n",
    )
    assert mend("NL203", f"{imports}def f(x):\n{before}") == f"{imports}def f(x):\n{after}"


BOUNDS = {
    "torch": (TORCH, "torch.where(x > 1e-3, torch.log(x), 0.0)", "torch.log(x.clamp(min=1e-3))"),
    "torch, the other way round": (TORCH, "torch.where(x <= 1e-3, 0.0, torch.log(x))", "torch.log(x.clamp(min=1e-3))"),
    "jax": (JAX, "jnp.where(1e-6 < x, jnp.log(x), 0.0)", "jnp.log(jnp.maximum(x, 1e-6))"),
    "tf": (TF, "tf.where(x > 1e-6, tf.math.log(x), 0.0)", "tf.math.log(tf.maximum(x, 1e-6))"),
}


@pytest.mark.parametrize(("imports", "expression", "mended"), BOUNDS.values(), ids=BOUNDS)
def test_where_the_condition_is_a_bound_it_is_the_operand_s(
    mend: Mend, imports: str, expression: str, mended: str
) -> None:
    log = re.search(r"[\w.]*log\(x?\)", expression)
    assert log is not None
    text = f"{imports}def f(x):\n    return {expression}\n"
    assert mend("NL203", text) == text.replace(log[0], mended)


def test_a_bound_that_the_operand_may_be_at_is_none(mend: Mend) -> None:
    text = f"{TORCH}def f(x):\n    return torch.where(x >= 1e-3, torch.log(x), 0.0)\n"
    assert "clamp" not in mend("NL203", text) != text


def test_a_condition_in_a_variable_is_used_by_its_name(mend: Mend) -> None:
    text = f"{TORCH}def f(x):\n    ok = x != 0\n    inverse = 1 / x\n    return torch.where(ok, inverse, 0.0)\n"
    assert mend("NL203", text) == text.replace("1 / x", "1 / torch.where(ok, x, 1.0)")


def test_a_mask_that_is_stored_through_is_a_condition(mend: Mend) -> None:
    text = f"{TORCH}def f(x):\n    y = torch.log(x)\n    y[x <= 0] = 0.0\n    return y\n"
    assert mend("NL203", text) == text.replace("torch.log(x)", "torch.log(x.masked_fill(x <= 0, 1.0))")


def test_a_long_condition_gets_a_name(mend: Mend) -> None:
    condition = "torch.greater(x, torch.zeros_like(x, dtype=torch.float32, device=x.device))"
    before = f"{TORCH}def f(x):\n    return torch.where({condition}, torch.log(x), 0.0)\n"
    after = (
        f"{TORCH}def f(x):\n    is_positive = {condition}\n"
        "    return torch.where(is_positive, torch.log(torch.where(is_positive, x, 1.0)), 0.0)\n"
    )
    assert mend("NL203", before) == after


FOR_A_PERSON = {
    "the shape changes on the way": "    return torch.where(x > 0, (1 / x).sum(-1, keepdim=True), 0.0)\n",
    "the condition comes later": "    r = 1 / x\n    x = x + 1\n    return torch.where(x != 0, r, 0.0)\n",
    "the result is used without the guard": "    r = 1 / x\n    return torch.where(x > 0, r, 0.0) + r.abs()\n",
    "the op is in a helper": "    return torch.where(x > 0, root(x), 0.0)\n\n\ndef root(x):\n    return x.sqrt()\n",
}


@pytest.mark.parametrize("body", FOR_A_PERSON.values(), ids=FOR_A_PERSON)
def test_where_the_second_selection_could_mean_something_else_it_is_for_display(
    mend: Mend, shown: Shown, body: str
) -> None:
    text = f"{TORCH}def f(x):\n{body}"
    assert mend("NL203", text) == text
    assert {a for a, _ in shown("NL203", text)} <= {"display"}


ROOTS = {
    "torch": (
        TORCH,
        "    x = torch.softmax(x, -1)\n    return torch.sqrt(x)\n",
        "    x = torch.softmax(x, -1)\n    return torch.sqrt(x.masked_fill(x == 0, 1.0)).masked_fill(x == 0, 0.0)\n",
    ),
    "torch-method": (
        TORCH,
        "    x = torch.softmax(x, -1)\n    return 1 + x.sqrt()\n",
        "    x = torch.softmax(x, -1)\n    return 1 + x.masked_fill(x == 0, 1.0).sqrt().masked_fill(x == 0, 0.0)\n",
    ),
    "torch-hoisted": (
        TORCH,
        "    return torch.sqrt(torch.softmax(x, -1)).sum()\n",
        "    radicand = torch.softmax(x, -1)\n"
        "    return torch.sqrt(radicand.masked_fill(radicand == 0, 1.0)).masked_fill(radicand == 0, 0.0).sum()\n",
    ),
    "tf": (
        TF,
        "    x = tf.nn.relu(x)\n    return tf.sqrt(x)\n",
        "    x = tf.nn.relu(x)\n    return tf.where(tf.not_equal(x, 0), "
        "tf.sqrt(tf.where(tf.not_equal(x, 0), x, tf.ones_like(x))), tf.zeros_like(x))\n",
    ),
    "jax": (
        JAX,
        "    x = jnp.maximum(x, 0)\n    return jnp.sqrt(x)\n",
        "    x = jnp.maximum(x, 0)\n    return jnp.where(x != 0, jnp.sqrt(jnp.where(x != 0, x, 1.0)), 0.0)\n",
    ),
    "keras": (
        KERAS,
        "    x = ops.relu(x)\n    return ops.sqrt(x)\n",
        "    x = ops.relu(x)\n    return ops.where(x != 0, ops.sqrt(ops.where(x != 0, x, 1.0)), 0.0)\n",
    ),
}


@pytest.mark.parametrize(("imports", "before", "after"), ROOTS.values(), ids=ROOTS)
def test_a_root_without_a_guard_gets_one(mend: Mend, imports: str, before: str, after: str) -> None:
    assert mend("NL201", f"{imports}def f(x):\n{before}", fix_style="exact") == f"{imports}def f(x):\n{after}"


def test_a_power_of_0_is_0_only_for_a_positive_exponent(shown: Shown) -> None:
    module = (
        "from torch import nn\n\n\nclass Power(nn.Module):\n    def __init__(self, p):\n        super().__init__()\n"
    )
    module += "        self.p = nn.Parameter(torch.as_tensor(p))\n\n    def forward(self, x: torch.Tensor):\n"
    for exponent, expected in (("self.p", "display"), ("torch.sigmoid(self.p) + 0.1", "safe"), ("0.5", "safe")):
        text = f"import torch\n{module}        return torch.abs(x) ** ({exponent})\n"
        assert [applicability for applicability, _ in shown("NL206", text, fix_style="exact")] == [expected], exponent


def test_parentheses_that_a_selection_does_not_need_go(mend: Mend) -> None:
    text = "import torch\n\n\ndef f(x, y):\n    return ((x - y) ** 2 * 2).sqrt()\n"
    after = mend("NL201", text, fix_style="exact")
    assert "radicand = (x - y) ** 2 * 2" in after
    assert "radicand.masked_fill(radicand == 0, 1.0).sqrt().masked_fill(radicand == 0, 0.0)" in after
