"""The options of ``nanlint check`` that are Ruff's: what they do, and how they lie over the configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from nanlint.config import SEVERITIES

BOTH = "import torch\nboom(1)\nrisky(1)\n"

pytestmark = pytest.mark.usefixtures("toy_rules")


def _run(*arguments: str, command: str = "check", stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [command, *arguments], input=stdin, catch_exceptions=False)


def _codes(*arguments: str) -> list[str]:
    return [one["code"] for one in json.loads(_run("--output-format", "json", *arguments).stdout)]


@pytest.fixture
def file(project: Path) -> Path:
    path = project / "a.py"
    path.write_text(BOTH)
    return path


class TestRules:
    def test_ignore_and_extend_ignore_are_one(self, file: Path) -> None:
        (file.parent / "nanlint.toml").write_text('ignore = ["NL203"]\n')
        assert _codes() == ["NL103"]
        assert _codes("--extend-ignore", "NL103") == _codes("--ignore", "NL103") == []

    @pytest.mark.parametrize(
        ("arguments", "codes"),
        [
            (["--per-file-ignores", "a.py:NL103"], ["NL203"]),
            (["--per-file-ignores", "b.py:NL103"], ["NL103", "NL203"]),
            (["--per-file-ignores", "*.py:NL103,a.py:NL203"], []),
            (["--per-file-ignores", "!b.py:NL103"], ["NL203"]),
            (["--extend-per-file-ignores", "a.py:NL203", "--extend-per-file-ignores", "a.py:NL103"], []),
        ],
    )
    def test_rules_are_ignored_in_some_files(self, file: Path, arguments: list[str], codes: list[str]) -> None:
        assert _codes(*arguments) == codes

    def test_per_file_ignores_replace_those_of_the_file_or_extend_them(self, file: Path) -> None:
        (file.parent / "nanlint.toml").write_text('[per-file-ignores]\n"a.py" = ["NL103"]\n')
        assert _codes() == ["NL203"]
        assert _codes("--per-file-ignores", "a.py:NL203") == ["NL103"]
        assert _codes("--extend-per-file-ignores", "a.py:NL203") == []

    @pytest.mark.parametrize("value", ["a.py", ":NL103", "a.py:"])
    def test_what_has_no_pattern_or_no_rule_is_refused(self, file: Path, value: str) -> None:
        result = _run("--per-file-ignores", value)
        assert result.exit_code == 2
        assert f'"{value}" is not of the form PATTERN:RULE' in result.stderr

    def test_a_key_can_be_given_alone(self, file: Path) -> None:
        (file.parent / "nanlint.toml").write_text('select = ["NL1"]\n')
        assert _codes("--config", "select=['NL203']") == ["NL203"]
        assert _codes("--config", "select=['NL203']", "--select", "NL103") == ["NL103"], "options go before it"
        (file.parent / "other.toml").write_text('ignore = ["NL103"]\n')
        assert _codes("--config", "other.toml", "--config", "extend-select=['NL103']") == ["NL103", "NL203"]

    def test_two_files_are_refused(self, file: Path) -> None:
        result = _run("--config", "a.toml", "--config", "b.toml")
        assert (result.exit_code, "--config accepts only one file" in result.stderr) == (2, True)


class TestFiles:
    def test_extend_exclude_adds_and_exclude_replaces(self, project: Path) -> None:
        for name in ("a.py", "b.py", "build/c.py"):
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(BOTH)
        (project / "nanlint.toml").write_text('extend-exclude = ["a.py"]\n')

        def shown(*arguments: str) -> set[str]:
            listed = _run("--show-files", *arguments).stdout.splitlines()
            return {Path(line).relative_to(project).as_posix() for line in listed}

        assert shown() == {"b.py"}
        assert shown("--extend-exclude", "b.py") == set()
        assert shown("--exclude", "b.py") == {"build/c.py"}


class TestFixes:
    def test_fix_only_fixes_and_reports_nothing_else(self, file: Path) -> None:
        result = _run("--fix-only")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "Fixed 1 error.\n", "")
        assert file.read_text() == "import torch\ncalm(1)\nrisky(1)\n"

    def test_fixes_are_listed_by_file(self, file: Path) -> None:
        result = _run("--fix", "--show-fixes")
        assert "Fixed 1 finding:\n- a.py:\n    1 × NL103 (unclipped-log)\n" in result.stdout
        assert "Fixed" not in _run("--fix", "--show-fixes").stdout

    @pytest.mark.parametrize("arguments", [["--unfixable", "NL103"], ["--fixable", "NL2"]])
    def test_fixes_of_some_rules_are_only_shown(self, file: Path, arguments: list[str]) -> None:
        result = _run("--fix", *arguments)
        assert file.read_text() == BOTH
        assert "3 + calm(1)" in result.stdout

    def test_the_configuration_has_them_too_and_the_option_goes_before_it(self, file: Path) -> None:
        (file.parent / "nanlint.toml").write_text('unfixable = ["NL103"]\n')
        _run("--fix")
        assert file.read_text() == BOTH
        _run("--fix", "--unfixable", "NL203")
        assert file.read_text() == BOTH.replace("boom", "calm")


class TestSeverity:
    @pytest.mark.parametrize("severity", SEVERITIES)
    @pytest.mark.parametrize("threshold", [None, *SEVERITIES])
    def test_it_decides_the_word_and_the_exit_code(self, file: Path, severity: str, threshold: str | None) -> None:
        file.write_text("import torch\nboom(1)\n")
        (file.parent / "nanlint.toml").write_text(f'[severity]\nNL103 = "{severity}"\n')
        result = _run(*(["--fail-on", threshold] if threshold else []))
        order = list(SEVERITIES)
        assert f"Found 1 {severity}.\n" in result.stdout
        assert result.exit_code == (order.index(severity) <= order.index(threshold or "error"))

    def test_what_is_shown_by_default_fails_the_run(self, file: Path) -> None:
        file.write_text("import torch\nrisky(1)\n")
        assert _run().exit_code == 1
        file.write_text("import torch\nfizz(1)\n")
        assert _run().exit_code == 0
        assert _run("--confidence", "possible").exit_code == 1


class TestOutputFile:
    @pytest.mark.parametrize("output_format", ["full", "concise", "json", "sarif", "html"])
    def test_a_file_gets_what_would_be_printed(self, file: Path, output_format: str) -> None:
        printed = _run("--output-format", output_format)
        written = _run("--output-format", output_format, "-o", "report")
        assert (written.exit_code, written.stdout) == (1, "")
        text = (file.parent / "report").read_text(encoding="utf-8")
        if output_format != "sarif":  # which has the time
            assert text == printed.stdout

    @pytest.mark.parametrize(
        ("command", "arguments"),
        [("rule", []), ("rule", ["NL103"]), ("config", []), ("config", ["--schema"]), ("version", [])],
    )
    def test_it_is_the_same_in_other_commands(self, project: Path, command: str, arguments: list[str]) -> None:
        printed = _run(*arguments, command=command).stdout
        assert _run(*arguments, "--output-file", "out", command=command).stdout == ""
        assert (project / "out").read_text(encoding="utf-8") == printed != ""

    def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_fixed(self, file: Path) -> None:
        result = _run("--fix", "-o", "gone/report")
        assert (result.exit_code, "gone" in result.stderr) == (2, True)
        assert file.read_text() == BOTH


class TestHelpAndVersion:
    def test_help_prints_what_the_option_does(self) -> None:
        printed = _run("check", command="help")
        assert printed.exit_code == 0
        assert printed.stdout.splitlines()[2:] == _run("--help").stdout.splitlines()[2:]
        assert "Commands:" in _run(command="help").stdout

    def test_help_for_no_command_names_the_nearest(self) -> None:
        result = _run("chekc", command="help")
        assert (result.exit_code, 'did you mean "check"?' in result.stderr) == (2, True)

    def test_version_prints_what_the_option_does(self) -> None:
        assert _run(command="version").stdout == CliRunner().invoke(cli, ["--version"]).stdout
        assert set(json.loads(_run("--output-format", "json", command="version").stdout)) == {"version"}


def test_ruff_leaves_comments_of_ours_alone_where_they_are_external(project: Path) -> None:
    """What the guide says of ``lint.external``."""
    pytest.importorskip("ruff", reason="Ruff is not installed")
    text = "import torch\n\ny = torch.log(torch.zeros(1))  # noqa: NL103\n"
    (project / "a.py").write_text(text)

    def ruff(*configuration: str) -> str:
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "RUF100,RUF102"]
        options = (part for one in configuration for part in ("--config", one))
        return subprocess.run([*command, *options, "a.py"], capture_output=True, text=True, check=False).stdout

    assert "NL103" in ruff()
    assert ruff("lint.external=['NL']") == "All checks passed!\n"
