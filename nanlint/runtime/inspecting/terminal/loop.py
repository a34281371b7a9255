"""Reading commands one after the other, from a terminal or a pipe, with completion of names."""

from __future__ import annotations

import cmd
import contextlib
from typing import IO, Any

from nanlint.runtime.inspecting.model import Run
from nanlint.runtime.inspecting.terminal.printing import Printer
from nanlint.runtime.inspecting.terminal.reading import Mistake
from nanlint.runtime.inspecting.terminal.selecting import Selection

#: tfdbg's long names
LONG = {"list_tensors": "lt", "print_tensor": "pt", "node_info": "ni", "list_inputs": "li", "list_outputs": "lo"}
LONG |= {"print_source": "ps", "list_source": "ls", "r": "run"}


class Loop(cmd.Cmd):
    """The loop over commands, which a subclass defines."""

    prompt = "nanlint> "
    #: by their short names, as help lists them
    commands: tuple[str, ...] = ()

    def __init__(self, run: Run, out: IO[str], stdin: IO[str] | None) -> None:
        super().__init__(stdin=stdin, stdout=out)
        self.use_rawinput = stdin is None
        self.run = run
        self._printer = Printer(run, out)
        self._print = self._printer.print
        self._selected = Selection(run)

    def interact(self) -> None:
        """Say what the run was, then do commands until quit or the end of input. Ctrl-C forgets a half-typed one."""
        self._printer.summary()
        self.onecmd("alerts")
        self._print("Type help for the commands, quit to leave.", "dim")
        self.prompt_user()

    def prompt_user(self) -> None:
        """Do commands until one leaves."""
        if self.use_rawinput:
            with contextlib.suppress(ImportError):
                import readline

                readline.set_completer_delims(" ")
        else:
            self.prompt = ""
        while True:
            try:
                self.cmdloop()
                return
            except KeyboardInterrupt:
                self.stdout.write("\n")

    def onecmd(self, line: str) -> bool:
        """One command; a mistake is told in a line."""
        try:
            return self.perform(line)
        except Mistake as mistake:
            self._print(f"error: {mistake}", "red")
            return False

    def perform(self, line: str) -> bool:
        """One command; whether it was to leave. Raises Mistake."""
        name, blank, rest = line.strip().partition(" ")
        return super().onecmd(f"{LONG.get(name, name)}{blank}{rest}")

    def emptyline(self) -> bool:
        """Nothing is repeated."""
        return False

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """Names of commands."""
        return [name for name in (*self.commands, *LONG) if name.startswith(text)]

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        """Names of tensors and nodes."""
        names = [tensor.name for tensor in self.run.tensors] + [node.name for node in self.run.nodes]
        return [name for name in names if name.startswith(text)]
