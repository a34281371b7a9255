"""``nanlint report``: the same findings as ``nanlint check``, as a page."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli
from nanlint.commands.check import check
from nanlint.commands.report import report

pytestmark = pytest.mark.usefixtures("toy_rules")

BOOM = "import torch\nboom(1)\n"
RISKY = "import torch\nrisky(1)\n"


def _run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, ["report", *arguments], env=environment, catch_exceptions=False)


def test_it_writes_the_page_prints_the_counts_and_leaves_with_0(project: Path) -> None:
    (project / "a.py").write_text(BOOM)
    result = _run()
    assert result.exit_code == 0
    assert "1\tNL103\t" in result.stdout
    assert "The report is in nanlint-report.html." in result.stderr
    assert "boom is called" in (project / "nanlint-report.html").read_text("utf-8")


def test_it_takes_the_options_of_check_that_choose_what_is_checked(project: Path) -> None:
    (project / "a.py").write_text(BOOM)
    (project / "b.py").write_text(RISKY)
    assert "2 findings in 2 of 2 files" in _page(project, ".")
    assert "1 finding in 1 of 2 files" in _page(project, "--ignore", "NL103", ".")
    assert "1 finding in 1 of 1 file" in _page(project, "--exclude", "b.py")
    assert "1 finding in 1 of 1 file" in _page(project, "a.py")
    assert "1 finding in 1 of 2 files" in _page(project, NANLINT_IGNORE="NL103")


def _page(project: Path, *arguments: str, **environment: str) -> str:
    result = _run(*arguments, "-o", "page.html", **environment)
    assert result.exit_code == 0, result.stderr
    return (project / "page.html").read_text("utf-8")


def test_its_options_are_those_of_check_and_the_page() -> None:
    def options(command: click.Command) -> dict[str, tuple[object, ...]]:
        return {
            one.opts[-1]: (one.help, one.default, one.envvar) for one in command.params if isinstance(one, click.Option)
        }

    own, checks = options(report), options(check)
    assert set(own) - set(checks) <= {"--output-file"}
    shared = set(own) & set(checks) - {"--output-file"}
    assert {"--select", "--confidence", "--changed-since", "--baseline", "--config", "--jobs"} <= shared
    assert not shared & {"--fix", "--diff", "--output-format", "--write-baseline", "--add-ignore", "--watch"}
    assert {name: own[name] for name in shared} == {name: checks[name] for name in shared}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere.py",), "nowhere.py: no such file or directory"),
        (("-o", "no/page.html"), "there is no directory no"),
        (("--fix",), "No such option"),
    ],
)
def test_what_cannot_be_done_leaves_with_2(project: Path, arguments: tuple[str, ...], complaint: str) -> None:
    (project / "a.py").write_text(BOOM)
    result = _run(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert "The report is in" not in result.stderr
