"""Which of several findings of one expression are shown: what is said of its form hides no number that breaks."""

from __future__ import annotations

import pytest

from tests.marked import JAX, TORCH, said


@pytest.mark.parametrize(
    ("framework", "root"),
    [(TORCH, "torch.sqrt(x**2 + y**2)"), (TORCH, "(x * x + y * y) ** 0.5"), (JAX, "jnp.sqrt(x**2 + y**2)")],
)
def test_the_overflow_of_a_length_hides_its_gradient_at_0_nowhere(framework: str, root: str) -> None:
    found = said(framework, f"def f(x, y):\n    return {root}\n")
    assert [code for code, _ in found if code != "NL407"] in (["NL201"], ["NL206"])
    assert ("NL407", "possible") in found


def test_a_likely_finding_of_a_form_stands_beside_a_possible_one() -> None:
    found = said(TORCH, "def f(x, y):\n    return torch.sqrt(x.half() ** 2 + y.half() ** 2)\n")
    assert sorted(found) == [("NL201", "possible"), ("NL407", "likely")]
