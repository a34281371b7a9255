"""``nanlint completion``: the script by which a shell completes what is typed."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

from nanlint.commands.base import Unusable
from nanlint.commands.manual import Command

_VARIABLE = "_NANLINT_COMPLETE"  # click's, by which a shell asks the program

#: where the line that loads the script belongs, and the line
_STARTUP = {
    "bash": ("~/.bashrc", 'eval "$(nanlint completion bash)"'),
    "zsh": ("~/.zshrc", 'eval "$(nanlint completion zsh)"'),
    "fish": ("~/.config/fish/completions/nanlint.fish", "nanlint completion fish | source"),
    "powershell": ("$PROFILE", "nanlint completion powershell | Out-String | Invoke-Expression"),
}

_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = $commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition }
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = ($words | ForEach-Object { $_.ToString() }) -join "`n"
    $env:COMP_CWORD = $wordToComplete
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            if (-not $help) { $help = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    } finally {
        Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_CWORD -ErrorAction SilentlyContinue
    }
}
"""


@add_completion_class
class PowerShellComplete(ShellComplete):
    """Completion in PowerShell, which completes paths itself where it is given nothing."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is completed, and that one."""
        words = os.environ.get("COMP_WORDS", "").splitlines()[1:]
        incomplete = os.environ.get("COMP_CWORD", "")
        return words[:-1] if incomplete and words[-1:] == [incomplete] else words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """A line: the word, and what it is for."""
        return f"{item.value}\t{item.help}" if item.help else str(item.value)

    def complete(self) -> str:
        """A line for each word; none for a path."""
        found = self.get_completions(*self.get_completion_args())
        return "\n".join(self.format_completion(item) for item in found if item.type == "plain")


@click.command(
    cls=Command,
    short_help="Print the script for shell completion of commands, options and rules.",
    examples=tuple(
        (line, f"Put this in {place} for completion in every new shell.") for place, line in _STARTUP.values()
    ),
    exit_codes=(("0", "Done."), ("2", "That shell is not supported, or the shell could not be determined.")),
)
@click.argument("shell", required=False, type=click.Choice(list(_STARTUP)))
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes commands, options, paths and rules in SHELL, by default your current shell.

    To load it in every new shell, add a line to the startup file of the shell (see the examples).
    """
    from click.shell_completion import get_completion_class

    chosen = shell or os.path.basename(os.environ.get("SHELL", ""))
    found = get_completion_class(chosen)
    if chosen not in _STARTUP or found is None:
        raise Unusable(f"cannot tell which shell you use; name it: nanlint completion {'|'.join(_STARTUP)}")
    try:
        click.echo(found(ctx.find_root().command, {}, "nanlint", _VARIABLE).source())
    except RuntimeError as error:  # a shell that is too old, or is not there
        raise Unusable(f"{chosen}: {error}") from None
