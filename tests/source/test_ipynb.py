"""The JSON of notebooks: read with its places, written with other sources, refused with a reason."""

from __future__ import annotations

import json

import nbformat
import pytest

from nanlint.source import SourceError
from nanlint.source.ipynb import read_notebook

SOURCE = "import torch\nx = 'é'\ny = 1"


def _notebook(source: object = SOURCE, **more: object) -> dict[str, object]:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# title"},
        {"source": source, "outputs": [{"output_type": "stream", "name": "stdout", "text": "\\u00e9 é 😀"}]}
        | {"cell_type": "code", "execution_count": None, "metadata": {"source": "no source"}},
    ]
    return {"cells": cells, "metadata": {"x": {"cells": []}}, "nbformat": 4, "nbformat_minor": 5, **more}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@pytest.mark.parametrize("source", [SOURCE, _lines(SOURCE)], ids=["string", "lines"])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 1, 4, "\t"])
@pytest.mark.parametrize("separators", [None, (",", ":")])
@pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
def test_only_the_lines_that_change_change(
    source: object, ascii_only: bool, indent: int | str | None, separators: tuple[str, str] | None, end: str
) -> None:
    def encoded(value: object) -> bytes:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators) + end
        return text.encode()

    file = read_notebook(encoded(_notebook(source)), "a.ipynb")
    (cell,) = file.cells
    assert (cell.number, cell.text) == (2, SOURCE)
    assert file.with_sources({}) == encoded(_notebook(source))
    mended = SOURCE.replace("y = 1", "y = 2\nz = 'ä'")
    after = mended if isinstance(source, str) else _lines(mended)
    assert file.with_sources({2: mended}) == encoded(_notebook(after))


def test_what_stays_of_a_source_stays_as_it_was_written() -> None:
    odd = r'{"nbformat": 4, "cells": [ {"cell_type":"code","source" : [ "\u0061 = 1\n" ,"b\u003d 2\n" ,"c = 3" ] } ]}'
    file = read_notebook(odd.encode(), "a.ipynb")
    assert file.with_sources({1: "a = 1\nb= 2\nc = 4"}) == odd.replace("c = 3", "c = 4").encode()
    assert file.with_sources({1: ""}) == odd.replace(r'[ "\u0061 = 1\n" ,"b\u003d 2\n" ,"c = 3" ]', "[]").encode()


def test_an_empty_list_of_lines_can_be_filled() -> None:
    file = read_notebook(b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": []}]}', "a.ipynb")
    assert b'"source": ["a\\n", "b"]' in file.with_sources({1: "a\nb"})


def test_a_byte_order_mark_stays() -> None:
    content = b"\xef\xbb\xbf" + json.dumps(_notebook()).encode()
    assert read_notebook(content, "a.ipynb").with_sources({}) == content


def test_format_3_has_its_cells_in_worksheets() -> None:
    old = nbformat.v3.new_notebook(
        worksheets=[nbformat.v3.new_worksheet(cells=[nbformat.v3.new_code_cell(input=text)]) for text in ("a", "b")]
    )
    content = nbformat.v3.nbjson.writes(old).encode()
    file = read_notebook(content, "a.ipynb")
    assert [(cell.number, cell.text) for cell in file.cells] == [(1, "a"), (2, "b")]
    assert file.with_sources({2: "c"}) == content.replace(b'"b"', b'"c"')


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({}, "python"),
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"language": "julia", "name": "julia-1.9"}}, "julia"),
        ({"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}}, "python"),
        ({"kernelspec": None, "language_info": 3}, "python"),
    ],
)
def test_the_kernel_says_which_language_it_is(metadata: object, language: str) -> None:
    assert read_notebook(json.dumps(_notebook(metadata=metadata)).encode(), "a.ipynb").language == language


def test_a_cell_of_another_language_is_left_out() -> None:
    cells = [
        {"cell_type": "code", "metadata": {"vscode": {"languageId": "sql"}}, "source": "select 1"},
        {"cell_type": "code", "metadata": {"vscode": {"languageId": "python"}}, "source": "x = 1"},
    ]
    file = read_notebook(json.dumps(_notebook(cells=cells)).encode(), "a.ipynb")
    assert [cell.number for cell in file.cells] == [2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.ipynb: is empty, so it is not a notebook"),
        (b"x = 1\n", "a.ipynb: is not valid JSON: expecting value in line 1"),
        (b'{"cells": [],\n "nbformat": 4', "a.ipynb: is not valid JSON: expecting ',' delimiter in line 2"),
        (b'{"cells": [], "nbformat": 4}\n}', "a.ipynb: is not valid JSON: extra data in line 2"),
        (b'{"cells": [], 3: 4}', "a.ipynb: is not valid JSON: expecting property name"),
        (b"[]", "a.ipynb: is not a notebook: its JSON is not an object"),
        (b'{"cells": []}', 'a.ipynb: is not a notebook: it has no "nbformat"'),
        (b'{"cells": [], "nbformat": 7}', "a.ipynb: its notebook format is 7, but nanlint reads 3 and 4"),
        (b'{"cells": [], "nbformat": "4"}', "a.ipynb: its notebook format is '4'"),
        (b'{"nbformat": 4}', 'a.ipynb: is not a valid notebook: it has no "cells"'),
        (b'{"cells": {}, "nbformat": 4}', 'a.ipynb: is not a valid notebook: its "cells" are not a list'),
        (b'{"cells": [{"cell_type": "code", "source": "a"}, 3], "nbformat": 4}', "notebook: cell 2 is not an object"),
        (b'{"cells": [{"source": "a"}], "nbformat": 4}', 'a valid notebook: cell 1 has no "cell_type"'),
        (b'{"cells": [{"cell_type": "code"}], "nbformat": 4}', 'cell 1 has a "source" that is neither a string nor'),
        (b'{"cells": [{"cell_type": "code", "source": [1]}], "nbformat": 4}', 'cell 1 has a "source" that is neither'),
        (b'{"worksheets": 3, "nbformat": 3}', 'a valid notebook: its "worksheets" are not a list'),
        (b'{"worksheets": [3], "nbformat": 3}', "one of its worksheets is not an object"),
        (b'{"cells": "\xff"}', "a.ipynb: is not UTF-8, as notebooks are"),
        ('{"cells": []}'.encode("utf-16"), "a.ipynb: is encoded in UTF-16"),
        (b'{"metadata": ' + b"[" * 100_000, "a.ipynb: is not a notebook: its JSON is too deeply nested"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(content: bytes, message: str) -> None:
    with pytest.raises(SourceError) as error:
        read_notebook(content, "a.ipynb")
    assert message in str(error.value)
    assert "a.ipynb" in str(error.value)
