"""What the process that calls functions is asked, and what it tells: a line of JSON each."""

from __future__ import annotations

import msgspec


class Order(msgspec.Struct, frozen=True):
    """What is to be done. ``functions``: qualified names, with the keys of their sites; ``seconds``: for each.

    ``root``: where Python has to look for the file; ``directory``: of the run; ``inputs``: where those of a run are.
    """

    path: str
    root: str
    module: str
    packages: tuple[str, ...]
    functions: dict[str, tuple[str, ...]]
    seconds: float
    directory: str
    inputs: str


class Failure(msgspec.Struct, frozen=True):
    """A call that failed at a site: the kinds of number that were made, and in which role.

    ``inputs``: name, value and change of each parameter. For a test: the lines that make them, the ``call``, ``by``
    which of them its gradient is taken, and whether it gives several ``parts``. There is no ``call`` of what needs an
    object of a run.
    """

    site: str
    kinds: tuple[str, ...]
    role: str
    framework: str
    inputs: tuple[tuple[str, str, str], ...]
    test: tuple[str, ...]
    call: str
    by: str
    parts: bool


class Done(msgspec.Struct, frozen=True):
    """All calls of a function were made, and these sites were reached; or why none could be made."""

    tries: int
    reached: tuple[str, ...]
    problem: str


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of a function that is called now: what it did, or wanted to do. Of none: why there is nothing to call."""

    function: str = ""
    refused: str = ""
    failure: Failure | None = None
    done: Done | None = None
    problem: str = ""
