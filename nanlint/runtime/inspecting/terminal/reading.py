"""How a command is read: its words and options, under tfdbg's names, and what a name, number or pattern means."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from typing import NoReturn

from nanlint.refused import Refused


class Mistake(Refused):
    """A command that cannot be done; the message says why, and what can."""


class Options(argparse.ArgumentParser):
    """The options of one command. Raises Mistake where argparse would end the program."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the options."""
        raise Mistake(f"{self.prog}: {message}; help {self.prog} explains them")


def options_of(command: str) -> Options:
    """Those of a command of tfdbg."""
    made = Options(prog=command, add_help=False, allow_abbrev=False)
    add = made.add_argument
    if command in ("lt", "run"):
        add("-f", "--tensor_filter", "--till_filter_pass", dest="filter")
        add("-fenn", "--filter_exclude_node_names", dest="exclude")
    if command == "lt":
        add("-n", "--node_name_filter", dest="named")
        add("-t", "--op_type_filter", dest="op")
        add("-s", "--sort_by", dest="sort", choices=[*SORTS], default="")
        add("-r", "--reverse", action="store_true")
    if command == "run":
        add("-t", "--times", type=int, default=1)
        add("-n", "--no_debug", action="store_true")
    if command == "pt":
        add("name", nargs="+")
        add("-n", "--number", type=int)
        add("-r", "--ranges", default="")
        add("-a", "--all", action="store_true")
        add("-s", "--numeric_summary", action="store_true")
    if command in ("pt", "eval"):
        add("-w", "--write_path", default="")
    if command == "eval":
        add("expression")
        add("-a", "--all", action="store_true")
    if command in ("ni", "li", "lo"):
        add("name", nargs="*")
    if command == "ni":
        add("-a", "--attributes", action="store_true")
        add("-d", "--dumps", action="store_true")
        add("-t", "--traceback", action="store_true")
    if command in ("li", "lo"):
        add("-c", "--control", action="store_true")
        add("-d", "--depth", type=int, default=20)
        add("-r", "--recursive", action="store_true")
        add("-t", "--op_type", action="store_true")
    if command == "ps":
        add("path", nargs="?", default="")
        add("-t", "--tensors", action="store_true")
        add("-b", "--line_begin", type=int)
    if command == "ls":
        add("-p", "--path_filter", default="")
        add("-n", "--node_name_filter", dest="named", default="")
    return made


#: what tensors can be sorted by, under tfdbg's names and ours
SORTS = {
    "name": "name",
    "tensor_name": "name",
    "step": "step",
    "timestamp": "step",
    "size": "size",
    "dump_size": "size",
}
SORTS |= {"op_type": "op"}


def read(command: str, line: str) -> argparse.Namespace:
    """The options of a command, of the rest of its line. Raises Mistake."""
    found = options_of(command).parse_args(words(line))
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
