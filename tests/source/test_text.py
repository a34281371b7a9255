"""Source: rows, columns, offsets and bytes."""

from __future__ import annotations

import ast
import sys

import pytest

from nanlint.diagnostic import Span
from nanlint.source import Source, SourceError, Unparsable


def _first_call(source: Source) -> ast.Call:
    return next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    "text",
    [
        "x = f(1)\n",
        "x = 'äöü'; y = f(1)\n",
        "x = '日本語' + f('é')\n",
        "if x:\n\ty = '𝛼' + f(\n\t'é', 2)\n",
        "a = 1\r\nb = f(2)\r\n",
        "a = 1\rb = f(2)\r",
        "a = 1\x0c\nb = f('\u2028', '\x85')\n",
    ],
)
def test_the_span_of_a_node_cuts_out_its_own_text(text: str) -> None:
    source = Source("a.py", text)
    segment = source.segment(source.span(_first_call(source)))
    assert segment.startswith("f(")
    assert segment.endswith(")")
    assert text.count(segment) == 1


def test_columns_count_characters_not_bytes() -> None:
    source = Source("a.py", "x = 'é'; y = f(1)\n")
    assert source.span(_first_call(source)) == Span(1, 14, 1, 18)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n", ""]),
        ("a\x0cb\u2028c\x85d\x1ce\n", ["a\x0cb\u2028c\x85d\x1ce\n", ""]),
    ],
)
def test_lines_end_only_where_pythons_tokenizer_ends_them(text: str, lines: list[str]) -> None:
    assert list(Source("a.py", text).lines) == lines


def test_position_is_the_inverse_of_offset() -> None:
    source = Source("a.py", "ä = 1\r\n\r\nb = '𝛼'\rc\n")
    for offset in range(len(source.text) + 1):
        assert source.offset(*source.position(offset)) == offset


def test_a_position_beyond_the_end_is_the_end() -> None:
    source = Source("a.py", "a\nbc")
    assert source.offset(9, 1) == source.offset(2, 99) == 4


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        (b"x = 1\n", "utf-8", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "utf-8", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso-8859-1", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"#!/usr/bin/python\r# vim: set fileencoding=cp1252 :\rx = '\x80'\r", "cp1252", None),
        (b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\r\n", "utf-8", "# coding: utf-8\nx = 'é'\r\n"),
        ("x = 'encoding'\ny = 'é'\n".encode(), "utf-8", "x = 'encoding'\ny = 'é'\n"),
        (b"", "utf-8", ""),
    ],
)
def test_bytes_are_decoded_as_python_would_and_come_back_the_same(
    content: bytes, encoding: str, text: str | None
) -> None:
    source = Source.from_bytes(content, "a.py")
    assert source.encoding == encoding
    assert text is None or source.text == text
    assert source.to_bytes() == content


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x = 1\n".encode("utf-16"), "UTF-16"),
        ("x = 1\n".encode("utf-32"), "UTF-32"),
        (b"x = 1\ny = '\0'\n", "NUL byte in line 2"),
        (b"x = 1\ny = '\xe9'\n", "byte 0xe9 in line 2 is not valid utf-8"),
        (b"# coding: klingon\nx = 1\n", "unknown encoding 'klingon'"),
        (b"# coding: rot13\nk = 1\n", "'rot13', which is not a text encoding"),
        (b"# coding: utf-16\nx = 1\n", "utf-16"),
        (b"# coding: ascii\nx = '\xe9'\n", "line 2 is not valid ascii"),
    ],
)
def test_bytes_that_are_no_python_text_are_refused_by_name_and_reason(content: bytes, says: str) -> None:
    with pytest.raises(SourceError) as refused:
        Source.from_bytes(content, "dir/a.py")
    assert str(refused.value).startswith("dir/a.py: ")
    assert says in str(refused.value)


def test_a_character_that_does_not_fit_the_encoding_is_not_written() -> None:
    source = Source("a.py", "x = '€'\n", encoding="iso-8859-1")
    with pytest.raises(SourceError, match="cannot be written in its encoding iso-8859-1"):
        source.to_bytes()


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("x = (1,\ny = 2\n", (1, 5), "'(' was never closed"),
        ("def f():\nreturn 1\n", (2, 1), "expected an indented block"),
        ("é = 'abc\n", (1, 5), "unterminated string"),
    ],
)
def test_a_syntax_error_is_told_at_its_place(text: str, place: tuple[int, int], says: str) -> None:
    with pytest.raises(Unparsable) as stopped:
        _ = Source("a.py", text).tree
    assert (stopped.value.span.row, stopped.value.span.column) == place
    assert says in stopped.value.message
    assert "Python" not in stopped.value.message


@pytest.mark.parametrize(
    "text",
    [
        "print 'hello'\n",
        "exec 'x = 1' in {}\n",
        "x = `1`\n",
        "raise ValueError, 'no'\n",
        "x = 0777\n",
        "x = 10L\n",
        "if 1 <> 2: pass\n",
    ],
)
def test_python_2_is_recognised(text: str) -> None:
    with pytest.raises(Unparsable) as stopped:
        _ = Source("a.py", text).tree
    assert "looks like Python 2" in stopped.value.message


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("type Row = list[float]\n", (3, 12)),
        ("def first[T](rows: list[T]) -> T: ...\n", (3, 12)),
        ("class Rows[T]: ...\n", (3, 12)),
        ("""x = f"{'a' + f"{y}"}"\n""", (3, 12)),
        ("try: ...\nexcept ValueError, TypeError: ...\n", (3, 14)),
        ("x = t'{y}'\n", (3, 14)),
    ],
)
def test_syntax_of_a_newer_python_is_told_with_the_one_that_reads_it(text: str, version: tuple[int, int]) -> None:
    if sys.version_info >= version:
        assert Source("a.py", text).tree.body
        return
    with pytest.raises(Unparsable) as stopped:
        _ = Source("a.py", text).tree
    newer, running = (".".join(map(str, one)) for one in (version, sys.version_info[:2]))
    assert stopped.value.message.endswith(f": this needs Python {newer}, but nanlint runs on Python {running}")


@pytest.mark.parametrize(
    "text", ["(" * 5000 + ")" * 5000, "x = " + "-" * 200_000 + "1\n", "x = " + "a." * 200_000 + "b"]
)
def test_nesting_beyond_pythons_parser_is_said_and_no_crash(text: str) -> None:
    with pytest.raises(Unparsable, match="too deeply nested to parse"):
        _ = Source("a.py", text).tree


def test_a_long_file_that_is_not_deep_is_parsed() -> None:
    assert len(Source("a.py", "x = f(1)\n" * 20_000).tree.body) == 20_000
    with pytest.raises(Unparsable) as stopped:
        _ = Source("a.py", "x = f(1)\n" * 20_000 + "x = (").tree
    assert stopped.value.span.row == 20_001


def test_warnings_about_the_users_code_are_not_ours_to_print(recwarn: pytest.WarningsRecorder) -> None:
    _ = Source("a.py", "x = '\\d' is 1\n").tree
    assert len(recwarn) == 0
