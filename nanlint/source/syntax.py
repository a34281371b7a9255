"""Text -> ast.Module, or the one place where it stops being Python. Decoding is done before this, analysis after."""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from nanlint.diagnostic import Span
from nanlint.version import RUNNING


@dataclass
class Unparsable(Exception):
    """The text is no Python this interpreter can read; ``message`` is one lower-case phrase about ``span``."""

    span: Span
    message: str

    def __str__(self) -> str:
        return f"{self.span.row}:{self.span.column}: {self.message}"


Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Subject = TypeVar("Subject", bound=Hashable)
More = ParamSpec("More")
Result = TypeVar("Result")

#: characters of the files whose texts and trees are kept: a tree takes some 32 bytes for each, so all take 400 MB at
#: most; half of it had large projects parsed again and again
KEPT = 12_000_000

# CPython 3.10 builds the tree without counting its depth: where later versions raise RecursionError it overflows the C
# stack and takes the process with it. That needs tens of thousands of levels, so at least this many characters.
_UNGUARDED = sys.version_info < (3, 11)
_LONG = 50_000
_DEEPEST = 5_000  # levels
_LARGE_STACK = 1 << 29  # bytes of address space; what is not used is never backed by memory

_START = Span(1, 1, 1, 1)
_TOO_DEEP = "too deeply nested to parse"

# Constructs that parsed in Python 2 only, as CPython 3 words its complaint about them.
_PYTHON_2_MESSAGES = (
    "Missing parentheses in call to 'print'",
    "Missing parentheses in call to 'exec'",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer literals",
    "parameters cannot be parenthesized",
)


# How a line looks, or how the complaint of an older CPython about it begins, where later ones read it.
_NEWER = (
    ((3, 12), re.compile(r"\s*(?:type\s+\w+\s*[\[=]|(?:async\s+)?(?:def|class)\s+\w+\s*\[)"), "f-string"),
    ((3, 14), re.compile(r"""\s*except\*?\s+[A-Z][\w.]*(?:\s*,\s*[A-Z][\w.]*)+\s*:|.*\bt[rR]?["']"""), None),
)


def parse(text: str, path: str) -> ast.Module:
    """Parse ``text``; warnings about it (invalid escapes, ``is`` with a literal) are other linters' business.

    Raises Unparsable, and nothing else, whatever the text holds.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _parse_deep(text, path) if _UNGUARDED and len(text) > _LONG else ast.parse(text, path)
        except SyntaxError as error:
            raise _unparsable(error, text) from None
        except (RecursionError, MemoryError):
            raise Unparsable(_START, _TOO_DEEP) from None
        except (ValueError, OverflowError, UnicodeError) as error:
            raise Unparsable(_START, f"cannot be parsed: {error}") from None


def remembered(
    function: Callable[Concatenate[Subject, More], Result],
) -> Callable[Concatenate[Subject, More], Result]:
    """A function of a piece of syntax, or a text, and of more that can be hashed: what it gives, in which there is
    nothing of that itself, is kept as long as that is."""
    kept: WeakKeyDictionary[Subject, dict[Hashable, Result]] = WeakKeyDictionary()

    @wraps(function)
    def recalled(subject: Subject, /, *args: More.args, **keywords: More.kwargs) -> Result:
        results = kept.setdefault(subject, {})
        given = (args, *keywords.items())
        if given not in results:
            results[given] = function(subject, *args, **keywords)
        return results[given]

    return recalled


def kept(size: Callable[More, int]) -> Callable[[Callable[More, Result]], Callable[More, Result]]:
    """A function of arguments that can be hashed: what it gave last is kept, as long as the sizes add up to no more
    than ``KEPT``. ``size``: of what it gives, by the same arguments; what it raises is not kept."""

    def keeping(function: Callable[More, Result]) -> Callable[More, Result]:
        results: OrderedDict[Hashable, tuple[Result, int]] = OrderedDict()
        lock = threading.Lock()
        total = 0

        @wraps(function)
        def recalled(*args: More.args, **keywords: More.kwargs) -> Result:
            nonlocal total
            given = (args, *keywords.items())
            with lock:
                if given in results:
                    results.move_to_end(given)
                    return results[given][0]
            result = function(*args, **keywords)
            with lock:
                total += size(*args, **keywords) - results.pop(given, (None, 0))[1]
                results[given] = result, size(*args, **keywords)
                while total > KEPT and len(results) > 1:
                    total -= results.popitem(last=False)[1][1]
            return result

        return recalled

    return keeping


@kept(lambda text, path: len(text))
def parse_once(text: str, path: str) -> ast.Module:
    """The tree of a file of a project, one for all that read the file: nobody changes it. Raises Unparsable."""
    return parse(text, path)


#: how a piece of syntax is written; each of a long sum is asked for many times
dumped = remembered(ast.dump)


def _parse_deep(text: str, path: str) -> ast.Module:
    """ast.parse where it does not guard its stack: on a larger one, with RecursionError for what would be too deep."""
    outcome: list[ast.Module | Exception] = []

    def parse_and_measure() -> None:
        try:
            tree = ast.parse(text, path)
            if _depth_exceeds(tree, _DEEPEST):
                raise RecursionError
            outcome.append(tree)
        except Exception as error:
            outcome.append(error)

    previous = threading.stack_size(_LARGE_STACK)
    try:
        thread = threading.Thread(target=parse_and_measure)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(previous)
    (result,) = outcome
    if isinstance(result, Exception):
        raise result
    return result


def _depth_exceeds(tree: ast.AST, deepest: int) -> bool:
    level = [tree]
    for _ in range(deepest):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _unparsable(error: SyntaxError, text: str) -> Unparsable:
    row = max(error.lineno or 1, 1)
    column = max(error.offset or 1, 1)
    end = (error.end_lineno or row, error.end_offset or 0)
    if end <= (row, column):
        end = (row, column + 1)
    message = error.msg or "invalid syntax"
    if "too many nested" in message or "too many levels of indentation" in message:
        phrase = f"{_TOO_DEEP}: {message}"
    elif (newer := _newer_python(error)) is not None:
        phrase = f"{_lower(message)}: this needs Python {newer}, but nanlint runs on {RUNNING}"
    elif _looks_like_python_2(error):
        phrase = f"{_lower(message).rstrip('?')} (this looks like Python 2; nanlint reads Python 3)"
    else:
        phrase = _lower(message)
    return Unparsable(Span(row, column, *end), phrase)


def _lower(message: str) -> str:
    """Our messages begin in lower case; acronyms (``EOF while scanning``) stay as they are."""
    return message if message[1:2].isupper() else message[:1].lower() + message[1:]


def _newer_python(error: SyntaxError) -> str | None:
    """The first Python that reads what this one does not, as far as the line shows it."""
    for version, line, complaint in _NEWER:
        complains = complaint is not None and (error.msg or "").startswith(complaint)
        if sys.version_info < version and (complains or line.match(error.text or "")):
            return "{}.{}".format(*version)
    return None


def _looks_like_python_2(error: SyntaxError) -> bool:
    if any(known in (error.msg or "") for known in _PYTHON_2_MESSAGES):
        return True
    line, at = error.text or "", max((error.offset or 1) - 1, 0)
    here = line[at : at + 2]
    return (
        here.startswith("`")
        or here == "<>"
        or (here.startswith(",") and line.lstrip().startswith(("raise ", "except ")))
        or ("literal" in (error.msg or "") and "l" in line[at : at + 2].lower())
    )


def definitions(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, Definition]]:
    """The functions and classes of a tree by qualified name (``function``, ``Class.method``), those inside last."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, Definition):
            yield outer + child.name, child
            yield from definitions(child, f"{outer}{child.name}.")
        elif not isinstance(child, ast.expr):
            yield from definitions(child, outer)
