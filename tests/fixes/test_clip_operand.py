"""Logs of what reaches 0: the clip, which changes values and so is never applied unasked."""

from __future__ import annotations

import pytest

from tests.fixes.programs import JAX, KERAS, NUMPY, TF, TORCH, Mend, Shown

LOGS = {
    "torch": (TORCH, "torch.log(torch.relu(x))", "torch.log({}.clamp(min=torch.finfo({}.dtype).tiny))"),
    "torch-method": (TORCH, "torch.relu(x).log()", "{}.clamp(min=torch.finfo({}.dtype).tiny).log()"),
    "jax": (JAX, "jnp.log(jnp.maximum(x, 0))", "jnp.log(jnp.maximum({}, jnp.finfo({}.dtype).tiny))"),
    "numpy": (NUMPY, "np.log(np.maximum(x, 0)).sum()", "np.log(np.maximum({}, np.finfo({}.dtype).tiny)).sum()"),
}


@pytest.mark.parametrize(("imports", "before", "after"), LOGS.values(), ids=LOGS)
def test_the_operand_is_clipped_to_the_least_of_its_dtype(mend: Mend, imports: str, before: str, after: str) -> None:
    rectified = {TORCH: "torch.relu(x)", JAX: "jnp.maximum(x, 0)", NUMPY: "np.maximum(x, 0)"}[imports]
    text = f"{imports}def f(x):\n    return {before}\n"
    mended = f"{imports}def f(x):\n    argument = {rectified}\n    return {after.replace('{}', 'argument')}\n"
    assert mend("NL103", text, confidence="possible") == text
    assert mend("NL103", text, unsafe=True, confidence="possible") == mended


LITERALS = {
    "tf-unit": (
        TF,
        "tf.math.log(1.0 - tf.square(tf.tanh(x)))",
        "tf.math.log(tf.clip_by_value(1.0 - tf.square(tf.tanh(x)), 1e-37, 1.0))",
    ),
    "tf-half-line": (TF, "tf.math.log(tf.nn.relu(x))", "tf.math.log(tf.maximum(tf.nn.relu(x), 1e-37))"),
    "keras": (KERAS, "ops.log(ops.relu(x))", "ops.log(ops.maximum(ops.relu(x), 1e-37))"),
}


@pytest.mark.parametrize(("imports", "before", "after"), LITERALS.values(), ids=LITERALS)
def test_where_the_dtype_cannot_be_asked_it_is_that_of_single_precision(
    mend: Mend, imports: str, before: str, after: str
) -> None:
    text = f"{imports}def f(x):\n    return {before}\n"
    assert mend("NL103", text, unsafe=True) == text.replace(before, after)


@pytest.mark.parametrize("function", ["log_prob", "logits", "icdf", "psnr"])
def test_an_infinity_that_is_the_answer_is_only_bounded_for_reading(shown: Shown, function: str) -> None:
    text = f"{TORCH}def {function}(x: torch.Tensor):\n    p = torch.relu(x)\n    return -10 * torch.log10(p)\n"
    offered = ("display", "p.clamp(min=torch.finfo(p.dtype).tiny)")
    assert shown("NL103", text) in ([offered], [])
    summed = text.replace("torch.log10(p)", "torch.log10(p).sum()")
    assert shown("NL103", summed) == [("unsafe", offered[1])]


def test_a_bound_on_an_exponent_is_suggested_and_never_applied(mend: Mend, shown: Shown) -> None:
    text = (
        "import torch\nfrom einops.layers.torch import Rearrange\nfrom torch import nn\n\n\nclass Latent(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.both = nn.Sequential(nn.Linear(8, 8), Rearrange('b (two d) -> two b d', two=2))\n\n"
        "    def forward(self, x):\n        mean, log_var = self.both(x)\n"
        "        return (log_var.exp() + mean.square() - log_var - 1.0).sum()\n"
    )
    assert shown("NL403", text) == [("display", "log_var = log_var.clamp(-20.0, 20.0)")]
    assert mend("NL403", text, unsafe=True) == text
