"""The forms of fixes that may have several: which one is chosen, and that each is finite where the original is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import nanlint
from nanlint.config import ConfigError
from tests.fixes.executing import Array, outcomes
from tests.fixes.styles import IMPORTS

#: rule, framework, body -> what is written by default, and for each of the styles where that is something else
FORMS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "sum of squares": (
        "NL201",
        "torch",
        "return torch.sqrt(torch.sum(x**2, dim=-1, keepdim=True)) * y",
        {"short": "return torch.linalg.vector_norm(x, dim=-1, keepdim=True) * y"},
    ),
    "mean of squares": (
        "NL201",
        "torch",
        "return (x * y).pow(2).mean().sqrt()",
        {
            "short": "return (x * y).pow(2).mean().clamp(min=1e-12).sqrt()",
            "helper": "return _safe_sqrt((x * y).pow(2).mean())",
        },
    ),
    "a name": (
        "NL201",
        "jax",
        "z = jnp.maximum(x, 0)\n    return jnp.sqrt(z) + y",
        {
            "short": "return jnp.where(z != 0, jnp.sqrt(jnp.where(z != 0, z, 1.0)), 0.0) + y",
            "epsilon": "return jnp.sqrt(jnp.maximum(z, 1e-12)) + y",
            "helper": "return _safe_sqrt(z) + y",
        },
    ),
    "a root in TensorFlow": (
        "NL201",
        "tensorflow",
        "return tf.sqrt(tf.reduce_sum(x**2, axis=-1)) * tf.reduce_sum(y)",
        {
            "short": "return tf.sqrt(tf.maximum(tf.reduce_sum(x**2, axis=-1), 1e-12)) * tf.reduce_sum(y)",
            "helper": "return _safe_sqrt(tf.reduce_sum(x**2, axis=-1)) * tf.reduce_sum(y)",
        },
    ),
    "a norm": (
        "NL202",
        "jax",
        "return jnp.linalg.norm(x - y, axis=-1)",
        {"short": "return jnp.sqrt(jnp.maximum(jnp.sum(jnp.square(x - y), axis=-1), 1e-12))"},
    ),
    "a norm in TensorFlow": (
        "NL202",
        "tensorflow",
        "return tf.norm(x - y, axis=-1)",
        {"short": "return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x - y), axis=-1), 1e-12))"},
    ),
    "a deviation": (
        "NL207",
        "jax",
        "return jnp.std(x * y, axis=-1)",
        {"epsilon": "return jnp.sqrt(jnp.var(x * y, axis=-1) + 1e-12)"},
    ),
    "a normalised vector": (
        "NL302",
        "torch",
        "return (x * y) / (x * y).norm(dim=-1, keepdim=True)",
        {"short": "return F.normalize(x * y, dim=-1, eps=1e-7)"},
    ),
    "a sum": (
        "NL301",
        "torch",
        "w = torch.relu(x)\n    return (w * y).sum() / w.sum()",
        {"epsilon": "return (w * y).sum() / w.sum().clamp(min=1e-7)"},
    ),
}
STYLES = ("short", "exact", "epsilon", "helper")


def program(framework: str, body: str) -> str:
    return "\n".join(IMPORTS[framework].values()) + f"\n\n\ndef f(x, y):\n    {body}\n"


def mended(case: str, style: str) -> str:
    code, framework, body, _ = FORMS[case]
    options = {"select": [code], "confidence": "possible", "fix_style": style, "unsafe_fixes": True}
    return nanlint.fix_source(program(framework, body), **options).source.text  # type: ignore[arg-type]


@pytest.mark.parametrize("case", FORMS)
def test_the_form_is_the_one_of_the_style(case: str) -> None:
    for style, expected in FORMS[case][3].items():
        assert f"    {expected}\n" in mended(case, style), style


@pytest.mark.parametrize("case", FORMS)
def test_each_form_is_finite_where_the_original_is_not_and_the_same_elsewhere(case: str) -> None:
    """At the witness, near it, and far from it: the value and both gradients."""
    framework, before = FORMS[case][1], program(*FORMS[case][1:3])
    zero, draw = np.zeros((2, 3), "float32"), np.random.default_rng(5).normal(size=(2, 2, 3)).astype("float32")
    ones = np.ones_like(zero)
    bad: list[Sequence[Array]] = [(zero, ones), (ones, zero), (zero, zero), (zero + 1e-20, ones), (draw[0], zero)]
    spoiled = outcomes(framework, before, bad)
    assert any(one is not None and not finite(one) for one in spoiled)
    for text in dict.fromkeys(mended(case, style) for style in STYLES):
        assert text != before
        assert all(one is not None and finite(one) for one in outcomes(framework, text, bad)), text
        (old,), (new,) = outcomes(framework, before, [draw]), outcomes(framework, text, [draw])
        assert old is not None
        assert new is not None
        for one, other in zip([old[0], *old[1]], [new[0], *new[1]], strict=True):
            assert np.allclose(one, np.where(np.isfinite(one), other, one), rtol=1e-4, atol=1e-6, equal_nan=True), text


def finite(outcome: tuple[Array, list[Array]]) -> bool:
    return all(np.isfinite(array).all() for array in (outcome[0], *outcome[1]))


def test_a_repeated_root_becomes_a_function_of_the_file() -> None:
    body = "return torch.sqrt(torch.mean((x - y) ** 2)), torch.sqrt(torch.mean(x * x))"
    text = nanlint.fix_source(program("torch", body), select=["NL201"], confidence="possible").source.text
    assert text.count("def _safe_sqrt(x):") == 1
    assert text.count("_safe_sqrt(torch.mean(") == 2


def test_the_author_s_epsilon_is_taken() -> None:
    body = "w = torch.relu(x)\n    return (w * y).sum() / w.sum() + 1 / (y.abs() + {name})"
    for head, name in (("def f(x, y, eps=1e-6):", "eps"), ("EPS = 1e-6\n\n\ndef f(x, y):", "EPS")):
        text = f"import torch\n\n\n{head}\n    {body.format(name=name)}\n"
        options = {"select": ["NL301"], "confidence": "possible", "unsafe_fixes": True, "fix_style": "epsilon"}
        assert f"w.sum().clamp(min={name})" in nanlint.fix_source(text, **options).source.text  # type: ignore[arg-type]
    # one that is no small number is something else that is called so
    other = f"import torch\n\n\ndef f(x, y, eps=1.0):\n    {body.format(name='eps')}\n"
    assert "clamp(min=1e-7)" in nanlint.fix_source(other, **options).source.text  # type: ignore[arg-type]


def test_the_author_s_epsilon_is_the_bound_of_a_logarithm() -> None:
    for head, other, bound in (
        ("def f(x, eps=1e-6):", "torch.log(x.abs() + eps)", "eps"),
        ("def f(x, eps=1e-6):", "1 / (x.abs() + eps)", "eps"),
        ("def f(x):", "torch.log(x.abs().clamp(min=1e-9))", "1e-9"),
        ("def f(x):", "1 / (x.abs() + 1e-9)", "torch.finfo(argument.dtype).tiny"),
    ):
        text = f"import torch\n\n\n{head}\n    return torch.log(torch.relu(x)) + {other}\n"
        after = nanlint.fix_source(text, select=["NL103"], confidence="possible", unsafe_fixes=True).source.text
        assert f".clamp(min={bound}))" in after, after


def test_under_a_root_stands_what_the_author_puts_there() -> None:
    for head, other, bound in (
        ("def f(x, eps=1e-6):", "x / (x.std() + eps)", "1e-12"),
        ("def f(x, eps=1e-9):", "torch.sqrt(x.abs() + eps)", "eps"),
        ("def f(x):", "torch.sqrt(x.abs() + 1e-9)", "1e-9"),
        ("def f(x, eps=1e-6):", "x * (x.std() < eps)", "1e-12"),
        ("def f(x, step=1e-6):", "x / (x.std() + step)", "1e-12"),
    ):
        text = f"import torch\n\n\n{head}\n    return torch.sqrt((x**2).mean()) + {other}\n"
        after = nanlint.fix_source(text, select=["NL201"], confidence="possible", unsafe_fixes=True).source.text
        assert f"torch.sqrt((x**2).mean().clamp(min={bound})) + {other}" in after, after


def test_what_is_never_negative_is_added_to_where_that_is_shorter() -> None:
    text = (
        "import tensorflow as tf\n\n\ndef penalty(gradients):\n"
        "    return tf.sqrt(tf.reduce_sum(tf.square(gradients), list(range(1, gradients.shape.ndims))))\n"
    )
    after = nanlint.fix_source(text, select=["NL201"], confidence="possible", unsafe_fixes=True).source.text
    assert "list(range(1, gradients.shape.ndims))) + 1e-12" in after, after


def test_a_variable_that_is_normalised_by_its_own_deviation_is_0_for_a_single_element() -> None:
    text = (
        "import torch\n\n\ndef f(rewards):\n    x = torch.tensor(rewards)\n"
        "    x = (x - x.mean()) / (\n        x.std() + 1e-8\n    )\n    return x.sum()\n"
    )
    options = {"select": ["NL305"], "confidence": "possible", "unsafe_fixes": True}
    after = nanlint.fix_source(text, **options).source.text  # type: ignore[arg-type]
    assert "x.std() if x.numel() > 1 else 0 * x.sum()" in after
    assert nanlint.fix_source(after, **options).source.text == after  # type: ignore[arg-type]
    known: dict[str, Any] = {}
    exec(after, known)  # what was written above
    assert known["f"]([3.0]) == 0
    assert known["f"]([1.0, 2.0]) == pytest.approx(0, abs=1e-6)


def test_an_epsilon_is_not_0_in_the_format_of_its_operand() -> None:
    text = "import torch\n\n\ndef f(x):\n    w = torch.relu(x).half()\n    return (w * x).sum() / w.sum()\n"
    options = {"select": ["NL301"], "confidence": "possible", "unsafe_fixes": True, "fix_style": "epsilon"}
    assert "w.sum().clamp(min=1e-3)" in nanlint.fix_source(text, **options).source.text  # type: ignore[arg-type]


def test_a_style_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r'fix-style: expected one of "short", "exact", "epsilon", "helper"'):
        nanlint.fix_source("x = 1\n", fix_style="long")
