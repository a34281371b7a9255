"""The files of a project: which there are, and which of them import or mention something. Nothing is parsed for it."""

from __future__ import annotations

import os
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from nanlint import disk
from nanlint.disk import Stamp, ask, entries, exists, is_directory, is_file, read_regular, stamp_of
from nanlint.source.roots import FRAMEWORKS

STDLIB = sys.stdlib_module_names
#: bytes of a file that is read for the sake of others; larger ones are data, or generated
MAX_BYTES = 1_000_000
#: files of a project that are looked through for those that use another
MAX_FILES = 5_000
#: names of directories that packages are installed in
INSTALLED = ("site-packages", "dist-packages")
INIT = "__init__.py"
#: what dotted names are written with, and how much is read of one
DOTTED = f"{string.ascii_letters}{string.digits}_.".encode()
MAX_DOTTED = 80


def all_files(top: str, ending: str = ".py") -> tuple[str, ...]:
    """The Python files of a project, or those that end otherwise, sorted; without what is hidden, or installed in it.

    Kept until ``forget``.
    """
    return ask(files_below, top, ending, unknown=())


@lru_cache(maxsize=8)
def files_below(top: str, ending: str) -> tuple[str, ...]:
    """The same, of this machine."""
    found: list[str] = []
    pending = [top]
    while pending and len(found) <= MAX_FILES:
        directory = pending.pop()
        try:
            listed = entries(directory)
        except OSError:
            continue
        inside = [one for one in listed if one.is_dir(follow_symlinks=False) and is_own(one)]
        pending.extend(one.path for one in reversed(inside))
        files = (one for one in listed if one.name.endswith(ending) and not one.is_dir(follow_symlinks=False))
        found.extend(os.path.realpath(one.path) for one in files if not (one.is_symlink() and is_directory(one.path)))
    return tuple(sorted(set(found)))


def is_own(directory: os.DirEntry[str]) -> bool:
    """Whether a directory of a project is neither hidden nor one in which others are installed."""
    hidden = directory.name.startswith((".", "__pycache__"))
    installed = directory.name in (*INSTALLED, "node_modules") or exists(os.path.join(directory.path, "pyvenv.cfg"))
    return not hidden and not installed


@lru_cache(maxsize=2 * MAX_FILES)
def imported_words(path: str, stamp: Stamp | None) -> frozenset[str]:
    """Every word of the import statements of a file, and of what it reads from modules of the project."""
    return words_of_imports(bytes_of(path))


def words_of_imports(text: bytes) -> frozenset[str]:
    """Every word of import statements, as far as lines show them, and of what is read from modules of the project: only
    what has one in common with a file can use that."""
    words: set[str] = set()
    own: set[str] = set()
    inside = foreign = False
    for line in text.splitlines():
        if inside or line.lstrip().startswith((b"from ", b"import ")):
            statement = line.partition(b"#")[0].decode("utf-8", "replace")
            goes_on = ((inside or "(" in statement) and ")" not in statement) or statement.rstrip().endswith("\\")
            for mark in "().,;\\":
                statement = statement.replace(mark, " ")
            found = statement.split()
            foreign = foreign if inside else len(found) > 1 and (found[1] in FRAMEWORKS or found[1] in STDLIB)
            inside = goes_on
            words.update(found)
            own.update(() if foreign else found)
    return frozenset(words.union(*(read_from(name, text) for name in own)))


def read_from(name: str, text: bytes) -> Iterator[str]:
    """The words that follow a name of a file behind a dot: ``nll`` and ``losses`` of ``lib.losses.nll``."""
    for behind in text.split(name.encode() + b".")[1:]:
        start = behind[:MAX_DOTTED]
        yield from start[: len(start) - len(start.lstrip(DOTTED))].decode().split(".")


def users_of(top: str) -> Mapping[str, Sequence[str]]:
    """The files of a project by the words that they import, or read from what they import."""
    return ask(users_below, top, unknown={})


@lru_cache(maxsize=4)
def users_below(top: str) -> Mapping[str, Sequence[str]]:
    """The same, of this machine."""
    found: dict[str, list[str]] = {}
    for path in all_files(top):
        for word in imported_words(path, stamp_of(path)):
            found.setdefault(word, []).append(path)
    return found


def files_with(top: str, words: frozenset[str], ending: str = ".py") -> tuple[str, ...]:
    """The files of a project whose text has one of some words, or part of a longer one, sorted."""
    return ask(files_below_with, top, words, ending, unknown=())


@lru_cache(maxsize=64)
def files_below_with(top: str, words: frozenset[str], ending: str) -> tuple[str, ...]:
    """The same, of this machine."""
    return tuple(path for path in all_files(top, ending) if has_one_of(words, path, stamp_of(path)))


@lru_cache(maxsize=2 * MAX_FILES)
def has_one_of(words: frozenset[str], path: str, stamp: Stamp | None) -> bool:
    """Whether the text of a file has one of some words, or part of a longer one."""
    text = bytes_of(path)
    return any(word.encode() in text for word in words)


def bytes_of(path: str) -> bytes:
    """The beginning of a file; nothing where it cannot be read."""
    try:
        return read_regular(path, most=MAX_BYTES)
    except OSError:
        return b""


def forget() -> None:
    """Look at the files of projects again: some may have changed, come or gone."""
    files_below.cache_clear()
    users_below.cache_clear()
    files_below_with.cache_clear()
    top_of.cache_clear()
    _package_around.cache_clear()


def package_around(path: str) -> tuple[str, tuple[str, ...]]:
    """The directory that holds the outermost package around a file, and the package that the file is in."""
    return _package_around(os.path.dirname(path))


@lru_cache(maxsize=MAX_FILES)
def _package_around(directory: str) -> tuple[str, tuple[str, ...]]:
    package: list[str] = []
    while is_file(os.path.join(directory, INIT)):
        parent = os.path.dirname(directory)
        if parent == directory:
            break
        package.insert(0, os.path.basename(directory))
        directory = parent
    return directory, tuple(package)


def package_in(top: str, path: str) -> tuple[str, ...]:
    """The package that a file of a project is in: without an ``__init__.py`` a directory may be one none the less."""
    outermost, package = package_around(path)
    return package if package or outermost in ("", top) else tuple(os.path.relpath(outermost, top).split(os.sep))


def last_part(path: str, package: tuple[str, ...]) -> str:
    """The last part of the name that a file of a package is imported under."""
    stem = os.path.basename(os.path.splitext(path)[0])
    return package[-1] if stem == "__init__" and package else stem


@lru_cache(maxsize=MAX_FILES)
def top_of(directory: str) -> str:
    """The top of the project that a directory belongs to: the nearest with a marker; itself where there is none."""
    return disk.top_of(directory) or directory
