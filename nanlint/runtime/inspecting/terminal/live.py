"""The terminal in the program that is watched, where something went bad: ``nanlint verify --on-nan debug``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from nanlint.runtime.adapter import Tensor
from nanlint.runtime.filters import FilterError, filter_of
from nanlint.runtime.inspecting.building import run_of
from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.inspecting.terminal.commands import COMMANDS, OTHERS, Terminal
from nanlint.runtime.inspecting.terminal.reading import Mistake, read
from nanlint.runtime.runfile import read_run


class Live(Terminal):
    """Commands while the program waits. ``until``: the filter that has to hold where it stops next, if any."""

    def __init__(self, run: Run, debug: Callable[[], None]) -> None:
        super().__init__(run, sys.stdout)
        self._debug = debug
        self.until = ""

    def do_run(self, line: str) -> bool:  # type: ignore[override]
        """run [-f FILTER]: go on to the next origin, or the next with a tensor for which FILTER holds."""
        asked = read("run", line)
        try:
            self.until = filter_of(asked.filter).name if asked.filter else ""
        except FilterError as error:
            raise Mistake(str(error)) from None
        return True

    def do_pdb(self, line: str) -> bool:
        """pdb: Python's debugger in your frame, with the tensors as nanlint_tensors; its c lets the program go on."""
        self._debug()
        return True

    def do_quit(self, line: str) -> bool:
        """quit: end the program with exit code 1 (also: exit, or the end of input)."""
        raise SystemExit(1)

    do_exit = do_EOF = do_quit  # noqa: N815  (the names that cmd looks for)

    commands = ("pdb", *COMMANDS, *OTHERS)


class Stops:
    """Where the program stops: at each origin, or as the last ``run -f`` asked for."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._until = ""

    def at(self, message: str, tensors: Sequence[Tensor], debug: Callable[[], None]) -> None:
        """Open the terminal at an origin, if it is to stop there. Raises SystemExit where the user quits."""
        if self._until:
            wanted = filter_of(self._until)
            if not any(wanted.holds(one.health, one.value) for one in tensors):
                return
        terminal = Live(run_of(read_run(self._directory)), debug)
        print(message)
        terminal.prompt_user()
        self._until = terminal.until
