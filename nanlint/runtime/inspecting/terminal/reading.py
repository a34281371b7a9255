"""How a command is read: its words and options, under tfdbg's names, and what a name, number or pattern means."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from typing import Any, NoReturn

from nanlint.refused import Refused


class Mistake(Refused):
    """A command that cannot be done; the message says why, and what can."""


class Options(argparse.ArgumentParser):
    """The options of one command. Raises Mistake where argparse would end the program."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the options."""
        raise Mistake(f"{self.prog}: {message}; help {self.prog} explains them")


#: what tensors can be sorted by under tfdbg's names, beside ours
_SORTS = {"tensor_name": "name", "timestamp": "step", "dump_size": "size"}
_SORTED = ("name", "step", "size", "op_type")
_ON: dict[str, Any] = {"action": "store_true"}
_TEXT: dict[str, Any] = {"default": ""}
_NAMES: tuple[tuple[str, ...], dict[str, Any]] = ("name",), {"nargs": "*"}
_FILTER = (
    (("-f", "--tensor_filter", "--till_filter_pass"), {"dest": "filter"}),
    (("-fenn", "--filter_exclude_node_names"), {"dest": "exclude"}),
)
_WRITE: tuple[tuple[str, ...], dict[str, Any]] = ("-w", "--write_path"), _TEXT
_AROUND = (
    _NAMES,
    (("-c", "--control"), _ON),
    (("-d", "--depth"), {"type": int, "default": 20}),
    (("-r", "--recursive"), _ON),
    (("-t", "--op_type"), _ON),
)
#: the options of each command of tfdbg, as argparse takes them
OPTIONS: dict[str, tuple[tuple[tuple[str, ...], dict[str, Any]], ...]] = {
    "lt": (
        *_FILTER,
        (("-n", "--node_name_filter"), {"dest": "named"}),
        (("-t", "--op_type_filter"), {"dest": "op"}),
        (
            ("-s", "--sort_by"),
            {"dest": "sort", "type": lambda by: _SORTS.get(by, by), "choices": [*_SORTED], "default": ""},
        ),
        (("-r", "--reverse"), _ON),
    ),
    "run": (*_FILTER, (("-t", "--times"), {"type": int, "default": 1}), (("-n", "--no_debug"), _ON)),
    "pt": (
        (("name",), {"nargs": "+"}),
        (("-n", "--number"), {"type": int}),
        (("-r", "--ranges"), _TEXT),
        (("-a", "--all"), _ON),
        (("-s", "--numeric_summary"), _ON),
        _WRITE,
    ),
    "eval": (_WRITE, (("expression",), {}), (("-a", "--all"), _ON)),
    "ni": (_NAMES, (("-a", "--attributes"), _ON), (("-d", "--dumps"), _ON), (("-t", "--traceback"), _ON)),
    "li": _AROUND,
    "lo": _AROUND,
    "ps": (
        (("path",), {"nargs": "?", "default": ""}),
        (("-t", "--tensors"), _ON),
        (("-b", "--line_begin"), {"type": int}),
    ),
    "ls": (
        (("-p", "--path_filter"), _TEXT),
        (("-n", "--node_name_filter"), {"dest": "named", "default": ""}),
    ),
}


def read(command: str, line: str) -> argparse.Namespace:
    """The options of a command, of the rest of its line. Raises Mistake."""
    parser = Options(prog=command, add_help=False, allow_abbrev=False)
    for flags, settings in OPTIONS[command]:
        parser.add_argument(*flags, **settings)
    found = parser.parse_args(words(line))
    if isinstance(getattr(found, "name", None), list):
        found.name = " ".join(found.name)
    return found


def words(line: str) -> list[str]:
    """The words of a line; blanks within quotation marks and brackets part none, and a backslash is as any."""
    depth, joined = 0, []
    for letter in line:
        depth += (letter == "[") - (letter == "]" and depth > 0)
        if not (depth and letter == " "):
            joined.append(letter)
    lexer = shlex.shlex("".join(joined), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer)
    except ValueError as error:
        raise Mistake(f"{line}: {str(error).lower()}") from None


def number(word: str, count: int | None, what: str) -> int:
    """With a count, a 1-based number as an index; else any number."""
    if not word.lstrip("#").isdecimal():
        raise Mistake(f'"{word}" is not the number of a{"n" if what[0] in "aeiou" else ""} {what}')
    found = int(word.lstrip("#"))
    if count is None:
        return found
    if not 1 <= found <= count:
        raise Mistake(f"there is no {what} {found}; the run has {count:,}")
    return found - 1


def named(name: str, names: Sequence[str], what: str, hint: str) -> int:
    """The index of a name, or of the only one that contains it. Raises Mistake."""
    if name in names:
        return names.index(name)
    alike = [i for i, one in enumerate(names) if name.lower() in one.lower()]
    if len(alike) == 1:
        return alike[0]
    if not alike:
        raise Mistake(f'there is no {what} "{name}": {hint}')
    shown = ", ".join(names[i] for i in alike[:6])
    raise Mistake(f'"{name}" could be {shown}{", …" if len(alike) > 6 else ""}: use a longer part')


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression. Raises Mistake."""
    try:
        return re.compile(text)
    except re.error as error:
        raise Mistake(f"/{text}/ is not a regular expression: {error}") from None
