"""Source over several lines on one, and the comments in it."""

from __future__ import annotations

import re
import tokenize

from nanlint.fixes.template import meaning
from nanlint.source import Source
from nanlint.source.comments import tokens_of


def flat(text: str) -> str:
    """An expression on one line, which is broken at last where it is too long, if nothing is lost by that."""
    same = not comments(text) and meaning(one_line(text)) == meaning(f"({text})")
    return one_line(text) if same else text


def one_line(text: str) -> str:
    """Text over several lines on one, without its comments."""
    if "\n" not in text and "\r" not in text:
        return text
    for comment in comments(text):
        text = text.replace(comment, "")
    text = " ".join(text.split())
    return re.sub(r",? (?=[)\]}])", "", re.sub(r"(?<=[(\[{]) ", "", text))


def comments(text: str) -> list[str]:
    """The comments in a piece of source."""
    return [token.string for token in tokens_of(Source("", text)) if token.type == tokenize.COMMENT]
