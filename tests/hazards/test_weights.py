"""Sums that are weighted by what they are sums of."""

from __future__ import annotations

import nanlint
from tests.marked import program


def test_weights_that_are_their_own_weights_are_summed() -> None:
    """Of sum(p * p) both factors are the softmax."""
    text = program(
        "import torch", "def f(x):\n    p = torch.softmax(x, dim=-1)\n    return torch.log((p * p).sum(dim=-1))"
    )
    assert not [one for one in nanlint.check_source(text) if one.code == "NL003"]
