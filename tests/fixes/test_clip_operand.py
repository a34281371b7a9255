"""Logs of what reaches 0: the clip, which changes values and so is never applied unasked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

TORCH = "import torch\n\n\n"
TF = "import tensorflow as tf\n\n\n"
JAX = "import jax.numpy as jnp\n\n\n"

LOGS = {
    "torch": (TORCH, "torch.log(torch.relu(x))", "torch.log(torch.clamp(torch.relu(x), min=1e-7))"),
    "torch-method": (TORCH, "torch.relu(x).log()", "torch.relu(x).clamp(min=1e-7).log()"),
    "torch-sum": (TORCH, "(1 - torch.tanh(x) ** 2).log()", "(1 - torch.tanh(x) ** 2).clamp(min=1e-7).log()"),
    "tf-unit": (
        TF,
        "tf.math.log(1.0 - tf.square(tf.tanh(x)))",
        "tf.math.log(tf.clip_by_value(1.0 - tf.square(tf.tanh(x)), 1e-7, 1.0))",
    ),
    "tf-half-line": (TF, "tf.math.log(tf.nn.relu(x))", "tf.math.log(tf.maximum(tf.nn.relu(x), 1e-7))"),
    "jax": (JAX, "jnp.log(jnp.maximum(x, 0))", "jnp.log(jnp.maximum(jnp.maximum(x, 0), 1e-7))"),
    "keras": ("from keras import ops\n\n\n", "ops.log(ops.relu(x))", "ops.log(ops.maximum(ops.relu(x), 1e-7))"),
}


@pytest.mark.parametrize(("imports", "before", "after"), LOGS.values(), ids=LOGS)
def test_the_operand_is_clipped_when_asked_to(mend: Callable[..., str], imports: str, before: str, after: str) -> None:
    text = f"{imports}def f(x):\n    return {before}\n"
    assert mend("NL103", text) == text
    assert mend("NL103", text, unsafe=True) == text.replace(before, after)
