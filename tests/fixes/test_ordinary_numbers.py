"""A fix keeps ordinary numbers: what is right before it is the same after it, executed in the frameworks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nanlint

IMPORTS = {
    "torch": "import torch\nimport torch.nn.functional as F\n",
    "tensorflow": "import tensorflow as tf\nfrom keras import ops\n",
    "jax": "import jax\nimport jax.numpy as jnp\n",
    "scipy": "import numpy as np\nfrom scipy.special import expit, softmax\n",
}
#: logarithms of other bases, of what has a stable logarithm
BASES = [
    ("torch", "torch.log2(torch.sigmoid(x))"),
    ("torch", "torch.sigmoid(x).log10()"),
    ("torch", "torch.log2(1 - torch.sigmoid(x))"),
    ("torch", "1 / torch.log10(torch.softmax(x, -1))"),
    ("torch", "x - x.softmax(-1).log2()"),
    ("torch", "-(torch.softmax(x, -1) * torch.softmax(x, -1).log2()).sum(-1)"),
    ("torch", "torch.log2(torch.sigmoid(x)) ** 2"),
    ("tensorflow", "ops.log2(ops.sigmoid(x))"),
    ("tensorflow", "3 / ops.log10(ops.softmax(x, -1))"),
    ("jax", "jnp.log2(jax.nn.sigmoid(x))"),
    ("jax", "-jnp.log10(jax.nn.softmax(x, -1)) ** 2"),
    ("scipy", "np.log2(expit(x))"),
    ("scipy", "2 / np.log10(softmax(x, -1))"),
]
#: averages over what has a sum below 1
SOFT = [
    ("torch", "(x * mask).sum() / mask.sum()"),
    ("torch", "(x * weights).sum(-1) / weights.sum(-1)"),
    ("tensorflow", "tf.reduce_sum(x * mask) / tf.reduce_sum(mask)"),
    ("jax", "jnp.sum(x * mask) / jnp.sum(mask)"),
    ("scipy", "np.sum(x * mask) / np.sum(mask)"),
    ("scipy", "mask / np.sum(mask)"),
]


def given(framework: str) -> dict[str, Any]:
    """Arrays of a framework: scores of either sign, and weights whose sum is below 1."""
    x, soft = np.array([0.5, -1.0, 2.0], np.float32), np.array([0.1, 0.2, 0.05], np.float32)
    module = pytest.importorskip(framework, reason=f"{framework} is not installed")
    make = {"torch": "tensor", "tensorflow": "constant"}.get(framework)
    arrays = x, soft, soft
    if make is not None:
        arrays = tuple(getattr(module, make)(array) for array in arrays)
    elif framework == "jax":
        arrays = tuple(module.numpy.asarray(array) for array in arrays)
    return dict(zip(("x", "mask", "weights"), arrays, strict=True))


def computed(text: str, arrays: dict[str, Any]) -> Any:
    """What the function of a text gives."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "<text>", "exec"), namespace)
    return np.asarray(namespace["f"](*arrays.values()))


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize(("framework", "expression"), [*BASES, *SOFT], ids=lambda one: one)
def test_ordinary_numbers_stay(framework: str, expression: str, unsafe: bool) -> None:
    text = f"{IMPORTS[framework]}\n\ndef f(x, mask, weights):\n    return {expression}\n"
    result = nanlint.fix_source(text, unsafe_fixes=unsafe, confidence="possible")
    arrays = given(framework)
    np.testing.assert_allclose(computed(result.source.text, arrays), computed(text, arrays), rtol=1e-5)


@pytest.mark.parametrize(("framework", "expression"), BASES, ids=lambda one: one)
def test_a_logarithm_of_another_base_is_mended_all_the_same(framework: str, expression: str) -> None:
    text = f"{IMPORTS[framework]}\n\ndef f(x, mask, weights):\n    return {expression}\n"
    assert "math.log(" in nanlint.fix_source(text, confidence="possible").source.text


def test_what_is_made_like_one_number_is_one() -> None:
    text = """\
import tensorflow as tf


def clipped(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    norm = tf.sqrt(tf.add_n([tf.reduce_sum(g**2) for g in grads]))
    return loss, norm


def main(model, x):
    loss, norm = clipped(model, x)
    return loss, norm, tf.math.is_nan(loss)
"""
    mended = nanlint.fix_source(
        text, unsafe_fixes=True, confidence="possible", select=["NL201"], fix_style="exact"
    ).source.text
    assert "tf.zeros_like(radicand)" in mended


@pytest.mark.parametrize(
    ("given", "offered"), [("z.detach().numpy()", True), ("z.detach()", False)], ids=["an array", "a tensor"]
)
def test_whose_array_is_given_is_known_through_a_sign_and_of_a_tensor_that_becomes_one(
    given: str, offered: bool
) -> None:
    text = f"""\
import numpy as np
import torch


def total(z):
    p = {given}
    return np.sum(p / p.sum())


def gate(z):
    return 1 / (1 + np.exp(-z))
"""
    mended = nanlint.fix_source(text, unsafe_fixes=True, confidence="possible").source.text
    assert ("np.where(" in mended) is offered
    assert "expit(z)" in mended


def test_of_a_product_of_norms_each_is_mended_once() -> None:
    text = """\
import jax.numpy as jnp
from jax.numpy.linalg import norm


def cosine(a, b):
    return jnp.dot(a, b) / (norm(a) * norm(b))
"""
    mended = nanlint.fix_source(text, unsafe_fixes=True, confidence="possible").source.text
    assert mended.count("jnp.square(a)") == mended.count("jnp.square(b)") == 1
