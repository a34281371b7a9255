"""What fixes leave behind goes with them: names that nothing reads any more."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

import nanlint
from nanlint.cli import cli

IMPORTS = "import torch\nimport torch.nn.functional as F\n\n\n"


def fixed(text: str, **config: object) -> str:
    outcome = nanlint.fix_source(dedent(text), unsafe_fixes=True, **{"fix_style": "exact", **config})  # type: ignore[arg-type]
    assert outcome.fixed
    again = nanlint.fix_source(outcome.source.text, unsafe_fixes=True, **{"fix_style": "exact", **config})  # type: ignore[arg-type]
    assert again.source.text == outcome.source.text
    return outcome.source.text


def fix_file(path: Path) -> None:
    exact = ["--config", "fix-style = 'exact'"]
    CliRunner().invoke(cli, ["check", "--isolated", "--fix", "--no-affected", *exact, str(path)])


def test_an_assignment_that_only_the_old_expression_read_goes() -> None:
    before = """\
        import torch


        def loss(logits, target):
            probs = torch.softmax(logits, -1)
            return -(target * torch.log(probs)).sum()
    """
    after = """\
        import torch


        def loss(logits, target):
            return -(target * torch.log_softmax(logits, -1)).sum()
    """
    assert fixed(before) == dedent(after)


def test_an_assignment_that_two_fixes_read_goes_with_both_and_with_what_it_was_made_of() -> None:
    before = f"""{IMPORTS}def loss(x, t):
    half = x / 2
    p = torch.sigmoid(half)  # probabilities
    return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
"""
    after = fixed(before)
    assert "p = " not in after
    assert "half = x / 2" in after  # the new expression reads it
    assert "F.logsigmoid(half)" in after
    assert "F.logsigmoid(-half)" in after


@pytest.mark.parametrize(
    "body",
    [
        "    p = torch.softmax(x, -1)\n    y = torch.log(p)\n    return y, p\n",
        "    p = torch.softmax(x, -1)\n    y = torch.log(p)\n    return y, lambda: p\n",
        "    p = torch.softmax(x, -1)\n    y = torch.log(p)\n    return y, locals()\n",
        "    p, *q = torch.softmax(x, -1), 1\n    y = torch.log(p)\n    return y, q\n",
        "    global p\n    p = torch.softmax(x, -1)\n    return torch.log(p)\n",
    ],
    ids=["read elsewhere", "in a closure", "by a name", "beside another", "of the module"],
)
def test_an_assignment_that_may_be_read_stays(body: str) -> None:
    outcome = nanlint.fix_source(f"import torch\n\n\ndef f(x):\n{body}")
    assert "torch.softmax(x, -1)" in outcome.source.text


def test_what_was_unread_before_is_none_of_our_business() -> None:
    after = fixed(
        "import torch\nimport os\n\n\ndef f(x):\n    unread = 1\n    return torch.log(torch.softmax(x, -1))\n"
    )
    assert "unread = 1" in after
    assert "import os" in after


def test_an_assignment_with_an_effect_stays() -> None:
    before = "import torch\n\n\ndef f(x, g):\n    p = torch.softmax(g(x), -1)\n    return torch.log(p)\n"
    after = fixed(before)
    assert after.count("g(x)") == 1


def test_an_import_that_only_the_old_expression_read_goes() -> None:
    before = """\
        import torch
        from torch.nn.functional import nll_loss, softmax


        def loss(logits, target):
            return nll_loss(torch.log(softmax(logits, -1)), target)
    """
    after = """\
        from torch.nn.functional import log_softmax, nll_loss


        def loss(logits, target):
            return nll_loss(log_softmax(logits, -1), target)
    """
    assert fixed(before, select=["NL101"]) == dedent(after)


@pytest.mark.parametrize("names", ["sigmoid, relu, tanh", "relu, sigmoid, tanh", "relu, tanh, sigmoid"])
def test_a_name_goes_from_wherever_it_stands_in_an_import(names: str) -> None:
    """Whether it is the first, the last or between others, with the comma that parted it from them."""
    rest = "import torch\n\n\ndef f(x):\n    return relu(x), tanh(x), torch.log(sigmoid(x))\n"
    line, *_ = fixed(f"from torch.nn.functional import {names}\n{rest}").splitlines()
    assert sorted(line.split(" import ")[1].split(", ")) == ["logsigmoid", "relu", "tanh"]


def test_an_import_that_a_string_names_stays() -> None:
    before = (
        '__all__ = ["f", "softmax"]\n\nimport torch\nfrom torch import softmax\n\n\n'
        "def f(x):\n    return torch.log(softmax(x, -1))\n"
    )
    assert "softmax\n" in fixed(before)


@pytest.mark.parametrize(
    ("other", "stays"),
    [("from losses import softmax\n", True), ("from losses import *\n", True), ("from torch import softmax\n", False)],
)
def test_an_import_that_another_file_takes_from_there_stays(tmp_path: Path, other: str, stays: bool) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    own, beside = tmp_path / "losses.py", tmp_path / "main.py"
    own.write_text("import torch\nfrom torch import softmax\n\n\ndef f(x):\n    return torch.log(softmax(x, -1))\n")
    beside.write_text(f"{other}import losses\n\n\ndef g(x):\n    return losses.f(x)\n")
    fix_file(own)
    assert "log_softmax" in own.read_text()
    assert ("from torch import log_softmax, softmax\n" in own.read_text()) is stays


def test_an_import_of_a_package_stays(tmp_path: Path) -> None:
    own = tmp_path / "__init__.py"
    own.write_text("import torch\nfrom torch import softmax\n\n\ndef f(x):\n    return torch.log(softmax(x, -1))\n")
    fix_file(own)
    assert "from torch import log_softmax, softmax\n" in own.read_text()


def test_what_gets_a_name_is_written_on_one_line_if_it_can_be() -> None:
    before = """\
import torch


def f(x, y):
    return torch.sqrt(torch.mean((x[:, None] -
                                 y[None, :]) ** 2,
                                dim=-1)) + 1
"""
    assert "    radicand = torch.mean((x[:, None] - y[None, :]) ** 2, dim=-1)\n" in fixed(before)


def test_of_several_variables_that_are_assigned_at_once_those_are_removed_that_nothing_reads() -> None:
    before = """\
import torch


def both(x):
    a, b = x.exp(), (-x).exp()
    return (a - b) / (a + b)


def one(x, y):
    p, q = torch.softmax(x, -1), torch.softmax(y, -1)
    return (p * (p.log() - q.log())).sum(-1)


def called(x, y):
    p, q = torch.softmax(x, -1), print(y)
    return p.log()
"""
    after = fixed(before)
    assert "def both(x):\n    return torch.tanh(x)\n" in after
    assert "def one(x, y):\n    p = torch.softmax(x, -1)\n" in after
    assert "    q = print(y)\n" in after
