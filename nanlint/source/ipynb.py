"""Notebook files: the JSON of an .ipynb with the places of its cells' sources, and the same JSON with other sources.

Nothing but the sources that change is ever written anew, so a notebook keeps its indentation, the order of its keys,
its outputs and its last newline. What the cells hold is no business of this module.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from nanlint.source.decoding import SourceError, reject_binary

_OLDEST, _NEWEST = 3, 4  # of the format; 4 is current since 2014
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class CodeCell:
    """A cell of code: its number among all cells, counted from 1, its source, and where the JSON of that stands."""

    number: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class NotebookFile:
    """The JSON of a notebook, its language in lower case, and its cells of code in that language."""

    path: str
    json: str
    language: str
    cells: tuple[CodeCell, ...]
    bom: bytes = b""

    def with_sources(self, sources: Mapping[int, str]) -> bytes:
        """The file's bytes with other sources for some cells, by their number."""
        pieces: list[str] = []
        at = 0
        for cell in self.cells:
            new = sources.get(cell.number, cell.text)
            if new != cell.text:
                pieces += (self.json[at : cell.start], self._encoded(cell, new))
                at = cell.end
        return self.bom + "".join((*pieces, self.json[at:])).encode("utf-8", "surrogatepass")

    def line_of(self, number: int, row: int) -> int:
        """The line of the file in which a row of a cell is written, as the file was read."""
        cell = next(cell for cell in self.cells if cell.number == number)
        at = cell.start
        for text, start, _ in _strings(self.json[cell.start : cell.end]) if self.json[at] == "[" else ():
            at = cell.start + start
            if row <= max(text.count("\n"), 1):
                break
            row -= text.count("\n")
        return self.json.count("\n", 0, at) + 1

    def _encoded(self, cell: CodeCell, text: str) -> str:
        """A source as the cell had it: a string, or a list of lines in which those that stay are as they were."""
        old = self.json[cell.start : cell.end]
        if old.startswith('"'):
            return json.dumps(text, ensure_ascii=self._escapes)
        strings = list(_strings(old))
        opening, separator, closing = _punctuation(old, strings)
        known = {one: old[start:end] for one, start, end in strings}
        lines = [line for line in re.split(r"(?<=\n)", text) if line]
        encoded = [known.get(line) or json.dumps(line, ensure_ascii=self._escapes) for line in lines]
        return f"[{opening}{separator.join(encoded)}{closing}]" if encoded else "[]"

    @cached_property
    def _escapes(self) -> bool:
        """Whether the file writes what is not ASCII as escapes."""
        return self.json.isascii() and "\\u" in self.json


def read_notebook(content: bytes, path: str) -> NotebookFile:
    """Read the JSON of a notebook; raises SourceError for what is none."""
    reject_binary(content, path)
    bom = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        text = content[len(bom) :].decode()
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: is not UTF-8, as notebooks are: {error.reason} at byte {error.start}") from None
    if not text.strip():
        raise SourceError(f"{path}: is empty, so it is not a notebook; open it in Jupyter and save it, or remove it")
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise SourceError(f"{path}: is not valid JSON: {_lower(error.msg)} in line {error.lineno}") from None
    except RecursionError:
        raise SourceError(f"{path}: is not a notebook: its JSON is too deeply nested") from None
    if not isinstance(notebook, dict):
        raise SourceError(f"{path}: is not a notebook: its JSON is not an object")
    found, own = list(_cells(text, path)), _language(notebook)
    _validate(notebook, path)
    cells = tuple(cell for cell, language in found if language in (None, own))
    return NotebookFile(path, text, own, cells, bom)


def _parts(text: str, at: int) -> Iterator[tuple[str, Any, int, int]]:
    """What is in a JSON object or array that begins there: the key, if it has one, the value, and where that stands."""
    closing = {"{": "}", "[": "]"}[text[at]]
    at = _beyond(text, at + 1)
    while text[at] != closing:
        key = ""
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _beyond(text, _beyond(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        yield key, value, at, end
        at = _beyond(text, end)
        if text[at] == ",":
            at = _beyond(text, at + 1)


def _beyond(text: str, at: int) -> int:
    """Where the white space ends that begins there."""
    return cast("re.Match[str]", _SPACE.match(text, at)).end()


def _lists(text: str, path: str) -> Iterator[tuple[Any, int]]:
    """The lists of cells, and where each begins: one, or in format 3 that of each worksheet. Raises SourceError."""
    for key, value, at, _ in _parts(text, _beyond(text, 0)):
        if key == "worksheets" and not isinstance(value, list):
            raise SourceError(f'{path}: is not a valid notebook: its "worksheets" are not a list')
        for _, sheet, place, _ in _parts(text, at) if key == "worksheets" else ():
            if not isinstance(sheet, dict):
                raise SourceError(f"{path}: is not a valid notebook: one of its worksheets is not an object")
            yield from ((cells, there) for name, cells, there, _ in _parts(text, place) if name == "cells")
        if key == "cells":
            yield value, at


def _cells(text: str, path: str) -> Iterator[tuple[CodeCell, str | None]]:
    """The cells of code, each with the language that it names. Raises SourceError."""
    number = 0
    for cells, at in _lists(text, path):
        if not isinstance(cells, list):
            raise SourceError(f'{path}: is not a valid notebook: its "cells" are not a list')
        for _, cell, place, _ in _parts(text, at):
            number += 1
            if not isinstance(cell, dict):
                raise _invalid(path, number, "is not an object")
            if not isinstance(cell.get("cell_type"), str):
                raise _invalid(path, number, 'has no "cell_type"')
            if cell["cell_type"] != "code":
                continue
            sources = [part[1:] for part in _parts(text, place) if part[0] in ("source", "input")]  # input: format 3
            source, start, end = sources[-1] if sources else (None, 0, 0)
            if isinstance(source, list) and all(isinstance(line, str) for line in source):
                source = "".join(source)
            if not isinstance(source, str):
                raise _invalid(path, number, 'has a "source" that is neither a string nor a list of strings')
            language = _at(cell, "metadata", "vscode", "languageId") or cell.get("language")  # of format 3
            yield CodeCell(number, source, start, end), language.lower() if isinstance(language, str) else None


def _invalid(path: str, number: int, what: str) -> SourceError:
    return SourceError(f"{path}: is not a valid notebook: cell {number} {what}")


def _validate(notebook: Mapping[str, Any], path: str) -> None:
    """Raise SourceError for JSON that is no notebook of a format that is known."""
    mend = "open it in Jupyter and save it, or exclude it"
    version = notebook.get("nbformat")
    if version is None:
        raise SourceError(f'{path}: is not a notebook: it has no "nbformat"; {mend}')
    if not isinstance(version, int) or not _OLDEST <= version <= _NEWEST:
        known = f"nanlint reads {_OLDEST} and {_NEWEST}"
        raise SourceError(f"{path}: its notebook format is {version!r}, but {known}; {mend}")
    sheets = notebook.get("worksheets") or ()
    if "cells" not in notebook and not any("cells" in sheet for sheet in sheets):
        raise SourceError(f'{path}: is not a valid notebook: it has no "cells"; {mend}')


def _language(notebook: Mapping[str, Any]) -> str:
    """What the kernel speaks, in lower case; Python where the notebook does not say."""
    for place in (("language_info", "name"), ("kernelspec", "language")):
        language = _at(notebook, "metadata", *place)
        if isinstance(language, str) and language:
            return language.lower()
    return "python"


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _strings(array: str) -> Iterator[tuple[str, int, int]]:
    """The strings of a JSON array of strings, each with where it begins and ends."""
    at = array.find('"')
    while at >= 0:
        value, end = _DECODER.raw_decode(array, at)
        yield value, at, end
        at = array.find('"', end)


def _punctuation(array: str, strings: list[tuple[str, int, int]]) -> tuple[str, str, str]:
    """What stands before, between and after the strings of a JSON array."""
    if not strings:
        return "", ", ", ""
    (_, first, end), *others = strings
    opening = array[1:first]
    separator = array[end : others[0][1]] if others else "," + (opening or " ")
    return opening, separator, array[strings[-1][2] : -1]
