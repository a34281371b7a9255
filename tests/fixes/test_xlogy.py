"""x * log(y): what it becomes, in each framework and style."""

from __future__ import annotations

import pytest

from tests.fixes.programs import JAX, SCIPY, TF, TF1, TORCH, Mend, Shown

BOTH = "probs.masked_fill((y == 0) & (probs == 0), 1.0)"
PRODUCTS = {
    "torch": (TORCH, "-(y * torch.log(probs)).sum()", f"-(y * torch.log({BOTH})).sum()"),
    "torch-entropy": (
        TORCH,
        "-(probs * probs.log()).sum()",
        "-(probs * probs.masked_fill(probs == 0, 1.0).log()).sum()",
    ),
    "torch-log-first": (TORCH, "torch.log(probs) * y", f"torch.log({BOTH}) * y"),
    "torch-minus": (TORCH, "2 + y * -torch.log(probs)", f"2 + y * -torch.log({BOTH})"),
    "torch-three-factors": (
        TORCH,
        "y * y * torch.log(probs)",
        "y * y * torch.log(probs.masked_fill((y * y == 0) & (probs == 0), 1.0))",
    ),
    "torch-middle": (TORCH, "y * torch.log(probs) * y", f"y * torch.log({BOTH}) * y"),
    "torch-sum-as-factor": (
        TORCH,
        "(1 - y) * torch.log(1 - probs)",
        "(1 - y) * torch.log((1 - probs).masked_fill((1 - y == 0) & (1 - probs == 0), 1.0))",
    ),
    "torch-mul": (TORCH, "torch.mul(y, torch.log(probs))", f"torch.mul(y, torch.log({BOTH}))"),
    "torch-mul-method": (TORCH, "y.mul(probs.log())", f"y.mul({BOTH}.log())"),
    "torch-log1p": (
        TORCH,
        "y * torch.log1p(-probs)",
        "y * torch.log1p((-probs).masked_fill((y == 0) & (-probs == -1), 0.0))",
    ),
    "torch-comment": (
        TORCH,
        "(y  # labels\n            * torch.log(probs)).sum()",
        f"(y  # labels\n            * torch.log({BOTH})).sum()",
    ),
    "torch-parentheses": (TORCH, "(y * (torch.log(probs)))", f"(y * (torch.log({BOTH})))"),
    "tf": (TF, "tf.reduce_sum(y * tf.math.log(probs))", "tf.reduce_sum(tf.math.xlogy(y, probs))"),
    "tf-multiply": (TF, "tf.multiply(y, tf.math.log(probs))", "tf.math.xlogy(y, probs)"),
    "tf-compat": (TF, "y * tf.compat.v1.log(probs)", "tf.compat.v1.math.xlogy(y, probs)"),
    "tf1": (TF1, "y * tf.log(probs)", "tf.math.xlogy(y, probs)"),
    "jax": (
        JAX,
        "jnp.sum(y * jnp.log(probs))",
        "jnp.sum(y * jnp.log(jnp.where((y == 0) & (probs == 0), 1.0, probs)))",
    ),
    "jax-log1p": (
        JAX,
        "y * jnp.log1p(-probs)",
        "y * jnp.log1p(jnp.where((y == 0) & (-probs == -1), 0.0, -probs))",
    ),
    "scipy": (SCIPY, "np.sum(y * np.log(probs))", "np.sum(special.xlogy(y, probs))"),
}


@pytest.mark.parametrize(("imports", "before", "after"), PRODUCTS.values(), ids=PRODUCTS)
def test_product_with_a_log(mend: Mend, imports: str, before: str, after: str) -> None:
    text = f"{imports}def loss(y, probs):\n    return {before}\n"
    # the logarithm of TensorFlow 1 is not known to have a product beside it
    dated = "tf.log(" in before or "v1.log(" in before
    assert mend("NL104", text, unsafe=dated) == text.replace(before, after)
    assert not dated or mend("NL104", text) == text


FOR_A_PERSON = {
    "the log in a variable": "    logp = torch.log(probs)\n    return (y * logp).sum()\n",
    "augmented": "    y *= torch.log(probs)\n    return y\n",
    "part of the log": "    return y * torch.log(probs)[0]\n",
}


@pytest.mark.parametrize("body", FOR_A_PERSON.values(), ids=FOR_A_PERSON)
def test_anything_but_factor_times_log_is_for_display(mend: Mend, shown: Shown, body: str) -> None:
    text = f"{TORCH}def loss(y, probs):\n{body}"
    assert mend("NL104", text) == text
    assert [a for a, _ in shown("NL104", text)] == ["display"]


def test_logarithms_to_another_base_have_no_fix(shown: Shown) -> None:
    assert shown("NL104", f"{TORCH}def loss(y, probs):\n    return y * torch.log2(probs)\n") == []


WITHOUT_GRADIENT = {
    "special": (
        "import torch\nfrom torch import special\n\n\n@torch.no_grad()\n",
        "y * torch.log(probs)",
        "special.xlogy(y, probs)",
    ),
    "torch": (f"{TORCH}@torch.no_grad()\n", "y * torch.log(probs)", "torch.special.xlogy(y, probs)"),
    "jax": (
        JAX,
        "y * jnp.log(jax.lax.stop_gradient(probs))",
        "jax.scipy.special.xlogy(y, jax.lax.stop_gradient(probs))",
    ),
}


@pytest.mark.parametrize(("head", "before", "after"), WITHOUT_GRADIENT.values(), ids=WITHOUT_GRADIENT)
def test_without_a_gradient_xlogy_is_enough(mend: Mend, head: str, before: str, after: str) -> None:
    text = f"{head}def score(y, probs):\n    return {before}\n"
    assert mend("NL104", text, confidence="possible") == text.replace(before, after)


def test_an_operand_that_is_no_name_gets_one(mend: Mend) -> None:
    text = f"{TORCH}def loss(y, x, w):\n    return (y * torch.log(torch.softmax(x @ w, dim=1).mean(0))).sum()\n"
    after = (
        f"{TORCH}def loss(y, x, w):\n    argument = torch.softmax(x @ w, dim=1).mean(0)\n"
        "    return (y * torch.log(argument.masked_fill((y == 0) & (argument == 0), 1.0))).sum()\n"
    )
    assert mend("NL104", text, confidence="possible") == after
