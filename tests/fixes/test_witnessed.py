"""An unsafe fix is offered only if it cures: at the input that fails, numbers and gradients to go on from."""

from __future__ import annotations

from importlib import import_module

import pytest

import nanlint
from nanlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from nanlint.source import Source

LOG = "def f(x: torch.Tensor):\n    return torch.log(torch.relu(x))\n"
HALF = "def f(x: torch.Tensor):\n    return torch.log(torch.relu(x.half()))\n"
ROOT = "def f(c: torch.Tensor):\n    c = torch.cos(c)\n    return torch.rsqrt(1 - c * c)\n"
QUOTIENT = "def f(x: torch.Tensor, q: torch.Tensor):\n    r = torch.relu(x)\n    return r.log(), q / r\n"
LENGTH = "def f(x: torch.Tensor, y: torch.Tensor):\n    d = torch.sqrt(((x - y) ** 2).sum())\n    d.backward()\n"


def offered(text: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch, code: str) -> Diagnostic:
    """The finding whose fix writes ``new`` for ``old``."""
    source = Source("<string>", f"import torch\n\n\n{text}")
    start = source.text.index(old)
    (row, column), (end_row, end_column) = source.position(start), source.position(start + len(old))
    edit = Edit(Span(row, column, end_row, end_column), new)
    fix = Fix(Applicability.UNSAFE, f"replace with `{new}`", (edit,), new, changes=True)
    module = import_module("nanlint.rules.diagnose")
    monkeypatch.setattr(module, "fixes_of", lambda facts, findings, style: [(fix,)] * len(findings))
    (found,) = nanlint.check_source(source.text, confidence="possible", select=[code])
    return found


@pytest.mark.parametrize(
    ("text", "old", "new", "code"),
    [
        (LOG, "torch.relu(x)", "torch.relu(x).clamp(min=1e-6)", "NL103"),
        (LOG, "torch.relu(x)", "(torch.relu(x) + 1e-6)", "NL103"),
        (HALF, "torch.relu(x.half())", "(torch.relu(x.half()) + 1e-2)", "NL103"),
        (ROOT, "(1 - c * c)", "((1 - c * c).clamp(min=1e-6))", "NL303"),
        (QUOTIENT, "q / r", "q / torch.where(r == 0, 1.0, r)", "NL303"),
        (LENGTH, "((x - y) ** 2).sum()", "((x - y) ** 2).sum().clamp(min=1e-8)", "NL201"),
    ],
)
def test_what_cures_is_offered(text: str, old: str, new: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = offered(text, old, new, monkeypatch, code)
    assert found.fix is not None
    assert (found.fix.applicability, found.refused) == (Applicability.UNSAFE, "")


@pytest.mark.parametrize(
    ("text", "old", "new", "code"),
    [
        # what is put in the place of 0 is 0, or is put there where another thing holds, too
        (LOG, "torch.relu(x)", "torch.relu(x).clamp(min=1e-60)", "NL103"),
        (QUOTIENT, "q / r", "q / torch.where((r == 0) & (q != q), 1.0, r)", "NL303"),
        (ROOT, "(1 - c * c)", "((1 - c) * (1 + c))", "NL303"),
        # another op on the line
        (QUOTIENT, "r.log()", "r.clamp(min=1e-6).log()", "NL303"),
        # no slope to go on with
        (LOG, "torch.relu(x)", "(torch.relu(x) + 1e-30)", "NL103"),
        (HALF, "torch.relu(x.half())", "(torch.relu(x.half()) + 1e-5)", "NL103"),
        (LENGTH, "((x - y) ** 2).sum()", "((x - y) ** 2).sum().clamp(min=-1)", "NL201"),
        # a number that is none to go on from
        (QUOTIENT, "q / r", "q / torch.where(r == 0, 1e-11, r)", "NL303"),
    ],
)
def test_what_does_not_cure_is_not_offered(
    text: str, old: str, new: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = offered(text, old, new, monkeypatch, code)
    assert found.refused.startswith("it would"), found
    assert found.fix is not None
    assert found.fix.applicability is Applicability.DISPLAY
