"""Stable forms in the place of those written by hand: what is kept, what is taken along, and what is only shown."""

from __future__ import annotations

import pytest

import nanlint
from tests.fixes.programs import JAX, TF, TORCH, Mend, Shown


def function(*lines: str, args: str = "x, y") -> str:
    return f"def f({args}):\n" + "".join(f"    {line}\n" for line in lines)


REWRITES = {
    "operands in order": ("NL402", "return (x - y) / (1 + torch.exp(y))", "return (x - y) * torch.sigmoid(-y)"),
    "a minus is dropped": ("NL402", "return 1 / (1 + torch.exp(-x * y))", "return torch.sigmoid(x * y)"),
    "a difference is turned": ("NL402", "return 1 / (1 + torch.exp(x - y))", "return torch.sigmoid(y - x)"),
    "a minus in front": ("NL402", "return -1 / (1 + torch.exp(-x))", "return -torch.sigmoid(x)"),
    "a square of it": ("NL402", "return (1 / (1 + x.exp())) ** 2", "return torch.sigmoid(-x) ** 2"),
    "half of the argument": ("NL406", "return (x.exp() - 1) / (x.exp() + 1)", "return torch.tanh(x / 2)"),
    "a sum in its place": (
        "NL106",
        "return 2 * torch.logsumexp(x, 0) + torch.log(torch.exp(x) + torch.exp(-x)) / y",
        "return 2 * torch.logsumexp(x, 0) + torch.logaddexp(x, -x) / y",
    ),
    "weights are kept apart": ("NL105", "return y * (1 + x).log() ** 2", "return y * torch.log1p(x) ** 2"),
}


@pytest.mark.parametrize(("code", "before", "after"), REWRITES.values(), ids=REWRITES)
def test_a_form_is_written_in_the_place_of_the_other(mend: Mend, code: str, before: str, after: str) -> None:
    wanted = TORCH + function(after)
    assert _mended(mend, code, TORCH + function(before)) == wanted


def _mended(mend: Mend, code: str, text: str) -> str:
    import nanlint

    return nanlint.fix_source(text, select=[code], confidence="possible").source.text


def test_what_binds_tighter_gets_parentheses(mend: Mend) -> None:
    text = "import math\n\nimport torch\n\n\n" + function("return 3 * torch.log(torch.cosh(x))")
    assert "return 3 * (torch.logaddexp(x, -x) - math.log(2))" in mend("NL106", text)


def test_an_operand_that_is_needed_twice_gets_a_name(mend: Mend) -> None:
    text = "import numpy as np\n\n\n" + function("return np.sqrt(1 - np.tanh(x) ** 2)")
    mended = _mended(mend, "NL507", text)
    assert "    x_value = np.tanh(x)\n    return np.sqrt((1 - x_value) * (1 + x_value))\n" in mended


def test_an_import_of_the_standard_library_comes_before_packages(mend: Mend) -> None:
    text = TORCH + function("return torch.log(torch.exp(x).mean(-1))")
    assert mend("NL106", text).startswith("import math\n\nimport torch\n")


def test_an_import_of_the_standard_library_comes_among_its_like(mend: Mend) -> None:
    text = "import json\nimport os\n\n" + TORCH + function("return torch.log(torch.exp(x).mean(-1))")
    assert mend("NL106", text).startswith("import json\nimport math\nimport os\n\nimport torch\n")


def test_a_name_that_is_taken_is_not_imported(shown: Shown) -> None:
    text = TORCH + function("return torch.log(torch.exp(x).mean(-1))", args="x, math")
    ((applicability, _),) = shown("NL106", text)
    assert applicability == "display"


def test_through_variables_and_helpers(mend: Mend) -> None:
    helper = "def soft(t):\n    e = t.exp()\n    return torch.log1p(e)\n\n\n"
    text = TORCH + helper + function("return soft(x) + soft(-y)")
    assert "    return torch.nn.functional.softplus(t)\n" in mend("NL107", text)


SHOWN = {
    "a view on the way": "return torch.log(1 + torch.exp(x).unsqueeze(0))",
    "a detached part": "return torch.log(1 + torch.exp(x).detach())",
    "a cast on the way": "return torch.log(1 + torch.exp(x).float())",
    "the operand changes in between": "e = torch.exp(x)\n    x = x + 1\n    return torch.log(1 + e)",
    "a call that may have an effect": "e = torch.exp(draw(x))\n    return torch.log(1 + e)",
    "one that has another shape": "return torch.log(torch.ones_like(y) + torch.exp(x))",
    "an output array": "return torch.log(1 + torch.exp(x), out=y)",
}


@pytest.mark.parametrize("body", SHOWN.values(), ids=SHOWN)
def test_for_display_where_something_else_stands_in_it(shown: Shown, body: str) -> None:
    offered = shown("NL107", TORCH + function(*body.split("\n    ")))
    assert [applicability for applicability, _ in offered] in ([], ["display"])


def test_in_place_changes_of_what_the_gradient_needs_are_left_to_a_person(shown: Shown) -> None:
    text = TORCH + function("gate = 1 / (1 + torch.exp(-x))", "gate *= y", "return gate")
    assert shown("NL402", text) == [("display", "torch.sigmoid(x)")]


def test_comments_are_not_lost(mend: Mend) -> None:
    text = TORCH + function("return torch.log(", "    1  # the constant", "    + torch.exp(x)", ")")
    assert _mended(mend, "NL107", text) == text


def test_weights_go_in_where_the_function_takes_them(mend: Mend, shown: Shown) -> None:
    body = "return {0}.log({0}.sum(y * {0}.exp(x), axis=-1))"
    assert "jax.nn.logsumexp(x, axis=-1, b=y)" in mend("NL106", JAX + function(body.format("jnp")))
    ((applicability, _),) = shown("NL106", TORCH + function(body.format("torch").replace("axis", "dim")))
    assert applicability == "display"


def test_tensorflow_has_no_form_for_two_exponentials(shown: Shown) -> None:
    assert shown("NL106", TF + function("return tf.math.log(tf.exp(x) + tf.exp(y))")) == []


def test_the_parentheses_of_a_call_stay() -> None:
    """Also where the name of its function ends in a digit."""
    text = "import numpy as np\nfrom scipy import special\n\n\ndef f(x):\n    return np.log10({})\n"
    after = nanlint.fix_source(text.format("np.exp(x) / np.sum(np.exp(x))"), select=["NL401"]).source.text
    assert after == text.format("special.softmax(x)")
