"""The command line: which commands there are, and how the program begins and ends.

A command's module is imported when it is called, and the program inside of it, so that ``nanlint --version`` and
``--help`` cost next to nothing.
"""

from __future__ import annotations

import atexit
import gc
import io
import keyword
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nanlint.commands.base import CLEAN, COULD_NOT_RUN, FINDINGS, INTERRUPTED, Unusable
from nanlint.refused import Refused
from nanlint.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The command COMMAND is the function COMMAND of nanlint/commands/COMMAND.py, with underscores for dashes, and with one
# at the end where it is a word of Python's.
COMMANDS = (
    "check",
    "report",
    "verify",
    "try",
    "replay",
    "inspect",
    "explain",
    "graph",
    "rule",
    "new-rule",
    "config",
    "trust",
    "clean",
    "server",
    "completion",
    "version",
    "help",
)


class Commands(click.Group):
    """The commands, each found in its module; ``nanlint PATHS`` is short for ``nanlint check PATHS``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, as ``--help`` lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_") + "_" * keyword.iskeyword(cmd_name)
        command: click.Command = getattr(import_module(f"nanlint.commands.{name}"), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it refuses is said without a traceback."""
        try:
            return super().invoke(ctx)
        except Refused as error:
            raise Unusable(str(error)) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, and what `check` takes, since a first word that is no command is for it."""
        found = super().shell_complete(ctx, incomplete)
        check = self.get_command(ctx, "check")
        if check is None or (found and not incomplete.startswith("-")):
            return found
        inner = click.Context(check, parent=ctx, info_name="check")
        if incomplete.startswith("-"):
            known = {item.value for item in found}
            return [*found, *(item for item in check.shell_complete(inner, incomplete) if item.value not in known)]
        (paths,) = (one for one in check.params if isinstance(one, click.Argument))
        return paths.shell_complete(inner, incomplete)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``check`` before whatever is no command and no option of the group."""
        own = {*COMMANDS, "--help", "-h", "--version", "-V"}
        if args and args[0] not in own:
            _reject_misspelled(args[0])
            args = ["check", *args]
        return super().parse_args(ctx, args)


def _reject_misspelled(word: str) -> None:
    """Raise Unusable for a first word that is a command with a slip, and not a path."""
    if word.replace("-", "_").isidentifier() and not word.startswith("-"):
        from nanlint.selection import did_you_mean

        hint = did_you_mean(word, COMMANDS)
        if hint and not os.path.lexists(word):
            raise Unusable(f"{word}: no such command, file or directory{hint}")


@click.group(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="nanlint", message="%(prog)s %(version)s")
def cli() -> None:
    """Find the code that can produce NaN or Inf, in the value or in the gradient, and fix it.

    `nanlint PATHS` is short for `nanlint check PATHS`.
    """


def _open_closed_streams() -> None:
    """Let no file that is opened later take the place of a standard stream, and be written to as one."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  for as long as the program runs


class _Visible(io.StringIO):
    """Standard error, for messages that quote the command line."""

    def write(self, text: str) -> int:
        from nanlint.output.paint import visible

        return sys.stderr.write(visible(text))


def _forget_output() -> None:
    """What is left in the buffer goes nowhere, and the interpreter must not stumble over it on its way out."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _without_traceback(error: OSError | MemoryError) -> str:
    """What the system would not do, in a line."""
    from nanlint.disk import reason

    try:
        os.getcwd()
    except OSError:
        return "the working directory no longer exists; change to another one"
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    return f"{error.filename or 'standard output'}: {reason(error)}"


def _keep_answer(code: int) -> None:
    """Let a run with the same arguments print the same, while nothing has changed."""
    try:
        from nanlint.cache import answers
    except ImportError:  # this Python has no sqlite3
        return
    answers.keep(sys.argv[1:], code)


def main() -> NoReturn:
    """The program, by ``sys.argv``: like a good filter, quiet when its reader leaves or its user stops it."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # File names and source may hold what the terminal's encoding does not.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Syntax trees are many objects in no cycles, and graphs are taken apart when a file is done: at the default
    # thresholds the collector takes a fifth of the time, and finds nothing. It is there for what lives long.
    gc.set_threshold(1_000_000, 50, 100_000)
    try:
        if sys.stdout is None:
            raise Unusable("standard output is closed; to discard the output, redirect it to /dev/null")
        if os.environ.get("_NANLINT_COMPLETE"):
            import nanlint.commands.completion  # noqa: F401  shells that click does not know
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
        _keep_answer(code or CLEAN)
    except click.ClickException as error:
        error.show(_Visible())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _forget_output()
        sys.exit(FINDINGS)
    except (OSError, MemoryError) as error:
        if os.environ.get("NANLINT_DEBUG"):
            raise
        _forget_output()
        Unusable(_without_traceback(error)).show()
        sys.exit(COULD_NOT_RUN)
    if "nanlint.runtime" not in sys.modules:
        # To take apart what a check holds, object by object, takes longer than a seventh of it. A program of the user's
        # that ran here may count on that.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(code or CLEAN)
    sys.exit(code or CLEAN)
