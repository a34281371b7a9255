"""A dropout that drops nothing hands on what it is given; one that may drop makes nothing safe."""

from __future__ import annotations

import pytest

from tests.marked import JAX, KERAS, TF, TORCH, said

FLAX = "import flax.linen as linen\n"


@pytest.mark.parametrize(
    ("framework", "dropped"),
    [
        (TORCH, "F.dropout(torch.sigmoid(x), 0.0)"),
        (TORCH, "F.dropout(torch.sigmoid(x), p=0.4, training=False)"),
        (TORCH, "torch.dropout(torch.sigmoid(x), 0.4, False)"),
        (TORCH, "F.alpha_dropout(torch.sigmoid(x), 0.4)"),
        (TORCH, "nn.Dropout(0.0)(torch.sigmoid(x))"),
        (TORCH, "nn.AlphaDropout(p=0)(torch.sigmoid(x))"),
        (TF, "tf.nn.dropout(tf.sigmoid(x), rate=0.0)"),
        (TF, "tf.keras.layers.Dropout(0.4)(tf.sigmoid(x), training=False)"),
        (KERAS, "layers.GaussianNoise(0.1)(ops.sigmoid(x), training=False)"),
        (KERAS, "keras.random.dropout(ops.sigmoid(x), 0)"),
        (JAX + FLAX, "linen.Dropout(0.4)(jax.nn.sigmoid(x), deterministic=True)"),
        (JAX + FLAX, "linen.Dropout(0.4, deterministic=True)(jax.nn.sigmoid(x))"),
    ],
)
def test_what_drops_nothing_is_the_identity(framework: str, dropped: str) -> None:
    log = {TORCH: "torch.log", TF: "tf.math.log", KERAS: "ops.log"}.get(framework, "jnp.log")
    for operand in (dropped, f"1 - {dropped}"):
        assert said(framework, f"def f(x):\n    return {log}({operand})\n") == [("NL102", "likely")]
