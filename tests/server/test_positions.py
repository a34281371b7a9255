"""Places in the units of the client: lines end where the protocol says, characters may be astral."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from nanlint.diagnostic import Edit, Span
from nanlint.server.edits import difference, text_edits
from nanlint.server.positions import Ruler, characters, edited, units
from nanlint.source import Source
from nanlint.source.edits import edited as applied

UTF8, UTF16, UTF32 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32
CODECS = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}
ENCODINGS = st.sampled_from([UTF8, UTF16, UTF32])
#: one, two, three and four bytes of UTF-8; what str.splitlines takes for ends of lines, and what are
TEXTS = st.text("aé\u2028\u3042\U0001f600\x0c\x85\r\n", max_size=30)
#: edits bring the file's own line ends, so here there is only one kind
LINES = st.text("aé\u2028\x0c\U0001f600\n", max_size=30)


def bytes_before(text: str, position: types.Position, encoding: types.PositionEncodingKind) -> bytes:
    """The encoded text before a position, found as the protocol defines it."""
    codec, width = CODECS[encoding]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ends = []
    rest = text
    for line in lines:
        rest = rest[len(line) :]
        end = "\r\n" if rest.startswith("\r\n") else rest[:1]
        ends.append(end)
        rest = rest[len(end) :]
    whole = "".join(line + end for line, end in zip(lines[: position.line], ends, strict=False))
    return whole.encode(codec) + lines[position.line].encode(codec)[: position.character * width]


@given(TEXTS, ENCODINGS, st.data())
def test_a_position_is_where_the_protocol_puts_it(
    text: str, encoding: types.PositionEncodingKind, data: st.DataObject
) -> None:
    source = Source("", text)
    ruler = Ruler(source, encoding)
    row = data.draw(st.integers(1, len(source.lines)))
    column = data.draw(st.integers(1, len(source.lines[row - 1].rstrip("\r\n")) + 1))
    position = ruler.position(row, column)
    codec, _ = CODECS[encoding]
    assert bytes_before(text, position, encoding) == text[: source.offset(row, column)].encode(codec)
    assert ruler.place(position) == (row, column)


@given(TEXTS, TEXTS, ENCODINGS, st.data())
def test_an_incremental_change_replaces_what_its_range_covers(
    text: str, new: str, encoding: types.PositionEncodingKind, data: st.DataObject
) -> None:
    source = Source("", text)
    ruler = Ruler(source, encoding)
    places = sorted(
        source.offset(row, column)
        for row in data.draw(st.lists(st.integers(1, len(source.lines)), min_size=2, max_size=2))
        for column in [data.draw(st.integers(1, len(source.lines[row - 1].rstrip("\r\n")) + 1))]
    )
    start, end = (ruler.position(*source.position(offset)) for offset in places)
    change = types.TextDocumentContentChangePartial(types.Range(start, end), new)
    assert edited(text, [change], encoding) == text[: places[0]] + new + text[places[1] :]


@given(LINES, LINES)
def test_the_difference_of_two_texts_makes_one_the_other(before: str, after: str) -> None:
    source = Source("", before)
    assert applied(source, difference(source, Source("", after))).text == after


def test_a_place_beyond_its_line_is_at_the_end_of_it_and_beyond_the_text_at_its_end() -> None:
    ruler = Ruler(Source("", "ab\r\ncd"), UTF16)
    assert ruler.place(types.Position(0, 99)) == (1, 3)
    assert ruler.place(types.Position(9, 0)) == (2, 3)


def test_a_place_inside_of_a_character_is_before_it() -> None:
    assert characters("\U0001f600a", 1, UTF16) == 0
    assert characters("\U0001f600a", 3, UTF8) == 0
    assert units("\U0001f600a", UTF8) == 5


@pytest.mark.parametrize("encoding", [UTF8, UTF16, UTF32])
def test_edits_at_one_place_are_one_edit(encoding: types.PositionEncodingKind) -> None:
    source = Source("", "a = b\n")
    edits = [Edit(Span(1, 5, 1, 5), "("), Edit(Span(1, 5, 1, 6), "c"), Edit(Span(1, 6, 1, 6), ")")]
    (made,) = text_edits(edits, Ruler(source, encoding))
    assert (made.new_text, made.range.start.character, made.range.end.character) == ("(c)", 4, 5)
