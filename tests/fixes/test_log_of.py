"""log(softmax(x)), log(sigmoid(x)), log(1 - sigmoid(x)): what they become, in each framework and style."""

from __future__ import annotations

import pytest

from tests.fixes.programs import JAX, KERAS, SCIPY, TF, TF1, Mend, Shown

TORCH = "import torch\nimport torch.nn.functional as F\n\n\n"

ONE_EXPRESSION = {
    "torch-f": (TORCH, "torch.log(F.softmax(x, dim=-1))", "F.log_softmax(x, dim=-1)"),
    "torch-function": (TORCH, "torch.log(torch.softmax(x, 1))", "torch.log_softmax(x, 1)"),
    "torch-methods": (TORCH, "x.softmax(1).log()", "x.log_softmax(1)"),
    "torch-method-of-function": (TORCH, "F.softmax(x, dim=1).log()", "F.log_softmax(x, dim=1)"),
    "torch-function-of-method": (TORCH, "torch.log(x.softmax(1))", "x.log_softmax(1)"),
    "torch-keyword": (TORCH, "torch.log(input=F.softmax(input=x, dim=1))", "F.log_softmax(input=x, dim=1)"),
    "torch-dtype": (
        TORCH,
        "torch.log(F.softmax(x, dim=-1, dtype=torch.float32))",
        "F.log_softmax(x, dim=-1, dtype=torch.float32)",
    ),
    "torch-full-path": (
        "import torch\n\n\n",
        "torch.log(torch.nn.functional.softmax(x, dim=-1))",
        "torch.nn.functional.log_softmax(x, dim=-1)",
    ),
    "tf": (TF, "tf.math.log(tf.nn.softmax(x, axis=1))", "tf.nn.log_softmax(x, axis=1)"),
    "tf-graph-name": (TF, 'tf.math.log(tf.nn.softmax(x), name="loss")', None),
    "tf-compat": (TF, "tf.compat.v1.log(tf.compat.v1.nn.softmax(x))", "tf.compat.v1.nn.log_softmax(x)"),
    "tf1": (TF1, "tf.log(tf.nn.softmax(x))", "tf.nn.log_softmax(x)"),
    "jax": (JAX, "jnp.log(jax.nn.softmax(x, axis=0))", "jax.nn.log_softmax(x, axis=0)"),
    "jax-nn": ("import jax.numpy as jnp\nfrom jax import nn\n\n\n", "jnp.log(nn.softmax(x))", "nn.log_softmax(x)"),
    "keras-ops": (KERAS, "ops.log(ops.softmax(x, axis=-1))", "ops.log_softmax(x, axis=-1)"),
    "keras-backend": (
        "import tensorflow as tf\nfrom tensorflow.keras import backend as K\n\n\n",
        "K.log(K.softmax(x))",
        "tf.nn.log_softmax(x)",
    ),
    "scipy": (
        SCIPY,
        "np.log(special.softmax(x, axis=1))",
        "special.log_softmax(x, axis=1)",
    ),
}


@pytest.mark.parametrize(("imports", "before", "after"), ONE_EXPRESSION.values(), ids=ONE_EXPRESSION)
def test_log_of_softmax_in_one_expression(mend: Mend, imports: str, before: str, after: str | None) -> None:
    text = f"{imports}def loss(x, y):\n    return -(y * {before}).sum()\n"
    assert mend("NL101", text) == text.replace(before, after or before)


SIGMOIDS = {
    "torch": (TORCH, "torch.log(torch.sigmoid(x))", "F.logsigmoid(x)"),
    "torch-no-f": ("import torch\n\n\n", "torch.log(torch.sigmoid(x))", "torch.nn.functional.logsigmoid(x)"),
    "torch-nn": ("import torch\nfrom torch import nn\n\n\n", "x.sigmoid().log()", "nn.functional.logsigmoid(x)"),
    "torch-complement": (TORCH, "torch.log(1 - torch.sigmoid(x))", "F.logsigmoid(-x)"),
    "torch-complement-of-sum": (TORCH, "torch.log(1.0 - torch.sigmoid(x + 1))", "F.logsigmoid(-(x + 1))"),
    "torch-complement-of-power": (TORCH, "torch.log(1 - torch.sigmoid(x**2))", "F.logsigmoid(-x**2)"),
    "torch-complement-of-minus": (TORCH, "torch.log(1 - torch.sigmoid(-x))", "F.logsigmoid(x)"),
    "torch-complement-of-call": (TORCH, "torch.log(1 - torch.sigmoid(x.mean()))", "F.logsigmoid(-x.mean())"),
    "torch-log1p": (TORCH, "torch.log1p(-torch.sigmoid(x))", "F.logsigmoid(-x)"),
    "torch-method-complement": (TORCH, "(1 - x.sigmoid()).log()", "F.logsigmoid(-x)"),
    "tf": (TF, "tf.math.log(tf.sigmoid(x))", "tf.math.log_sigmoid(x)"),
    "tf-nn": (TF, "tf.math.log(1 - tf.nn.sigmoid(x))", "tf.math.log_sigmoid(-x)"),
    "tf1": (TF1, "tf.log(tf.sigmoid(x))", "tf.math.log_sigmoid(x)"),
    "jax": (JAX, "jnp.log(jax.nn.sigmoid(x))", "jax.nn.log_sigmoid(x)"),
    "jax-log1p": (JAX, "jnp.log1p(-jax.nn.sigmoid(x))", "jax.nn.log_sigmoid(-x)"),
    "keras": (KERAS, "ops.log(ops.sigmoid(x))", "ops.log_sigmoid(x)"),
    "scipy": (
        SCIPY,
        "np.log(1 - special.expit(x))",
        "special.log_expit(-x)",
    ),
}


@pytest.mark.parametrize(("imports", "before", "after"), SIGMOIDS.values(), ids=SIGMOIDS)
def test_log_of_sigmoid_in_one_expression(mend: Mend, imports: str, before: str, after: str) -> None:
    text = f"{imports}def loss(x, y):\n    return -(y * {before}).sum()\n"
    assert mend("NL102", text) == text.replace(before, after)


def test_the_logits_are_taken_from_where_the_softmax_is_made(mend: Mend) -> None:
    text = f"""{TORCH}def loss(logits, labels):
    probs = F.softmax(logits, dim=-1)  # over classes
    confidence = probs.max(-1)
    return -(labels * torch.log(probs)).sum(), confidence
"""
    assert mend("NL101", text) == text.replace("torch.log(probs)", "F.log_softmax(logits, dim=-1)")


def test_both_logs_of_a_binary_cross_entropy_share_the_logits(mend: Mend) -> None:
    before = f"""{TORCH}def loss(net, x, y):
    p = torch.sigmoid(net(x))
    q = 1 - p
    return -(y * torch.log(p) + (1 - y) * torch.log(q)).mean()
"""
    after = f"""{TORCH}def loss(net, x, y):
    logits = net(x)
    p = torch.sigmoid(logits)
    q = 1 - p
    return -(y * F.logsigmoid(logits) + (1 - y) * F.logsigmoid(-logits)).mean()
"""
    assert mend("NL102", before) == after


def test_logits_that_cost_something_are_computed_once(mend: Mend) -> None:
    before = f"""{TF}def loss(x, w, y):
    # the prediction
    p = tf.nn.softmax(tf.matmul(x, w), name="p")
    return -tf.reduce_sum(y * tf.math.log(p))
"""
    after = f"""{TF}def loss(x, w, y):
    # the prediction
    logits = tf.matmul(x, w)
    p = tf.nn.softmax(logits, name="p")
    return -tf.reduce_sum(y * tf.nn.log_softmax(logits))
"""
    assert mend("NL101", before) == after


def test_logits_over_several_lines_keep_them_and_their_comments(mend: Mend) -> None:
    before = f"""{TORCH}def loss(a, b):
    p = F.softmax(
        a @ b  # scores
        + 1,
        dim=-1,
    )
    return torch.log(p)
"""
    after = f"""{TORCH}def loss(a, b):
    logits = (a @ b  # scores
        + 1)
    p = F.softmax(
        logits,
        dim=-1,
    )
    return F.log_softmax(logits, dim=-1)
"""
    assert mend("NL101", before) == after


def test_a_variable_that_is_rebound_gets_a_second_name(mend: Mend) -> None:
    before = f"{TORCH}def f(x):\n    x = F.softmax(x, dim=-1)\n    return torch.log(x)\n"
    after = (
        f"{TORCH}def f(x):\n    logits = x\n    x = F.softmax(logits, dim=-1)\n"
        "    return F.log_softmax(logits, dim=-1)\n"
    )
    assert mend("NL101", before) == after


def test_a_taken_name_is_not_taken_again(mend: Mend) -> None:
    before = f"{TORCH}def f(net, logits):\n    p = F.softmax(net(logits), dim=-1)\n    return torch.log(p)\n"
    assert "p_logits = net(logits)\n    p = F.softmax(p_logits, dim=-1)\n" in mend("NL101", before)


COMMENTS = {
    "inside the softmax": (
        """torch.log(F.softmax(
        x,  # raw
        dim=-1,  # classes
    ))""",
        """F.log_softmax(
        x,  # raw
        dim=-1,  # classes
    )""",
    ),
}


@pytest.mark.parametrize(("before", "after"), COMMENTS.values(), ids=COMMENTS)
def test_comments_are_kept(mend: Mend, before: str, after: str) -> None:
    text = f"{TORCH}def f(x):\n    return {before}\n"
    assert mend("NL101", text) == text.replace(before, after)


FOR_A_PERSON = {
    "a comment between the calls": "    return torch.log(  # the log\n        F.softmax(x, dim=-1)  # classes\n    )\n",
    "a comment in a chain": "    return (\n        x.softmax(-1)  # probabilities\n        .log()\n    ).sum()\n",
    "a comment before a closing parenthesis": "    return (\n        x.softmax(-1)  # probabilities\n        .log())\n",
    "changed in place": "    p = F.softmax(x, dim=-1)\n    x.add_(1)\n    return torch.log(p)\n",
    "changed by an alias": "    y = x.view(-1)\n    p = F.softmax(x, dim=-1)\n    y += 1\n    return torch.log(p)\n",
    "handed to a procedure": "    p = F.softmax(x, dim=-1)\n    disturb(x)\n    return torch.log(p)\n",
    "in one branch only": "    p = x\n    if y:\n        p = F.softmax(x, dim=-1)\n    return torch.log(p)\n",
    "in a lambda": "    p = F.softmax(x, dim=-1)\n    return lambda: torch.log(p)\n",
    "an element of it": "    p = F.softmax(x, dim=-1)\n    return torch.log(p[0])\n",
    "on the next turn of a loop": (
        "    p = F.softmax(x, dim=-1)\n    while y:\n        y = torch.log(p).sum()\n        x = x + 1\n"
        "        p = F.softmax(x, dim=-1)\n    return y\n"
    ),
    "no room for a statement": "    if y: p = F.softmax(y(x), dim=-1); return torch.log(p)\n",
    "stated with something else to keep": "    return torch.log(F.softmax(x, dim=-1), out=y)\n",
    "over the attributes of an object that was called": (
        "    p = F.softmax(x.logits, dim=-1)\n    x.update()\n    return torch.log(p)\n"
    ),
}


@pytest.mark.parametrize("body", FOR_A_PERSON.values(), ids=FOR_A_PERSON)
def test_where_the_logits_may_mean_something_else_the_fix_is_for_display(mend: Mend, shown: Shown, body: str) -> None:
    text = f"{TORCH}def f(x, y, disturb):\n{body}"
    assert mend("NL101", text) == text
    assert {applicability for applicability, _ in shown("NL101", text)} == {"display"}


def test_a_parameter_that_is_only_sometimes_replaced_is_left_alone(mend: Mend) -> None:
    text = f"""{TORCH}def f(x, p=None):
    if p is None:
        p = F.softmax(x, dim=-1)
    return torch.log(p)


def g(x):
    return f(x)
"""
    assert mend("NL101", text) == text


def test_a_layer_is_shown_as_the_function_that_replaces_it(shown: Shown) -> None:
    text = """
    import torch
    from torch import nn


    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.softmax = nn.Softmax(dim=1)

        def forward(self, x):
            return torch.log(self.softmax(x))
    """
    assert shown("NL101", text) == [("display", "nn.functional.log_softmax(x, dim=1)")]


def test_a_keras_loss_is_told_which_activation_to_remove(
    shown: Shown,
) -> None:
    text = """
    import tensorflow as tf
    from tensorflow import keras


    def loss(y_true, y_pred):
        return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)


    model = keras.Sequential([keras.layers.Dense(10, activation="softmax")])
    model.compile(loss=loss)
    """
    told = 'tf.nn.log_softmax(y_pred) without activation="softmax" (line 10)'
    assert shown("NL101", text) == [("display", told)]
