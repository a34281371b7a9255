"""``nanlint check``: reports in files, and what makes it fail."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli

pytestmark = pytest.mark.usefixtures("toy_rules")

BOOM = "import torch\nboom(1)\n"
RISKY = "import torch\nrisky(1)\n"


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], catch_exceptions=False)


class TestOutput:
    def test_several_reports_are_written_at_once_and_the_terminal_still_shows_its_own(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = _run("--output", "json:found.json", "--output", "sarif:found.sarif", "--output-format", "concise", ".")
        assert result.exit_code == 1
        assert result.stdout.startswith("a.py:2:1: NL103 [*] boom is called (certain)\n")
        assert [finding["code"] for finding in json.loads((project / "found.json").read_text())] == ["NL103"]
        assert json.loads((project / "found.sarif").read_text())["version"] == "2.1.0"

    @pytest.mark.parametrize(
        ("value", "complaint"),
        [
            ("sarf:x.sarif", 'did you mean "sarif"?'),
            ("x.sarif", "does not begin with a format"),
            ("sarif:", "has no file name; write sarif:FILE"),
            ("sarif:-", "for standard output use --output-format sarif"),
            ("json:twice --output sarif:twice", "twice is given for two reports"),
            ("json:nowhere/x.json", "there is no directory nowhere"),
            ("json:.", "is a directory"),
        ],
    )
    def test_a_bad_value_is_said_before_anything_is_checked(self, project: Path, value: str, complaint: str) -> None:
        (project / "a.py").write_text(BOOM)
        result = CliRunner().invoke(cli, ["check", "--fix", "--output", *value.split(), "a.py"])
        assert result.exit_code == 2
        assert complaint in result.stderr
        assert (project / "a.py").read_text() == BOOM

    def test_a_file_that_may_not_be_written_is_left_as_it_was(self, project: Path) -> None:
        if os.geteuid() == 0:
            pytest.skip("root may write everything")
        (project / "a.py").write_text(BOOM)
        (project / "found.json").write_text("old")
        (project / "found.json").chmod(0o444)
        result = CliRunner().invoke(cli, ["check", "--output", "json:found.json", "a.py"])
        assert (result.exit_code, (project / "found.json").read_text()) == (2, "old")
        assert "permission denied" in result.stderr

    def test_a_directory_that_may_not_be_written_is_said_before_anything_is_fixed(self, project: Path) -> None:
        if os.geteuid() == 0:
            pytest.skip("root may write everything")
        (project / "a.py").write_text(BOOM)
        (project / "closed").mkdir(mode=0o555)
        for option in ("--output=json:closed/found.json", "--write-baseline=closed/known.json"):
            result = CliRunner().invoke(cli, ["check", "--fix", option, "a.py"])
            assert (result.exit_code, (project / "a.py").read_text()) == (2, BOOM)
            assert result.stderr.endswith("could not be written: permission denied\n")

    def test_a_report_replaces_an_old_one_and_keeps_its_mode_and_leaves_nothing_beside_it(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        (project / "found.json").write_text("old")
        (project / "found.json").chmod(0o604)
        _run("--output", "json:found.json", "a.py")
        assert len(json.loads((project / "found.json").read_text())) == 1
        assert stat.S_IMODE((project / "found.json").stat().st_mode) == 0o604
        assert sorted(path.name for path in project.iterdir()) == ["a.py", "found.json"]

    def test_a_new_report_may_be_read_by_those_whom_the_umask_lets(self, project: Path) -> None:
        before = os.umask(0o022)
        try:
            _run("--output", "json:found.json", ".")
        finally:
            os.umask(before)
        assert stat.S_IMODE((project / "found.json").stat().st_mode) == 0o644

    def test_a_pipe_is_written_to(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("--output", f"concise:{os.devnull}", "a.py").exit_code == 1

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
    def test_standard_output_that_is_a_pipe_is_written_to(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        command = [sys.executable, "-m", "nanlint", "-q", "--output", "json:/dev/stdout", "--output-format", "concise"]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        ran = subprocess.run([*command, "a.py"], env=environment, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "[]\n", "")

    def test_a_report_is_written_even_if_nothing_could_be_checked(self, project: Path) -> None:
        result = _run("--output", "sarif:found.sarif", "missing.py")
        assert result.exit_code == 2
        (invocation,) = json.loads((project / "found.sarif").read_text())["runs"][0]["invocations"]
        assert (invocation["exitCode"], invocation["executionSuccessful"]) == (2, False)

    def test_statistics_have_no_form_for_machines_but_json(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = CliRunner().invoke(cli, ["check", "--statistics", "--output-format", "sarif"])
        assert result.exit_code == 2
        assert "--statistics does not support --output-format sarif" in result.stderr


class TestExit:
    @pytest.mark.parametrize(("fail_on", "code"), [("possible", 1), ("likely", 1), ("certain", 0)])
    def test_findings_that_are_less_sure_than_fail_on_are_shown_and_do_not_fail(
        self, project: Path, fail_on: str, code: int
    ) -> None:
        (project / "a.py").write_text(RISKY)
        result = _run("--fail-on", fail_on, "a.py")
        assert "NL203" in result.stdout
        assert result.exit_code == code

    def test_a_file_that_was_not_read_fails_whatever_fail_on_says(self, project: Path) -> None:
        (project / "a.py").write_text(RISKY)
        assert _run("--fail-on", "certain", "a.py", "missing.py").exit_code == 1

    def test_fixes_fail_where_that_is_asked_for_even_if_nothing_is_left(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("--fix", "--exit-non-zero-on-fix", "a.py").exit_code == 1
        assert _run("--fix", "--exit-non-zero-on-fix", "a.py").exit_code == 0


def test_verify_looks_where_its_report_goes_before_the_program_runs(project: Path) -> None:
    (project / "train.py").write_text("open('trace', 'w').close()\n")
    result = CliRunner().invoke(cli, ["verify", "--output-file", "nowhere/report.txt", "--", "train.py"])
    assert result.exit_code == 2
    assert result.stderr == "error: nowhere/report.txt: could not be written: there is no directory nowhere\n"
    assert not (project / "trace").exists()
