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
from typing import Any

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
    reader = _Reader(text, path)
    try:
        reader.notebook()
    except json.JSONDecodeError as error:
        raise SourceError(f"{path}: is not valid JSON: {_lower(error.msg)} in line {error.lineno}") from None
    except RecursionError:
        raise SourceError(f"{path}: is not a notebook: its JSON is too deeply nested") from None
    reader.validate()
    cells = tuple(cell for cell, language in reader.cells if language in (None, reader.language))
    return NotebookFile(path, text, reader.language, cells, bom)


class _Reader:
    """One pass over the JSON: what matters is taken with its place, the rest is skipped."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.text = text
        self.at = 0
        self.version: object = None
        self.metadata: object = None
        self.cells: list[tuple[CodeCell, str | None]] = []
        self._count = 0
        self._has_cells = False

    # JSON

    def _next(self) -> str:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def _take(self, sign: str) -> bool:
        if self._next() != sign:
            return False
        self.at += 1
        return True

    def _expect(self, sign: str, message: str) -> None:
        if not self._take(sign):
            raise json.JSONDecodeError(message, self.text, self.at)

    def _members(self) -> Iterator[str]:
        """The keys of an object; who gets one takes its value before asking for the next."""
        self._expect("{", "Expecting an object")
        if self._take("}"):
            return
        while True:
            if self._next() != '"':
                raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self.text, self.at)
            key = self._value()
            self._expect(":", "Expecting ':' delimiter")
            yield key
            if self._take("}"):
                return
            self._expect(",", "Expecting ',' delimiter")

    def _items(self) -> Iterator[None]:
        """The items of an array; who gets one takes its value before asking for the next."""
        self._expect("[", "Expecting an array")
        if self._take("]"):
            return
        while True:
            yield None
            if self._take("]"):
                return
            self._expect(",", "Expecting ',' delimiter")

    def _value(self) -> Any:
        self._next()
        value, self.at = _DECODER.raw_decode(self.text, self.at)
        return value

    # Notebooks

    def notebook(self) -> None:
        """Read all of it. Raises JSONDecodeError, SourceError."""
        if self._next() != "{":
            self._value()
            raise SourceError(f"{self.path}: is not a notebook: its JSON is not an object")
        for key in self._members():
            if key == "cells":
                self._cells()
            elif key == "worksheets":  # format 3
                self._worksheets()
            elif key == "nbformat":
                self.version = self._value()
            elif key == "metadata":
                self.metadata = self._value()
            else:
                self._value()
        if self._next():
            raise json.JSONDecodeError("Extra data", self.text, self.at)

    def _worksheets(self) -> None:
        if self._next() != "[":
            raise SourceError(f'{self.path}: is not a valid notebook: its "worksheets" are not a list')
        for _ in self._items():
            if self._next() != "{":
                raise SourceError(f"{self.path}: is not a valid notebook: one of its worksheets is not an object")
            for key in self._members():
                if key == "cells":
                    self._cells()
                else:
                    self._value()

    def _cells(self) -> None:
        self._has_cells = True
        if self._next() != "[":
            raise SourceError(f'{self.path}: is not a valid notebook: its "cells" are not a list')
        for _ in self._items():
            self._count += 1
            if self._next() != "{":
                raise self._invalid("is not an object")
            self._cell()

    def _cell(self) -> None:
        kind: object = None
        source: object = None
        language: object = None
        start = end = 0
        for key in self._members():
            if key in ("source", "input"):  # input: format 3
                self._next()
                start, source, end = self.at, self._value(), self.at
            elif key == "cell_type":
                kind = self._value()
            elif key == "metadata":
                language = _at(self._value(), "vscode", "languageId") or language
            elif key == "language":  # format 3
                language = self._value()
            else:
                self._value()
        if not isinstance(kind, str):
            raise self._invalid('has no "cell_type"')
        if kind != "code":
            return
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise self._invalid('has a "source" that is neither a string nor a list of strings')
        cell = CodeCell(self._count, source, start, end)
        self.cells.append((cell, language.lower() if isinstance(language, str) else None))

    def _invalid(self, what: str) -> SourceError:
        return SourceError(f"{self.path}: is not a valid notebook: cell {self._count} {what}")

    def validate(self) -> None:
        """Raise SourceError for JSON that is no notebook of a format that is known."""
        mend = "open it in Jupyter and save it, or exclude it"
        if self.version is None:
            raise SourceError(f'{self.path}: is not a notebook: it has no "nbformat"; {mend}')
        if not isinstance(self.version, int) or not _OLDEST <= self.version <= _NEWEST:
            known = f"nanlint reads {_OLDEST} and {_NEWEST}"
            raise SourceError(f"{self.path}: its notebook format is {self.version!r}, but {known}; {mend}")
        if not self._has_cells:
            raise SourceError(f'{self.path}: is not a valid notebook: it has no "cells"; {mend}')

    @property
    def language(self) -> str:
        """What the kernel speaks, in lower case; Python where the notebook does not say."""
        for place in (("language_info", "name"), ("kernelspec", "language")):
            language = _at(self.metadata, *place)
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
