"""What is shown in the place of a logarithm of a clipped probability is the logarithm of its own logits."""

from __future__ import annotations

import pytest

import nanlint

PROGRAM = """\
import torch
import torch.nn.functional as F


def loss(logits, t):
    p = torch.{squashed}.clamp(1e-7, 1 - 1e-7)
    return -(t * torch.log(p)).sum()


def step(model, x, t):
    loss(model(x), t).backward()
"""


@pytest.mark.parametrize(
    ("squashed", "shown"),
    [("softmax(logits, -1)", "F.log_softmax(logits)"), ("sigmoid(logits)", "F.logsigmoid(logits)")],
)
def test_the_logarithm_is_that_of_what_was_clipped(squashed: str, shown: str) -> None:
    found = nanlint.check_source(PROGRAM.format(squashed=squashed), confidence="possible")
    assert [one.fix.display for one in found if one.code == "NL602" and one.fix is not None] == [shown]
