"""Completion as a user of a shell meets it: in a real bash, and in zsh and fish where there are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where ``nanlint`` is this source tree, installed or not."""
    program = tmp_path / "bin" / "nanlint"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom nanlint.cli import main\n\nmain()\n")
    program.chmod(0o755)
    path = os.pathsep.join((str(program.parent), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def _needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def _completed(line: str, environment: dict[str, str], cwd: Path) -> list[str]:
    """What bash offers for the last word of a line, by the script as a user loads it."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""
        eval "$(nanlint completion bash)"
        compopt() {{ echo "compopt $*"; }}
        COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
        _nanlint_completion nanlint
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    bash = ["bash", "--norc", "-c", script]
    done = subprocess.run(bash, env=environment, cwd=cwd, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("nanlint ver", ["verify", "version"]),
        ("nanlint --unsafe", ["--unsafe-fixes"]),
        ("nanlint check --unsafe", ["--unsafe-fixes"]),
        ("nanlint check --output-format js", ["json", "json-lines"]),
        ("nanlint --select NL70", ["NL701", "NL702", "NL703", "NL704"]),
        ("nanlint check --select NL101,where", ["NL101,where-gradient"]),
        ("nanlint rule log-of-sof", ["log-of-softmax"]),
        ("nanlint sr", ["compopt", "-o", "default"]),
        ("nanlint check --fix sr", ["compopt", "-o", "default"]),
        ("nanlint completion ", ["bash", "zsh", "fish", "powershell"]),
    ],
)
def test_bash_completes(line: str, offered: list[str], environment: dict[str, str], tmp_path: Path) -> None:
    _needs("bash")
    assert _completed(line, environment, tmp_path) == offered


def test_bash_registers_the_function_for_the_command(environment: dict[str, str], tmp_path: Path) -> None:
    _needs("bash")
    script = 'eval "$(nanlint completion bash)"; complete -p nanlint'
    registered = subprocess.check_output(["bash", "-c", script], env=environment, cwd=tmp_path, text=True)
    assert registered.split()[-3:] == ["-F", "_nanlint_completion", "nanlint"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_other_shells_is_read_by_them(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    _needs(shell)
    script = CliRunner().invoke(cli, ["completion", shell]).stdout
    subprocess.run([shell, "-n"], input=script, env=environment, cwd=tmp_path, text=True, check=True)


def test_the_shell_is_that_of_the_user_unless_it_is_named(environment: dict[str, str]) -> None:
    found = {
        shell: CliRunner().invoke(cli, ["completion"], env={"SHELL": f"/usr/bin/{shell}"}).stdout
        for shell in ("zsh", "fish")
    }
    assert found["zsh"].startswith("#compdef nanlint")
    assert "complete --no-files --command nanlint" in found["fish"]


def test_powershell_is_given_words_and_what_they_are_for(environment: dict[str, str], tmp_path: Path) -> None:
    """No PowerShell is at hand: its script sets these variables, and reads lines with a tab in them."""
    script = CliRunner().invoke(cli, ["completion", "powershell"]).stdout
    assert script.startswith("Register-ArgumentCompleter -Native -CommandName nanlint")
    assert "%(" not in script

    def offered(*words: str, incomplete: str) -> list[list[str]]:
        set_by_the_script = {
            "_NANLINT_COMPLETE": "powershell_complete",
            "COMP_WORDS": "\n".join(("nanlint", *words)),
            "COMP_CWORD": incomplete,
        }
        assert all(f"$env:{name} = " in script for name in set_by_the_script)
        done = subprocess.run(
            ["nanlint"], env=environment | set_by_the_script, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return [line.split("\t", 1) for line in filter(None, done.stdout.splitlines())]

    assert [word for word, _ in offered("ver", incomplete="ver")] == ["verify", "version"]
    assert offered("check", "--output-format", "js", incomplete="js") == [["json"], ["json-lines"]]
    ((code, meaning),) = offered("check", "--select", "NL101", incomplete="NL101")
    assert (code, meaning.partition(":")[0]) == ("NL101", "log-of-softmax")
    assert offered("check", "", incomplete="") == []  # paths, which PowerShell completes


@pytest.mark.parametrize("shell", ["", "/bin/tcsh"])
def test_an_unknown_shell_is_an_error_that_names_the_known_ones(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion"], env={"SHELL": shell})
    assert result.exit_code == 2
    assert (
        result.stderr
        == "error: cannot tell which shell you use; name it: nanlint completion bash|zsh|fish|powershell\n"
    )
