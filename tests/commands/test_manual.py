"""What every command says of itself, and the variables of the environment that set its options."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from nanlint.cli import COMMANDS, Commands, cli
from nanlint.commands.manual import Command

BUG = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"


def _run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, arguments, env=environment)


def _command(name: str) -> Command:
    assert isinstance(cli, Commands)
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, Command), f"{name} has no manual: give it cls=Command"
    return command


@pytest.fixture
def bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(BUG)


@pytest.mark.parametrize("name", COMMANDS)
class TestEveryCommand:
    def test_says_what_it_does_in_one_line_of_the_list(self, name: str) -> None:
        summary = _command(name).get_short_help_str(limit=200)
        assert 10 < len(summary) <= 88
        assert summary.endswith(".")
        assert " ".join(summary.split()) in " ".join(_run("--help").stdout.split())

    def test_has_help_for_each_option(self, name: str) -> None:
        command = _command(name)
        options = [one for one in command.params if isinstance(one, click.Option)]
        assert [one.opts[0] for one in options if not one.help] == []

    def test_shows_examples_exit_codes_and_variables(self, name: str) -> None:
        text = _run(name, "--help").stdout
        assert "too: ." not in text
        assert "Examples:\n  " in text
        assert "Exit codes:\n  0" in text or name in ("verify", "replay")
        for option in _command(name).params:
            if isinstance(option, click.Option):
                assert str(option.envvar) in text

    def test_has_examples_of_options_that_exist(self, name: str) -> None:
        command = _command(name)
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--"}
        for line, _ in command.examples:
            words = line.partition(" -- ")[0].replace("=", " ").split()
            assert {word for word in words if word.startswith("--")} <= known
            assert f"nanlint {name}" in line or name == "check"
            assert line.split()[-1] != "nanlint", "without a word it shows its help"


@pytest.mark.usefixtures("bug")
class TestVariables:
    def test_a_variable_sets_an_option(self) -> None:
        assert _run("check", NANLINT_OUTPUT_FORMAT="concise").stdout.startswith("a.py:5:12: NL101")
        assert (
            _run("check", NANLINT_SELECT="NL2,sqrt-at-zero").stdout
            == "No findings in 1 file (1 uses a numeric framework).\n"
        )
        assert _run("a.py", NANLINT_EXIT_ZERO="1").exit_code == 0

    def test_the_command_line_is_heard_after_it(self) -> None:
        assert _run("check", "--output-format", "json", NANLINT_OUTPUT_FORMAT="concise").stdout[0] == "["

    def test_an_empty_one_says_nothing(self) -> None:
        assert _run("check", NANLINT_OUTPUT_FORMAT="", NANLINT_CONFIG="", NANLINT_JOBS="").exit_code == 1

    def test_other_commands_have_their_own(self) -> None:
        assert _run("rule", "NL101", NANLINT_OUTPUT_FORMAT="concise").exit_code == 0
        assert _run("rule", "NL101", NANLINT_RULE_OUTPUT_FORMAT="json").stdout.startswith("{")

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            (
                "NANLINT_OUTPUT_FORMAT",
                "xml",
                "the variable NANLINT_OUTPUT_FORMAT: 'xml' is not one of",
            ),
            (
                "NANLINT_JOBS",
                "none",
                "the variable NANLINT_JOBS: 'none' is not a valid integer range",
            ),
            ("NANLINT_SELECT", "NL9", 'unknown rule "NL9"'),
            ("NANLINT_SELECT", "foo", "(from NANLINT_SELECT)"),
        ],
    )
    def test_what_is_wrong_with_one_is_told_of_it(self, name: str, value: str, message: str) -> None:
        result = _run("check", **{name: value})
        assert result.exit_code == 2
        assert message in result.stderr + getattr(result.exception, "message", "")

    def test_what_is_wrong_with_an_option_is_told_of_the_option(self) -> None:
        result = _run("check", "--output-format", "xml", NANLINT_OUTPUT_FORMAT="full")
        assert "'--output-format'" in result.stderr
        assert "NANLINT" not in result.stderr
