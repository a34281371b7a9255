"""The pipeline: one file, bad files, many files, and mending them on disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.config import ConfigError, Configs
from nanlint.diagnostic import Severity
from nanlint.disk import read_regular
from nanlint.lint import known_rules, many_files, one_file
from nanlint.lint.report import Action, Report
from tests.conftest import TOY_RULES, Diagnose, toy_diagnose

SetDiagnosis = Callable[[Diagnose], None]

pytestmark = pytest.mark.usefixtures("toy_rules")


def _check(*paths: str, **options: Any) -> Report:
    return many_files.check(paths or (".",), Configs(known_rules.rule_names()), **options)


def _found(report: Report) -> list[tuple[str, int, str]]:
    return [(finding.path, finding.span.row, finding.code) for finding in report.diagnostics]


def _fix(*paths: str, **options: Any) -> Report:
    return _check(*paths, action=Action.FIX, **options)


# One file


def test_findings_are_sorted_by_place_and_the_unlikely_are_not_shown(project: Path) -> None:
    (project / "a.py").write_text("import torch\nfizz(1)\nx = risky(boom(1))\nboom(2)\n")
    assert _found(_check("a.py")) == [("a.py", 3, "NL203"), ("a.py", 3, "NL103"), ("a.py", 4, "NL103")]


def test_confidence_selection_and_severity_are_those_of_the_configuration(project: Path) -> None:
    (project / "nanlint.toml").write_text('select = ["NL1"]\nconfidence = "possible"\nseverity = { NL105 = "info" }\n')
    (project / "a.py").write_text("import torch\nfizz(1)\nrisky(2)\n")
    (finding,) = _check("a.py").diagnostics
    assert (finding.code, finding.severity) == ("NL105", Severity.INFO)


def test_per_file_ignores_hold_for_their_files_only(project: Path) -> None:
    (project / "nanlint.toml").write_text('per-file-ignores = { "tests/*" = ["unclipped-log"] }\n')
    (project / "tests").mkdir()
    for name in ("a.py", "tests/b.py"):
        (project / name).write_text("import torch\nboom(1)\n")
    assert _found(_check()) == [("a.py", 2, "NL103")]


def test_suppressed_findings_are_gone_and_unused_suppressions_are_said(project: Path) -> None:
    (project / "a.py").write_text("import torch\nboom(1)  # nanlint: ignore[NL103]\nx = 2  # nanlint: ignore[NL103]\n")
    assert _found(_check("a.py")) == [("a.py", 3, "NL001")]


def test_a_low_confidence_finding_still_uses_its_suppression(project: Path) -> None:
    (project / "a.py").write_text("import torch\nfizz(1)  # nanlint: ignore[NL105]\n")
    assert _found(_check("a.py")) == []


def test_a_walked_file_without_a_framework_is_not_parsed_and_a_named_one_is(project: Path) -> None:
    (project / "a.py").write_text("boom(\n")
    assert _found(_check()) == []
    assert _found(_check("a.py")) == [("a.py", 1, "NL000")]


def test_a_package_of_the_users_ops_makes_a_file_worth_reading(project: Path) -> None:
    (project / "nanlint.toml").write_text('[ops]\n"mylib.log" = "log"\n')
    (project / "a.py").write_text("import mylib\nboom(1)\n")
    assert _found(_check()) == [("a.py", 2, "NL103")]


# Bad input


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"import torch\nx = (\n", "was never closed (parsed with Python {}.{})".format(*sys.version_info)),
        (b"import torch\nprint 'x'\n", "looks like Python 2"),
        (b"import torch\nx = " + b"(" * 3000 + b")" * 3000, "too deeply nested to parse"),
    ],
)
def test_what_does_not_parse_is_a_finding_and_the_others_are_checked(project: Path, content: bytes, says: str) -> None:
    (project / "bad.py").write_bytes(content)
    (project / "good.py").write_text("import torch\nboom(1)\n")
    report = _check()
    assert [finding.code for finding in report.diagnostics] == ["NL000", "NL103"]
    assert says in report.diagnostics[0].message


@pytest.mark.parametrize(
    "content",
    [
        "import torch\n".encode("utf-16"),
        b"import torch\n\0\n",
        b"import torch\nx = '\xe9'\n",
        b"# coding: no\nimport torch\n",
    ],
)
def test_what_cannot_be_read_is_said_with_its_name_and_the_others_are_checked(project: Path, content: bytes) -> None:
    (project / "bad.py").write_bytes(content)
    (project / "good.py").write_text("import torch\nboom(1)\n")
    report = _check()
    assert _found(report) == [("good.py", 2, "NL103")]
    (message,) = report.messages
    assert message.startswith("bad.py: ")
    assert report.checked == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbfimport torch\nboom(1)\n",
        b"# coding: latin-1\nimport torch\nboom('\xe9')\n",
        b"import torch\rboom(1)\r",
        b"import torch\nx = '" + b"x" * 5_000_000 + b"'; boom(1)\n",
    ],
    ids=["empty", "bom", "latin-1", "cr", "5 MB line"],
)
def test_unusual_files_are_checked_like_others(project: Path, content: bytes) -> None:
    (project / "a.py").write_bytes(content)
    report = _check("a.py")
    assert [finding.code for finding in report.diagnostics] == (["NL103"] if content else [])
    assert report.messages == ()


def test_a_deep_expression_that_parses_is_analysed_or_said(project: Path) -> None:
    (project / "a.py").write_text("import torch\nx = " + "boom(" * 90 + "1" + ")" * 90 + "\n")
    assert len(_check("a.py").diagnostics) == 90


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (PermissionError(13, "Permission denied"), "a.py: could not be read: permission denied"),
        (FileNotFoundError(2, "No such file or directory"), "a.py: could not be read: no such file or directory"),
    ],
)
def test_a_file_that_is_unreadable_or_gone_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, says: str
) -> None:
    (project / "a.py").write_text("import torch\n")
    (project / "b.py").write_text("import torch\nboom(1)\n")

    def guarded(path: str) -> bytes:
        if path == "a.py":
            raise error
        return read_regular(path)

    monkeypatch.setattr(one_file, "read_regular", guarded)
    report = _check()
    assert report.messages == (says,)
    assert _found(report) == [("b.py", 2, "NL103")]


def test_a_crash_of_the_analysis_is_a_finding_and_the_others_are_checked(project: Path) -> None:
    (project / "a.py").write_text("import torch\ncrash()\n")
    (project / "b.py").write_text("import torch\nboom(1)\n")
    report = _check()
    assert _found(report) == [("a.py", 1, "NL003"), ("b.py", 2, "NL103")]
    assert "ZeroDivisionError: the toy broke; please report" in report.diagnostics[0].message


def test_who_debugs_gets_the_traceback(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANLINT_DEBUG", "1")
    (project / "a.py").write_text("import torch\ncrash()\n")
    with pytest.raises(ZeroDivisionError):
        _check("a.py")


def test_an_analysis_that_recurses_too_deeply_is_said(project: Path, toy_rules: SetDiagnosis) -> None:
    def endless(*arguments: object, **options: object) -> Any:
        return endless(*arguments, **options)

    toy_rules(endless)
    (project / "a.py").write_text("import torch\n")
    (finding,) = _check("a.py").diagnostics
    assert finding.code == "NL003"
    assert "too deeply nested to analyse" in finding.message


# Many files


def _forty(project: Path) -> None:
    for number in range(40):
        (project / f"m{number:02}.py").write_text("import torch\n" + "boom(1)\n" * (number % 3))
    (project / "m07.py").write_text("import torch\n(\n")
    (project / "m11.py").write_bytes(b"\0")


@pytest.mark.parametrize("jobs", [2, 3, None])
def test_the_report_is_the_same_for_every_number_of_jobs(project: Path, jobs: int | None) -> None:
    _forty(project)
    heard: list[tuple[int, int]] = []
    assert _check(jobs=jobs, on_progress=lambda done, total: heard.append((done, total))) == _check(jobs=1)
    assert heard[-1] == (40, 40)


def test_a_file_that_kills_its_worker_is_said_and_the_others_are_checked(
    project: Path, toy_rules: SetDiagnosis
) -> None:
    def deadly(source: Any, **options: Any) -> Any:
        if source.path == "m13.py":
            os._exit(1)
        return toy_diagnose(source, **options)

    _forty(project)
    expected = [row for row in _found(_check()) if row[0] != "m13.py"]
    toy_rules(deadly)
    report = _check(jobs=2)
    assert [row for row in _found(report) if row[0] != "m13.py"] == expected
    assert [row for row in _found(report) if row[0] == "m13.py"] == [("m13.py", 1, "NL003")]


def test_workers_end_when_the_program_is_killed(project: Path) -> None:
    program = (
        "import os, time; from nanlint import rules; from nanlint.lint import many_files\n"
        "from nanlint.config import Configs\n"
        "rules.diagnose = lambda *_, **__: os.write(1, b'at work\\n') and time.sleep(30)\n"
        "many_files.check(['.'], Configs({}), jobs=2)"
    )
    for name in ("a.py", "b.py"):
        (project / name).write_text("import torch\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"at work\n"
        process.kill()
        process.communicate(timeout=10)  # ends only when the last worker has let go of standard output


# Mending


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"import torch\nboom(1)\n", b"import torch\ncalm(1)\n"),
        (b"import torch\r\nboom(1)\r\n", b"import torch\r\ncalm(1)\r\n"),
        (b"import torch\rboom(1)\r", b"import torch\rcalm(1)\r"),
        (b"\xef\xbb\xbfimport torch\nboom('\xc3\xa9')", b"\xef\xbb\xbfimport torch\ncalm('\xc3\xa9')"),
        (b"# coding: latin-1\nimport torch\n'\xe9', boom(1)\n", b"# coding: latin-1\nimport torch\n'\xe9', calm(1)\n"),
    ],
    ids=["lf", "crlf", "cr", "bom", "latin-1"],
)
def test_a_mended_file_differs_in_the_fix_only(project: Path, before: bytes, after: bytes) -> None:
    (project / "a.py").write_bytes(before)
    (project / "a.py").chmod(0o755)
    report = _fix("a.py")
    assert (project / "a.py").read_bytes() == after
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755
    assert len(report.fixed) == 1
    assert report.diagnostics == ()


def test_a_file_with_nothing_to_mend_is_not_touched(project: Path) -> None:
    path = project / "a.py"
    path.write_text("import torch\nrisky(1)\n")
    os.utime(path, (1, 1))
    _fix("a.py")
    assert path.stat().st_mtime == 1


def test_unsafe_fixes_need_leave(project: Path) -> None:
    (project / "a.py").write_text("import torch\nrisky(1)\n")
    assert _found(_fix("a.py")) == [("a.py", 2, "NL203")]
    assert _found(_fix("a.py", unsafe_fixes=True)) == []


def test_the_frame_of_what_remains_shows_the_mended_file(project: Path) -> None:
    (project / "a.py").write_text("import torch\nrisky(boom(1))\n")
    (file,) = _fix("a.py").files
    assert file.excerpt == {(None, 2): "risky(calm(1))\n"}


def test_a_diff_writes_nothing(project: Path) -> None:
    (project / "a.py").write_text("import torch\nboom(1)\n")
    (file,) = _check("a.py", action=Action.DIFF).files
    assert (project / "a.py").read_text() == "import torch\nboom(1)\n"
    assert file.after is not None
    assert file.after.text == "import torch\ncalm(1)\n"


def test_a_read_only_file_keeps_its_findings(project: Path) -> None:
    (project / "a.py").write_text("import torch\nboom(1)\n")
    (project / "a.py").chmod(0o444)
    report = _fix("a.py")
    assert report.messages == ("a.py: is read-only, so it was not fixed",)
    assert _found(report) == [("a.py", 2, "NL103")]
    assert report.fixed == ()


def test_a_file_that_someone_edits_meanwhile_is_theirs(project: Path, toy_rules: SetDiagnosis) -> None:
    path = project / "a.py"
    path.write_text("import torch\nboom(1)\n")

    def diagnose_and_edit(*arguments: Any, **options: Any) -> Any:
        path.write_text("import torch\nboom(2)\n")
        return toy_diagnose(*arguments, **options)

    toy_rules(diagnose_and_edit)
    report = _fix("a.py")
    assert report.messages == ("a.py: changed while it was checked, so it was not fixed; run again",)
    assert path.read_text() == "import torch\nboom(2)\n"


def test_a_fix_that_would_break_the_file_is_said_and_not_written(project: Path) -> None:
    (project / "a.py").write_text("import torch\nbroken(1)\nboom(2)\n")
    (file,) = _fix("a.py").files
    assert (project / "a.py").read_text() == "import torch\nbroken(1)\ncalm(2)\n"
    assert "a.py:2:1: the fix of NL103 would break the file" in file.notes[0]


def test_fixes_are_the_same_for_every_number_of_jobs(project: Path) -> None:
    _forty(project)
    assert len(_fix(jobs=3).fixed) == 36  # 13 times 0, 1, 2, without the two bad files
    assert _found(_check()) == [("m07.py", 2, "NL000")]


# The library


def test_source_is_checked_without_a_file() -> None:
    (finding,) = nanlint.check_source("import torch\nboom(1)\n", path="given.py")
    assert (finding.path, finding.code, finding.span.row) == ("given.py", "NL103", 2)


def test_source_is_checked_under_the_keys_of_the_configuration() -> None:
    text = "import torch\nfizz(1)\nboom(1)\n"
    assert [one.code for one in nanlint.check_source(text, confidence="possible", ignore=["NL103"])] == ["NL105"]
    with pytest.raises(ConfigError, match='unknown key "confidense"; did you mean "confidence"'):
        nanlint.check_source(text, confidense="possible")


def test_source_is_mended_without_a_file() -> None:
    result = nanlint.fix_source("import torch\nboom(1)\nrisky(2)\n")
    assert result.source.text == "import torch\ncalm(1)\nrisky(2)\n"
    assert [one.code for one in result.fixed] == ["NL103"]
    assert [one.code for one in result.remaining] == ["NL203"]
    assert nanlint.fix_source("import jax\nrisky(2)\n", unsafe_fixes=True).source.text == "import jax\ncalm(2)\n"


def test_paths_are_checked_under_their_own_configuration(project: Path) -> None:
    (project / "nanlint.toml").write_text('ignore = ["NL203"]\n')
    (project / "a.py").write_text("import torch\nboom(1)\nrisky(1)\n")
    assert _found(nanlint.check_paths([str(project)])) == [("a.py", 2, "NL103")]


def test_every_toy_rule_is_known_beside_the_rules_about_the_check_itself() -> None:
    assert set(known_rules.all_rules()) == {"NL000", "NL001", "NL002", "NL003", "NL004", *TOY_RULES}


def test_edits_at_one_place_stand_in_the_same_order_in_every_run(tmp_path: Path) -> None:
    """Two names are put before the statement; Python hashes texts differently in each run."""
    program = tmp_path / "loss.py"
    program.write_text(
        "import tensorflow as tf\n\n\ndef divergence(a, b):\n    return tf.math.multiply_no_nan(\n"
        "        tf.math.log_softmax(a) - tf.math.log_softmax(b), tf.math.softmax(a)\n    )\n"
    )
    command = [sys.executable, "-m", "nanlint", "check", "--isolated", "--output-format", "json", str(program)]
    shown = {
        subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in "01234"
    }
    assert len(shown) == 1
    assert '"probs = tf.math.softmax(a)' in shown.pop()
