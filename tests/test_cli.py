"""The command line: what is printed where, and with which exit code one leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint import __version__
from nanlint.cli import cli
from nanlint.housekeeping import HOUSEKEEPING
from tests.conftest import TOY_RULES

BOOM = "import torch\nboom(1)\n"
CALM = "import torch\ncalm(1)\n"


def _run(*arguments: str, stdin: bytes | None = None, environment: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin, env=environment, catch_exceptions=False)


# As users start it, with its real rules; installed or not.
_PROGRAM = [sys.executable, "-m", "nanlint"]
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}


def _shell(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*_PROGRAM, *arguments], cwd=cwd, env=_ENVIRONMENT, capture_output=True, text=True, check=False
    )


@pytest.mark.usefixtures("toy_rules")
class TestCheck:
    def test_clean_code_passes(self, project: Path) -> None:
        (project / "a.py").write_text(CALM)
        result = _run("check", "a.py")
        assert (result.exit_code, result.stdout, result.stderr) == (
            0,
            "No findings in 1 file (1 uses a numeric framework).\n",
            "",
        )

    def test_findings_exit_with_1(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = _run("check", "a.py")
        assert result.exit_code == 1
        assert result.stdout.startswith("a.py:2:1 NL103 [certain] boom is called\n  2 │ boom(1)\n")
        assert result.stdout.endswith("Found 1 error.\n[*] 1 fixable with the `--fix` option.\n")

    def test_what_is_only_possible_is_counted_in_the_last_line(self, project: Path) -> None:
        (project / "a.py").write_text(f"{BOOM}fizz(1)\nfizz(2)\nfizz(3)  # nanlint: ignore\nrisky(1)\n")
        for arguments, last in (
            ([], "2 possible findings not shown: use --confidence possible"),
            (["--confidence", "certain"], "1 likely and 2 possible findings not shown: use --confidence possible"),
            (["--fix"], "2 possible findings not shown: use --confidence possible"),
            (
                ["--ignore", "NL105"],
                "No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).",
            ),
        ):
            assert _run("check", *arguments, "a.py").stdout.splitlines()[-1] == last, arguments
        for arguments in (["--quiet"], ["--confidence", "possible"], ["--output-format", "json"]):
            assert "possible findings" not in _run("check", *arguments, "a.py").stdout, arguments

    @pytest.mark.parametrize("arguments", [["a.py"], ["--quiet", "a.py"], ["--fix", "a.py"], ["./a.py"], ["-q"]])
    def test_check_is_meant_when_no_command_is_named(self, project: Path, arguments: list[str]) -> None:
        (project / "a.py").write_text("import torch\nrisky(1)\n")
        result = _run(*arguments)
        assert result.exit_code == 1
        assert "NL203" in result.stdout

    def test_without_paths_the_working_directory_is_checked(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert "a.py:2:1" in _run("check").stdout

    def test_concise_and_json_say_the_same(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        concise = _run("check", "--output-format", "concise")
        assert concise.stdout.splitlines()[0] == "a.py:2:1: NL103 [*] boom is called (certain)"
        as_json = _run("check", "--output-format", "json")
        (finding,) = json.loads(as_json.stdout)
        assert finding["filename"] == str(project / "a.py")
        assert (finding["location"]["row"], finding["code"]) == (2, "NL103")
        assert as_json.exit_code == 1

    def test_json_is_json_even_if_there_is_nothing_to_say(self, project: Path) -> None:
        (project / "a.py").write_text(CALM)
        assert json.loads(_run("check", "--output-format", "json").stdout) == []

    @pytest.mark.parametrize(
        ("arguments", "codes"),
        [
            ([], {"NL103", "NL203"}),
            (["--select", "NL1"], {"NL103"}),
            (["--select", "where-gradient,NL105"], {"NL203"}),
            (["--select", "NL1", "--select", "NL2"], {"NL103", "NL203"}),
            (["--ignore", "unclipped-log"], {"NL203"}),
            (["--select", "NL103", "--extend-select", "NL2"], {"NL103", "NL203"}),
            (["--confidence", "certain"], {"NL103"}),
            (["--confidence", "possible"], {"NL103", "NL105", "NL203"}),
        ],
    )
    def test_rules_are_selected(self, project: Path, arguments: list[str], codes: set[str]) -> None:
        (project / "a.py").write_text(BOOM + "fizz(1)\nrisky(2)\n")
        result = _run("check", "--output-format", "json", *arguments)
        assert {finding["code"] for finding in json.loads(result.stdout)} == codes

    def test_an_unknown_rule_is_refused_with_the_nearest(self, project: Path) -> None:
        result = _run("check", "--select", "unclipped-lag")
        assert result.exit_code == 2
        assert result.stderr == 'error: --select: unknown rule "unclipped-lag"; did you mean "unclipped-log"?\n'

    @pytest.mark.parametrize("arguments", [["--confidence", "sure"], ["--nope"], ["-j", "0"], ["a.py", "-"]])
    def test_bad_options_exit_with_2(self, project: Path, arguments: list[str]) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("check", *arguments).exit_code == 2

    def test_statistics_count_by_rule(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM + "boom(2)\nrisky(2)\n")
        assert _run("check", "--statistics").stdout == (
            "2\tNL103\t[*] unclipped-log\n1\tNL203\t[ ] where-gradient\nFound 3 errors.\n"
            "[*] 2 fixable with the `--fix` option (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n"
        )
        rows = json.loads(_run("check", "--statistics", "--output-format", "json").stdout)
        assert [(row["code"], row["count"]) for row in rows] == [("NL103", 2), ("NL203", 1)]

    def test_exit_zero(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("check", "--exit-zero").exit_code == 0

    def test_quiet_prints_findings_only(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("check", "-q", "--output-format", "concise").stdout.count("\n") == 1
        (project / "a.py").write_text(CALM)
        assert _run("check", "-q").output == ""

    def test_show_files_lists_what_would_be_checked(self, project: Path) -> None:
        (project / "b.py").write_text("")
        (project / "a.py").write_text(BOOM)
        (project / "build").mkdir()
        (project / "build" / "c.py").write_text(BOOM)
        result = _run("check", "--show-files")
        assert result.stdout.splitlines() == [str(project / "a.py"), str(project / "b.py")]
        assert result.exit_code == 0

    def test_exclude_and_gitignore(self, project: Path) -> None:
        for name in ("a.py", "b.py", "c.py"):
            (project / name).write_text(BOOM)
        (project / ".gitignore").write_text("b.py\n")
        shown = _run("check", "--show-files", "--exclude", "a.py").stdout
        assert shown.splitlines() == [str(project / "c.py")]
        shown = _run("check", "--show-files", "--exclude", "a.py,c.*", "--no-respect-gitignore").stdout
        assert shown.splitlines() == [str(project / "b.py")]

    def test_the_configuration_can_be_given_or_disregarded(self, project: Path) -> None:
        (project / "nanlint.toml").write_text('ignore = ["NL103"]\n')
        (project / "other.toml").write_text('select = ["NL1"]\n')
        (project / "a.py").write_text(BOOM + "risky(1)\n")

        def codes(*arguments: str) -> list[str]:
            found = json.loads(_run("check", "--output-format", "json", *arguments).stdout)
            return [finding["code"] for finding in found]

        assert codes() == ["NL203"]
        assert codes("--config", "other.toml") == ["NL103"]
        assert codes("--isolated") == ["NL103", "NL203"]
        assert codes("--isolated", "--ignore", "NL203") == ["NL103"]

    @pytest.mark.parametrize(
        ("color", "environment", "painted"),
        [
            ("auto", {}, False),
            ("always", {"NO_COLOR": "1"}, True),
            ("never", {"FORCE_COLOR": "1"}, False),
            ("auto", {"FORCE_COLOR": "1"}, True),
            ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ],
    )
    def test_colour_comes_when_asked_for(
        self, project: Path, color: str, environment: dict[str, str], painted: bool
    ) -> None:
        (project / "a.py").write_text(BOOM)
        clean = {"NO_COLOR": "", "FORCE_COLOR": ""}
        result = _run("check", "--color", color, environment={**clean, **environment})
        assert ("\x1b[" in result.stdout) is painted


@pytest.mark.usefixtures("toy_rules")
class TestFix:
    def test_fix_mends_and_counts(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM + "risky(1)\n")
        result = _run("check", "--fix", "-q")
        assert result.exit_code == 1
        assert (project / "a.py").read_text() == CALM + "risky(1)\n"
        result = _run("--fix", "--unsafe-fixes", ".")
        assert result.exit_code == 0
        assert result.stdout == "Found 1 error (1 fixed, 0 remaining).\n"

    def test_exit_non_zero_on_fix(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("check", "--fix", "--exit-non-zero-on-fix").exit_code == 1
        assert _run("check", "--fix", "--exit-non-zero-on-fix").exit_code == 0

    def test_diff_shows_and_writes_nothing(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = _run("check", "--diff")
        assert "\x1b" not in CliRunner().invoke(cli, ["check", "--diff"], env={"FORCE_COLOR": "1"}, color=True).stdout
        assert result.exit_code == 1
        assert result.stdout == "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n import torch\n-boom(1)\n+calm(1)\n"
        assert result.stderr == "Would fix 1 error.\n"
        assert (project / "a.py").read_text() == BOOM

    def test_a_diff_without_changes_is_clean_whatever_is_found(self, project: Path) -> None:
        (project / "a.py").write_text("import torch\nrisky(1)\n")
        result = _run("check", "--diff")
        assert (result.exit_code, result.stdout) == (0, "")

    def test_an_unwritable_file_is_said(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        (project / "a.py").chmod(0o444)
        result = _run("check", "--fix")
        assert result.exit_code == 1
        assert result.stderr == "error: a.py: is read-only, so it was not fixed\n"


@pytest.mark.usefixtures("toy_rules")
class TestStandardInput:
    def test_it_is_checked_under_the_name_given(self, project: Path) -> None:
        (project / "sub").mkdir()
        (project / "sub" / "nanlint.toml").write_text('ignore = ["NL203"]\n')
        result = _run(
            "check",
            "--output-format",
            "concise",
            "--stdin-filename",
            "sub/a.py",
            "-",
            stdin=b"import torch\nboom(1)\nrisky(1)\n",
        )
        assert result.exit_code == 1
        assert result.stdout.splitlines()[:2] == ["sub/a.py:2:1: NL103 [*] boom is called (certain)", "Found 1 error."]

    def test_mended_it_goes_to_standard_output_byte_for_byte(self, project: Path) -> None:
        result = _run("check", "--fix", "-", stdin=b"\xef\xbb\xbfimport torch\r\nboom(1)\r\nrisky(1)\r\n")
        assert result.stdout_bytes == b"\xef\xbb\xbfimport torch\r\ncalm(1)\r\nrisky(1)\r\n"
        assert "NL203" in result.stderr

    def test_what_does_not_parse_comes_back_as_it_was(self, project: Path) -> None:
        result = _run("check", "--fix", "-", stdin=b"boom(1\n")
        assert result.stdout_bytes == b"boom(1\n"
        assert result.exit_code == 1

    def test_its_diff_is_shown(self, project: Path) -> None:
        result = _run("check", "--diff", "-", "--stdin-filename", "a.py", stdin=b"import torch\nboom(1)\n")
        assert result.exit_code == 1
        assert "+calm(1)\n" in result.stdout


@pytest.mark.usefixtures("toy_rules")
class TestTrouble:
    def test_a_path_that_leads_nowhere_is_said_and_the_others_are_checked(self, project: Path) -> None:
        (project / "a.py").write_text(CALM)
        result = _run("check", "nowhere.py", "a.py")
        assert result.exit_code == 1
        assert result.stderr == "error: nowhere.py: no such file or directory\n"

    def test_a_command_with_a_slip_is_no_path(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = _run("verfy", "a.py")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == 'error: verfy: no such command, file or directory; did you mean "verify"?\n'
        (project / "verfy").mkdir()
        assert _run("verfy", "a.py").exit_code == 1

    def test_where_nothing_could_be_checked_the_exit_code_is_2(self, project: Path) -> None:
        result = _run("check", "nowhere.py", "--exit-zero")
        assert result.exit_code == 2
        assert result.stdout == ""

    def test_a_directory_without_python_is_clean_and_warned_about(self, project: Path) -> None:
        result = _run("check")
        assert result.exit_code == 0
        assert result.stderr == "warning: no Python files found under the given paths\n"

    def test_a_broken_configuration_exits_with_2_and_its_name(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        (project / "pyproject.toml").write_text("[tool.nanlint]\nselekt = []\n")
        result = _run("check")
        assert result.exit_code == 2
        assert result.stderr == ('error: pyproject.toml [tool.nanlint]: unknown key "selekt"; did you mean "select"?\n')

    def test_a_broken_configuration_elsewhere_stops_only_its_own_files(self, project: Path) -> None:
        (project / "sub").mkdir()
        (project / "sub" / "nanlint.toml").write_text("[")
        (project / "sub" / "b.py").write_text(BOOM)
        (project / "a.py").write_text(BOOM)
        result = _run("check", "--output-format", "json")
        assert result.exit_code == 1
        assert "sub/nanlint.toml: is not valid TOML" in result.stderr
        assert [Path(finding["filename"]).name for finding in json.loads(result.stdout)] == ["a.py"]

    def test_an_unreadable_file_is_said_and_the_exit_code_is_1(self, project: Path) -> None:
        (project / "a.py").write_text(CALM)
        (project / "b.py").write_bytes("import torch".encode("utf-16"))
        result = _run("check")
        assert result.exit_code == 1
        assert result.stderr == "error: b.py: is encoded in UTF-16, which Python does not support; save it as UTF-8\n"


@pytest.mark.usefixtures("toy_rules")
class TestRule:
    @pytest.mark.parametrize("named", ["NL103", "nl103", "unclipped-log"])
    def test_the_page_of_a_rule(self, named: str) -> None:
        result = _run("rule", named)
        assert result.exit_code == 0
        assert result.stdout.startswith("# unclipped-log (NL103)\n\nA safe fix is available with `--fix`.\n\nA boom.\n")

    def test_all_pages(self) -> None:
        titles = [line for line in _run("rule", "--all").stdout.splitlines() if line.startswith("# ")]
        assert titles[0] == "# syntax-error (NL000)"
        assert titles[-1] == "# where-gradient (NL203)"

    def test_rules_as_json(self) -> None:
        assert json.loads(_run("rule", "NL203", "--output-format", "json").stdout)["fix"] == "unsafe"
        rules = json.loads(_run("rule", "--all", "--output-format", "json").stdout)
        assert [rule["code"] for rule in rules] == sorted(rule["code"] for rule in rules)

    def test_an_unknown_rule_exits_with_2_and_the_nearest(self) -> None:
        result = _run("rule", "where-gradiant")
        assert result.exit_code == 2
        assert result.stderr == 'error: unknown rule "where-gradiant"; did you mean "where-gradient"?\n'
        group = _run("rule", "nl")
        assert group.exit_code == 2
        assert group.stderr.startswith("error: nl is a group of rules; name one: NL000, ")

    def test_one_rule_or_all(self) -> None:
        assert _run("rule", "NL103", "--all").exit_code == 2

    def test_alone_it_lists_the_rules(self) -> None:
        result = _run("rule")
        assert result.exit_code == 0
        assert "NL203  where-gradient       A risky call\n" in result.stdout
        assert [line.split()[0] for line in result.stdout.splitlines()] == sorted({*HOUSEKEEPING, *TOY_RULES})


class TestProgram:
    def test_alone_it_prints_its_help(self) -> None:
        result = _run()
        assert "Usage:" in result.output
        assert "check" in result.output

    def test_its_version(self, tmp_path: Path) -> None:
        assert _shell("--version", cwd=tmp_path).stdout == f"nanlint {__version__}\n"

    def test_exit_codes_reach_the_shell(self, tmp_path: Path) -> None:
        (tmp_path / "clean.py").write_text("x = 1\n")
        (tmp_path / "broken.py").write_text("x = (\n")
        assert _shell("clean.py", cwd=tmp_path).returncode == 0
        assert _shell("broken.py", cwd=tmp_path).returncode == 1
        assert _shell("gone.py", cwd=tmp_path).returncode == 2
        assert _shell("--no-such-option", cwd=tmp_path).returncode == 2

    def test_a_reader_that_leaves_early_causes_no_traceback(self, tmp_path: Path) -> None:
        command = [*_PROGRAM, "rule", "--all", "--output-format", "json"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=tmp_path, env=_ENVIRONMENT, stdout=pipe, stderr=pipe) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""

    def test_a_user_who_stops_it_sees_no_traceback(self, tmp_path: Path) -> None:
        program = (
            "import os, signal; from nanlint import cli; from nanlint.lint import many_files; "
            "many_files.check = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT); cli.main()"
        )
        command = [sys.executable, "-c", program, "check"]
        done = subprocess.run(command, cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.strip()) == (130, "")

    @pytest.mark.parametrize("statement", ["import nanlint", "import nanlint.cli", "import nanlint.lint.many_files"])
    def test_importing_it_imports_no_framework_and_nothing_heavy(self, statement: str) -> None:
        heavy = "torch tensorflow jax keras numpy libcst astroid rich pathspec concurrent.futures importlib.metadata"
        program = f"import sys; {statement}; print([name for name in {heavy.split()} if name in sys.modules])"
        done = subprocess.run(
            [sys.executable, "-c", program], env=_ENVIRONMENT, capture_output=True, text=True, check=True
        )
        assert done.stdout == "[]\n"

    @pytest.mark.parametrize(
        ("code", "findings"),
        [
            ("def f(x):\n    return x.relu().log1p()\n", 0),
            ("\n\nHUGE = np.exp(1000.0)\n", 1),
        ],
        ids=["nothing found", "a finding without a fix"],
    )
    def test_without_a_fix_nothing_is_imported_that_only_fixes_need(
        self, code: str, findings: int, tmp_path: Path
    ) -> None:
        (tmp_path / "a.py").write_text(f"import numpy as np\nimport torch\n{code}")
        heavy = "libcst astroid msgspec rich platformdirs"
        program = (
            "import atexit, sys; from nanlint import cli; "
            f"atexit.register(lambda: print([name for name in {heavy.split()} if name in sys.modules])); "
            "sys.argv[1:] = ['check', '--output-format', 'concise', 'a.py']; cli.main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout.count("NL")) == (findings, findings), done.stdout + done.stderr
        assert done.stdout.splitlines()[-1] == "[]", done.stdout
