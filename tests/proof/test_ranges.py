"""The witness that is shown without any framework: found by the operations' own formulas, within what is known."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

import nanlint
from tests.proof.programs import HEAD, LOG_OF_SOFTMAX, ROOT_AT_ZERO

PROGRAMS = [
    ("torch.log(torch.softmax(x, -1))", "x = [0., 200.] gives f(...) = [-inf, 0.]"),
    ("torch.log(torch.sigmoid(x))", "x = -200. gives f(...) = -inf"),
    ("torch.log(1 - torch.sigmoid(x))", "x = 200. gives f(...) = -inf"),
    ("torch.log(torch.relu(x))", "x = 0. gives f(...) = -inf"),
    ("torch.exp(x) / torch.exp(x).sum()", "x = 200. gives f(...) = nan"),
    ("jnp.where(x > 0, jnp.log(x), 0.0)", "x = 0. gives f(...) = 0., and a gradient of 0 * inf = nan"),
    ("jnp.where(x != 0, y / x, 0.0)", "x = 0., y = 1. gives f(...) = 0., and a gradient of 0 * inf = nan"),
]


@pytest.mark.parametrize(("expression", "text"), PROGRAMS, ids=[expression for expression, _ in PROGRAMS])
def test_the_plainest_input_that_fails_is_shown(expression: str, text: str) -> None:
    findings = nanlint.check_source(f"{HEAD}\n\ndef f(x, y):\n    return {expression}\n")
    assert [one.witness.text for one in findings if one.witness] == [text]


def test_an_end_is_shown_by_the_variable_that_holds_it() -> None:
    text = (
        f"{HEAD}\n\ndef f(x, w):\n    p = torch.softmax(x, -1)\n    loss = (torch.log(p) * w).sum()\n    print(loss)\n"
    )
    (finding,) = nanlint.check_source(text)
    assert finding.witness is not None
    assert finding.witness.text == "x = [0., 200.], w = [0., 1.] gives loss = nan"
    assert finding.witness.output[0] == "loss"
    assert not finding.witness.executed


def test_numbers_respect_the_guards_on_the_way() -> None:
    guarded = f"{HEAD}\n\ndef f(x):\n    assert (x < -1).all()\n    return torch.log(torch.relu(x))\n"
    (finding,) = nanlint.check_source(guarded)
    assert finding.witness is not None
    ((_, numbers),) = finding.witness.inputs
    assert all(number < -1 for number in numbers)


def test_a_branch_is_taken_that_leads_there() -> None:
    text = """
    def f(x, mode):
        if mode == "a":
            p = torch.softmax(x, -1)
        else:
            p = x
        return torch.log(p)
    """
    (finding,) = nanlint.check_source(HEAD + dedent(text))
    assert finding.witness is not None
    assert finding.witness.inputs == (("x", (0.0, 200.0)),)


def test_no_framework_is_imported_for_it() -> None:
    texts = [dedent(text) for text in (*LOG_OF_SOFTMAX.values(), *ROOT_AT_ZERO.values())]
    program = (
        "import sys, nanlint\n"
        f"assert all(one.witness for text in {texts!r} for one in nanlint.check_source(text))\n"
        "print({'torch', 'tensorflow', 'jax', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("quotient", "confidence"),
    [("total / torch.sigmoid(-logits)", "certain"), ("total * torch.exp(logits) / torch.sigmoid(-logits)", "likely")],
)
def test_what_an_infinity_beside_it_has_broken_before_is_not_certain(quotient: str, confidence: str) -> None:
    source = f"import torch\n\n\ndef variance(total, logits):\n    return {quotient}\n"
    assert [str(d.confidence) for d in nanlint.check_source(source, select=["NL303"])] == [confidence]


@pytest.mark.parametrize(
    "expression",
    [
        "1 / (1 + torch.exp(10 * (x - mi) / (mx - mi)))",
        "torch.exp((x - mi) / (mx - mi)) / torch.exp((x - mi) / (mx - mi)).sum()",
        "torch.log(1 + torch.exp((x - mi) / (mx - mi)))",
        "torch.log(torch.exp((x - mi) / (mx - mi)).sum())",
    ],
)
def test_a_quotient_of_zeros_is_no_witness_of_an_exponential_that_overflows(expression: str) -> None:
    findings = nanlint.check_source(f"{HEAD}\n\ndef f(x, mx, mi):\n    return {expression}\n")
    (one,) = [one for one in findings if one.code != "NL303"]
    if one.witness is not None:
        given = dict(one.witness.inputs)
        assert given["mx"] != given["mi"]
