"""A cause names in plain words what makes the number: a row of zeros, all of the data, one element, equal operands."""

from __future__ import annotations

from textwrap import dedent

import pytest

import nanlint
from tests.proof.programs import HEAD


def causes(text: str, code: str) -> list[str]:
    """What the findings of a code say of their causes."""
    found = nanlint.check_source(HEAD + dedent(text), confidence="possible")
    return [cause.message for one in found if one.code == code for cause in one.causes]


@pytest.mark.parametrize(
    "quotient",
    [
        "inputs / inputs.norm(dim=-1, keepdim=True)",
        "inputs / jnp.linalg.norm(inputs, axis=-1, keepdims=True)",
        "inputs / tf.norm(inputs, axis=-1, keepdims=True)",
    ],
)
def test_a_row_is_enough_where_each_row_is_divided_by_its_own_length(quotient: str) -> None:
    text = f"def loss(inputs):\n    return ({quotient}).mean()\n"
    assert causes(text, "NL302") == ["is 0 if a row of `inputs` is all zeros"]


@pytest.mark.parametrize("total", ["x.sum()", "jnp.sum(x)", "tf.reduce_sum(x)", "np.sum(x)"])
def test_all_of_it_is_needed_for_a_sum_of_everything(total: str) -> None:
    assert causes(f"def share(x):\n    return x / {total}\n", "NL301") == ["is 0 if `x` is all zeros"]


@pytest.mark.parametrize("root", ["torch.sqrt(torch.abs(x))", "jnp.sqrt(jnp.abs(x))"])
def test_one_element_is_enough_for_what_is_computed_of_each(root: str) -> None:
    assert causes(f"def loss(x):\n    return ({root}).sum()\n", "NL201") == ["is 0 where `x` is 0"]


def test_an_entry_of_a_record_is_named_as_it_is_written() -> None:
    text = """
        def loss(batch):
            return batch["image"] / batch["image"].sum(1, keepdim=True)
    """
    assert causes(text, "NL301") == ["is 0 if a row of `batch['image']` is all zeros"]


@pytest.mark.parametrize("sqrt", ["torch.sqrt", "jnp.sqrt", "tf.sqrt"])
def test_operands_that_coincide_are_named(sqrt: str) -> None:
    text = f"def distance_loss(a, b):\n    return {sqrt}(((a - b) ** 2).sum(-1))\n"
    assert causes(text, "NL201") == ["is 0 if `a` and `b` are equal"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("def f(x, mask):\n    return (x * mask).sum() / mask.sum()\n", "NL301", "is named like a mask"),
        ("def f(probs):\n    return torch.log(probs)\n", "NL103", "is named like a probability"),
        ("def f(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1)) + 1e-6\n", "NL209", "but too late"),
        ("def f(x, ids):\n    return x.sum() / (ids == 3).sum()\n", "NL301", "is 0 where no element matches"),
        ("def f(x):\n    return x / torch.clamp(x, 0, 1)\n", "NL208", "sets values to exactly this bound"),
    ],
)
def test_a_cause_says_who_makes_the_number(text: str, code: str, words: str) -> None:
    assert any(words in cause for cause in causes(text, code))
