"""Edits: what comes out, and which go together."""

from __future__ import annotations

from nanlint.diagnostic import Edit, Span
from nanlint.source import Source
from nanlint.source.edits import Taken, apply_edits


def test_edits_are_applied_wherever_they_stand() -> None:
    source = Source("a.py", "a = log(x)\nb = log(y)\n")
    edits = [Edit(Span(2, 5, 2, 8), "log1p"), Edit(Span(1, 1, 1, 1), "import m\n"), Edit(Span(1, 5, 1, 8), "m.f")]
    assert apply_edits(source, edits) == "import m\na = m.f(x)\nb = log1p(y)\n"


def test_columns_of_edits_count_characters() -> None:
    assert apply_edits(Source("a.py", "'é𝛼', log(x)\n"), [Edit(Span(1, 7, 1, 10), "f")]) == "'é𝛼', f(x)\n"


def test_the_same_insertion_twice_is_one() -> None:
    insert = Edit(Span(1, 1, 1, 1), "import m\n")
    assert Taken([insert]).admits([insert])
    assert apply_edits(Source("a.py", "x\n"), [insert, insert]) == "import m\nx\n"


def test_two_insertions_at_one_place_are_in_each_others_way() -> None:
    at = Span(1, 1, 1, 1)
    assert not Taken([Edit(at, "import n\n")]).admits([Edit(at, "import m\n")])


def test_overlapping_replacements_are_in_each_others_way_and_neighbours_are_not() -> None:
    taken = [Edit(Span(1, 5, 1, 8), "f")]
    assert not Taken(taken).admits([Edit(Span(1, 7, 1, 9), "g")])
    assert not Taken(taken).admits(taken)
    assert Taken(taken).admits([Edit(Span(1, 8, 1, 9), "g")])


def test_variables_of_one_name_are_in_each_others_way_where_one_is_read_for_the_other() -> None:
    first = [Edit(Span(2, 1, 2, 1), "z = f(x)\n"), Edit(Span(4, 5, 4, 6), "g(z)")]
    second = [Edit(Span(3, 1, 3, 1), "z = f(y)\n"), Edit(Span(4, 9, 4, 10), "g(z)")]
    after = [Edit(Span(5, 1, 5, 1), "z = f(y)\n"), Edit(Span(5, 9, 5, 10), "g(z)")]
    assert not Taken(second).admits(first)
    assert not Taken(first).admits(second)
    assert Taken(first).admits(after)
    assert Taken(first).admits([first[0], Edit(Span(4, 1, 4, 2), "h(z)")])


def test_new_lines_end_as_those_of_the_file_do() -> None:
    insert = Edit(Span(2, 1, 2, 1), "b\nc\n")
    assert apply_edits(Source("a.py", "a\r\nd\r\n"), [insert]) == "a\r\nb\r\nc\r\nd\r\n"
    assert apply_edits(Source("a.py", "a\rd\r"), [insert]) == "a\rb\rc\rd\r"
