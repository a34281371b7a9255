"""What IPython allows in a cell beyond Python: the cell as Python in which every position is what it was.

IPython rewrites magics (``%time``), shell lines (``!pip …``), assignments of both, and help (``obj?``) to calls; here a
stand-in of the same extent takes their place, and what they run as Python stays. The rules are IPython's own
(``IPython.core.inputtransformer2``): an escape counts at the beginning of a logical line or of an assigned value, so
tokens decide, and a ``%`` or ``!`` in a string or in brackets is none.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, getopt
from itertools import accumulate

from nanlint.source.syntax import Unparsable, parse

#: cell magics whose cell is Python (Ruff's, and the profilers'); of any other it is another language, or text
_PYTHON_CELLS = frozenset(
    {"capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit"} | {"lprun", "memit", "mprun"}
)

#: line magics that run the rest of their line as Python, with their options in getopt's language
_PYTHON_LINES = {
    "time": "",
    "timeit": "n:r:tcp:qov:",
    "prun": "D:l:rs:T:q",
    "memit": "r:t:i:co",
    "mprun": "f:T:rc",
    "lprun": "f:m:D:T:su:rz",
}

_ESCAPES = ("!", "%", "?", ",", ";", "/")
#: the file that cells are parsed as; under the name of a real one Python would look errors up in it
_CELL = "<cell>"

#: a cell with an indentation or the prompts of a session, which IPython takes off, so that columns are others
_PASTED = re.compile(r"\s*\n*[ \t]+\S|(.*\n)?(>>>|\.\.\.|In \[\d+\]:)( |$)")
_ASSIGNED = ("!", "%")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_LAYOUT = (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT)


@dataclass(frozen=True)
class CellProgram:
    """A cell as Python: ``text`` has the extent of the cell, and is None where the cell is no Python.

    ``masked`` are the ranges of offsets in which a stand-in took the place of something else; ``failure`` is why the
    cell does not parse.
    """

    text: str | None
    masked: tuple[range, ...] = ()
    failure: Unparsable | None = None


def cell_program(text: str) -> CellProgram:
    """Read a cell as IPython does."""
    mask = _Mask(text)
    magic = _cell_magic(text)
    if magic is not None:
        if magic not in _PYTHON_CELLS:
            return CellProgram(None)
        start = len(text) - len(text.lstrip())
        mask.replace(start, start + len(text[start:].partition("\n")[0].rstrip("\r")))
    try:
        try:
            tree = parse(mask.text, _CELL)
        except Unparsable:
            _mask_escapes(mask)
            tree = parse(mask.text, _CELL)
    except Unparsable as error:
        return CellProgram(None, failure=None if _PASTED.match(text) else error)
    _mask_exits(mask, tree)
    return CellProgram(mask.text, tuple(mask.ranges))


def _cell_magic(text: str) -> str | None:
    first = text.lstrip().partition("\n")[0]
    return (first[2:].split() or [""])[0] if first.startswith("%%") else None


@dataclass
class _Mask:
    """A text in which stretches give way to stand-ins of the same length; newlines stay."""

    text: str
    ranges: list[range] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = list(io.StringIO(self.text, newline=""))
        self._starts = [0, *accumulate(map(len, self.lines))]

    def replace(self, start: int, end: int, stand_in: str = "_") -> None:
        """Put an opaque value there, and blanks up to the end: it says nothing, and as a statement does nothing."""
        blank = "".join(sign if sign in "\r\n" else " " for sign in self.text[start + len(stand_in) : end])
        self.text = self.text[:start] + stand_in + blank + self.text[end:]
        self.ranges.append(range(start, end))

    def offset(self, row: int, column: int) -> int:
        return self._starts[row] + column

    def offset_of_bytes(self, row: int, column: int) -> int:
        """The offset of ast's 1-based row and 0-based column in bytes."""
        before = self.lines[row - 1].encode("utf-8", "surrogatepass")[:column]
        return self._starts[row - 1] + len(before.decode("utf-8", "replace"))


# Escapes


def _mask_escapes(mask: _Mask) -> None:
    lines = mask.lines
    row = 0
    while row < len(lines):
        line = lines[row]
        end = row + 1
        if line.strip() in ("", "\\") or line.lstrip().startswith("#"):
            pass  # belongs to the statement below for the tokenizer, and to none for IPython
        elif line.lstrip().startswith(_ESCAPES):
            end = _continued(lines, row)
            _mask_escape(mask, mask.offset(row, len(line) - len(line.lstrip())), mask.offset(end, 0), statement=True)
        elif tokens := list(_logical_line(lines[row:])):
            assigned = _assigned_escape(tokens)
            if assigned is not None:
                at = row + assigned.start[0] - 1
                end = _continued(lines, at)
                _mask_escape(mask, mask.offset(at, assigned.start[1]), mask.offset(end, 0), statement=False)
            else:
                first, last = tokens[0], tokens[-1]
                end = row + last.end[0]
                if last.string == "?":
                    start = mask.offset(row + first.start[0] - 1, first.start[1])
                    mask.replace(start, mask.offset(end - 1, last.end[1]))
        row = end


def _continued(lines: Sequence[str], row: int) -> int:
    """The row after a line and those that backslashes add to it."""
    while row < len(lines) - 1 and lines[row].rstrip("\r\n").endswith("\\"):
        row += 1
    return row + 1


def _logical_line(lines: Iterable[str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens of the statement (or of the head of one) that begins with the first line, as far as it tokenises."""
    following = iter(lines)
    try:
        for token in tokenize.generate_tokens(lambda: next(following, "")):
            if token.type == tokenize.NEWLINE:
                return
            if token.type not in _LAYOUT and token.string.strip():
                yield token
    except (tokenize.TokenError, SyntaxError):
        return


def _assigned_escape(tokens: Iterable[tokenize.TokenInfo]) -> tokenize.TokenInfo | None:
    """The escape of ``name = %magic`` or ``name = !command``."""
    depth = 0
    assigned = False
    for token in tokens:
        if assigned and token.string[:1] in _ASSIGNED:
            return token
        depth += _BRACKETS.get(token.string, 0)
        assigned = depth == 0 and token.string == "="
    return None


def _mask_escape(mask: _Mask, start: int, end: int, *, statement: bool) -> None:
    """Mask an escape; the Python that a magic runs stays, if it can stand where the escape stands."""
    written = mask.text[start:end].rstrip("\r\n")
    at = _python_in(written)
    if at is None:
        mask.replace(start, start + len(written))
    else:
        mask.replace(start, start + at, "_;" if statement else "")


def _python_in(escape: str) -> int | None:
    """Where in ``%magic -options statement`` a simple statement begins, if the magic runs it."""
    name, _, rest = escape[1:].partition(" ")
    options = _PYTHON_LINES.get(name) if escape.startswith("%") else None
    if options is None:
        return None
    try:
        _, words = getopt(rest.split(), options, ["no-raise-error"])
    except GetoptError:
        return None
    at = len(escape)
    for word in reversed(words):
        at = escape.rindex(word, 0, at)
    try:
        (statement,) = parse(escape[at:], _CELL).body
    except (Unparsable, ValueError):
        return None
    return None if hasattr(statement, "body") else at


# Exits


def _mask_exits(mask: _Mask, tree: ast.Module) -> None:
    """A ``return`` or ``raise`` ends its cell and not the notebook: what stands in other cells runs all the same."""
    for statement in tree.body:
        start = mask.offset_of_bytes(statement.lineno, statement.col_offset)
        if isinstance(statement, ast.Return) and statement.value is not None:
            mask.replace(start, start + len("return"), "_;")
        elif isinstance(statement, ast.Return | ast.Raise):
            mask.replace(start, mask.offset_of_bytes(statement.end_lineno or 1, statement.end_col_offset or 0))
