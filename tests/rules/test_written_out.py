"""Numbers that are written out: what an operation makes of them is certain, and is said so by its plain rule."""

from __future__ import annotations

import nanlint
from tests.marked import TORCH, program


def test_words_fit_a_number_outside_of_its_domain() -> None:
    found = nanlint.check_source(program(TORCH, "a = torch.tensor([2.0], requires_grad=True)\ny = torch.acos(a)\n"))
    assert [one.message for one in found] == ["acos of a value that is outside of its domain: nan"]
    assert found[0].fix is None
