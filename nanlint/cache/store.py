"""The database: where it is, how it is opened, and what happens if it is damaged or in use.

A cache never makes a run fail: what cannot be opened, read or written is not used. SQLite sees to it that a transaction
is written whole or not at all, whatever ends the process, and that runs at the same time do not disturb each other.
"""

from __future__ import annotations

import os
import sqlite3

from nanlint.disk import top_of
from nanlint.version import RUNNING, __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing and its like are not imported before an answer is given
    from collections.abc import Sequence

#: the directory of a project that holds its cache
DIRECTORY = ".nanlint_cache"
#: variables of the environment that say where the cache is, and that there is none
PLACE, NONE = "NANLINT_CACHE_DIR", "NANLINT_NO_CACHE"
#: the file that marks a directory as one that backups leave out, and how it begins (see bford.info/cachedir)
TAG, SIGNATURE = "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"

_IGNORED = ".gitignore"
_WAIT = 2.0  # seconds for another run to finish what it writes
_KEPT = 30  # days that a row is kept without being used
_YES = frozenset({"1", "on", "t", "true", "y", "yes"})
_TABLES = """
CREATE TABLE IF NOT EXISTS answers(question BLOB PRIMARY KEY, day INTEGER, asked BLOB, printed BLOB, code INTEGER);
CREATE TABLE IF NOT EXISTS reports(
    path TEXT, variant BLOB, digest BLOB, day INTEGER, needs BLOB, report BLOB, PRIMARY KEY(path, variant)
) WITHOUT ROWID;
"""


def directory_for(arguments: Sequence[str] = ()) -> str | None:
    """Where the cache of a run is, by its arguments and the environment; None if it is to have none.

    That is the project around the working directory. Where there is none it is the user's own directory of caches, so
    that nothing is left behind in directories that hold no project.
    """
    place, none = os.environ.get(PLACE), os.environ.get(NONE, "").strip().lower() in _YES
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--no-cache":
            none = True
        elif argument == "--cache-dir":
            place = "".join(arguments[number + 1 : number + 2])
        elif argument.startswith("--cache-dir="):
            place = argument.partition("=")[2]
    if none:
        return None
    if place:
        return os.path.abspath(place)
    try:
        top = top_of(os.getcwd())
    except OSError:  # the working directory is gone
        return None
    if top is not None:
        return os.path.join(top, DIRECTORY)
    from platformdirs import user_cache_dir

    return user_cache_dir("nanlint", appauthor=False)


def file_in(directory: str) -> str:
    """The database of a cache. Each version of nanlint and of Python has its own."""
    return os.path.join(directory, f"{__version__}-{RUNNING.replace(' ', '-').lower()}.sqlite")


def existing(directory: str) -> sqlite3.Connection | None:
    """The database in a directory, if there is one that can be used."""
    path = file_in(directory)
    return _opened(path) if os.path.isfile(path) else None


def prepared(directory: str) -> sqlite3.Connection | None:
    """The database in a directory, made if there is none; None where it cannot be."""
    if os.path.islink(directory):
        return None  # who made the link may have meant to have a file of another place written
    try:
        os.makedirs(directory, exist_ok=True)
        for name, text in ((_IGNORED, "*\n"), (TAG, f"{SIGNATURE}\n# This directory holds the cache of nanlint.\n")):
            path = os.path.join(directory, name)
            if not os.path.lexists(path):
                with open(path, "x", encoding="ascii") as file:
                    file.write(text)
    except OSError:
        return None
    return _opened(file_in(directory))


def in_memory() -> sqlite3.Connection:
    """A database that lasts as long as the process."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(_TABLES)
    return connection


def _opened(path: str) -> sqlite3.Connection | None:
    for again in (True, False):
        connection = None
        try:
            connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
            # the file may be anybody's: nothing in it is run
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'reports'").fetchone():
                connection.executescript(f"BEGIN IMMEDIATE;{_TABLES}COMMIT;")
            return connection
        except sqlite3.OperationalError:  # in use for too long, or not to be written
            _close(connection)
            return None
        except sqlite3.DatabaseError:  # no database, or a damaged one
            _close(connection)
            if not again or not discarded(path):
                return None
    return None


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        connection.close()


def discarded(path: str) -> bool:
    """Whether a database that cannot be used is gone, with what belongs to it."""
    try:
        for one in (path, f"{path}-journal"):
            if os.path.lexists(one):
                os.remove(one)
    except OSError:
        return False
    return True


def files_of(directory: str) -> list[str]:
    """The files of a cache, its own marks last; none of a directory that is no cache."""
    if os.path.islink(directory) or not os.path.isfile(os.path.join(directory, TAG)):
        return []
    names = sorted(os.listdir(directory), key=lambda name: (name in (_IGNORED, TAG), name))
    own = (name for name in names if name.endswith((".sqlite", ".sqlite-journal")) or name in (_IGNORED, TAG))
    return [os.path.join(directory, name) for name in own]


def tidy(connection: sqlite3.Connection, today: int) -> None:
    """Leave out what was not used for long."""
    for table in ("answers", "reports"):
        connection.execute(f"DELETE FROM {table} WHERE day < ?", (today - _KEPT,))
