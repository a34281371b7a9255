"""What a finding says can be read: no code is cut in the middle, and no name is not in the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nanlint.diagnostic import Diagnostic
from nanlint.output.changes import label

WORD = re.compile(r"\w+")
CODE = re.compile(r"`([^`]*)`")
#: words for numbers, and for the weights of a layer, which are no names of the program
NO_NAMES = frozenset({"inf", "nan", "diag", "the", "result", "bias", "weight", "kernel"})


def quoted(text: str) -> Iterator[str]:
    """The code in a sentence; a backtick alone is an error."""
    assert text.count("`") % 2 == 0, text
    yield from CODE.findall(text)


def parses(code: str) -> bool:
    try:
        ast.parse(code.strip() if not code.startswith("if ") else f"{code}: ...")
    except SyntaxError:
        return False
    return True


def is_plain(finding: Diagnostic, program: str) -> None:
    """Assert that what a finding says of a program shows whole code, and only its names."""
    words = set(WORD.findall(program)) | NO_NAMES
    said = [finding.message, finding.effect, *(cause.message for cause in finding.causes)]
    for text in (*said, *([label(finding.fix)] if finding.fix else [])):
        assert not [code for code in quoted(text) if not parses(code)], text
        assert not text.endswith(("…", "...")), text
    for text in said:
        assert not {word for code in quoted(text) for word in WORD.findall(code) if not word[0].isdigit()} - words, text
    if finding.witness is not None:
        names = [name for name, _ in finding.witness.inputs] + [finding.witness.output[0]]
        for name in names:
            assert parses(name), name
            assert not {word for word in WORD.findall(name) if not word[0].isdigit()} - words, finding.witness.text
