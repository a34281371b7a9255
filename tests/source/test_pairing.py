"""Which piece of a text is which once it is edited."""

from __future__ import annotations

import ast

import pytest

from nanlint.diagnostic import Edit, Span
from nanlint.source import Source
from nanlint.source.edits import edited
from nanlint.source.pairing import Pairing


@pytest.mark.parametrize(
    ("edit", "texts"),
    [
        (Edit(Span(1, 1, 1, 1), "import b\n"), ["f(x)"]),
        (Edit(Span(2, 1, 2, 4), "longer"), ["f(x)"]),
        (Edit(Span(2, 7, 2, 11), "g(\n    x)"), ["g(\n    x)"]),
        (Edit(Span(2, 9, 2, 10), "x + 1"), ["f(x + 1)"]),
        # what comes in the place of what held it
        (Edit(Span(2, 7, 2, 15), "h(x)"), ["h(x)"]),
        (Edit(Span(2, 14, 2, 15), "2"), ["f(x)"]),
    ],
)
def test_what_stood_at_a_place_is_found_again_after_an_edit(edit: Edit, texts: list[str]) -> None:
    before = Source("a.py", "import a\nsum = f(x) + 1\n")
    after = edited(before, [edit])
    found = Pairing(before, after, [edit]).image(Span(2, 7, 2, 11))
    assert [ast.get_source_segment(after.text, e) for e in found] == texts
