"""The baseline: known findings are hidden by their fingerprints, all others are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli

pytestmark = pytest.mark.usefixtures("toy_rules")

TWO = "import torch\nboom(1)\nrisky(1)\n"
FILE = "nanlint-baseline.json"
CLEAN = "No findings in 1 file (1 uses a numeric framework).\n"


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


@pytest.fixture
def known(project: Path) -> Path:
    """A project with two known findings in one file."""
    (project / "a.py").write_text(TWO)
    (project / "nanlint.toml").write_text(f'baseline = "{FILE}"\n')
    assert _run("--write-baseline").exit_code == 0
    return project


def _counts(project: Path) -> dict[str, dict[str, int]]:
    files = json.loads((project / FILE).read_text())["files"]
    return {name: {code: len(prints) for code, prints in rules.items()} for name, rules in files.items()}


def test_what_is_known_is_hidden_and_does_not_fail(known: Path) -> None:
    result = _run()
    assert (result.exit_code, result.stdout) == (0, CLEAN + f"2 findings not shown: in the baseline {FILE}.\n")
    assert _counts(known) == {"a.py": {"NL103": 1, "NL203": 1}}


def test_moved_lines_and_formatting_do_not_matter(known: Path) -> None:
    (known / "a.py").write_text("import torch\n\n\nx = 2\nboom(\n    1\n)\nrisky( 1 )\n")
    assert _run().exit_code == 0


def test_a_new_finding_is_shown_alone_beside_a_known_one_of_its_rule(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(2)\nboom(1)\nrisky(1)\n")
    result = _run("--output-format", "concise")
    assert result.exit_code == 1
    assert [line.split(" ")[0] for line in result.stdout.splitlines()[:2]] == ["a.py:2:1:", "Found"]
    assert f"2 findings not shown: in the baseline {FILE}.\n" in result.stdout


def test_a_new_finding_is_shown_where_a_known_one_of_its_rule_was_repaired(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(2)\nrisky(1)\n")
    result = _run("--output-format", "concise")
    assert result.exit_code == 1
    assert result.stdout.startswith("a.py:2:1: NL103")
    assert f"{FILE}: 1 of its findings no longer occurs" in result.stderr


def test_the_same_expression_once_more_is_new(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(1)\nrisky(1)\nboom(1)\n")
    result = _run("--output-format", "concise")
    assert [line.split(" ")[0] for line in result.stdout.splitlines()[:2]] == ["a.py:4:1:", "Found"]


def test_a_new_file_is_not_known(known: Path) -> None:
    (known / "b.py").write_text("import torch\nboom(1)\n")
    assert _run("--output-format", "concise").stdout.startswith("b.py:2:1: NL103")


def test_it_holds_from_every_directory(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (known / "sub").mkdir()
    monkeypatch.chdir(known / "sub")
    assert _run("..").exit_code == 0
    assert _run("--isolated", "--baseline", f"../{FILE}", str(known / "a.py")).exit_code == 0


def test_what_is_gone_is_told_and_leaves_when_it_is_written_again(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(1)\n")
    result = _run()
    assert result.exit_code == 0
    assert f"{FILE}: 1 of its findings no longer occurs; --write-baseline removes them" in result.stderr
    assert _run("--write-baseline").exit_code == 0
    assert _counts(known) == {"a.py": {"NL103": 1}}


def test_what_was_not_looked_at_is_neither_gone_nor_lost(known: Path) -> None:
    (known / "b.py").write_text("import torch\n")
    for arguments in (["b.py"], ["--select", "NL105"], ["--confidence", "certain"]):
        assert "no longer there" not in _run(*arguments).stderr, arguments
    assert _run("--write-baseline", "b.py").exit_code == 0
    assert _run("--write-baseline", "--select", "NL103").exit_code == 0
    assert _counts(known) == {"a.py": {"NL103": 1, "NL203": 1}}


def test_a_file_that_does_not_parse_keeps_its_entries_and_fails(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(\n")
    result = _run()
    assert (result.exit_code, "no longer there" in result.stderr) == (1, False)
    assert _run("--write-baseline").exit_code == 1, "a file that was not checked is never known"
    assert _counts(known) == {"a.py": {"NL103": 1, "NL203": 1}}


def test_a_file_that_is_gone_takes_its_entries_with_it(known: Path) -> None:
    (known / "b.py").write_text("import torch\n")
    (known / "a.py").unlink()
    assert _run("--write-baseline").exit_code == 0
    assert _counts(known) == {}


def test_the_same_findings_make_the_same_file(known: Path) -> None:
    before = (known / FILE).read_bytes()
    assert _run("--write-baseline").exit_code == 0
    assert (known / FILE).read_bytes() == before


def test_how_it_is_used_is_told_where_nothing_uses_it(known: Path) -> None:
    assert "To hide them" not in _run("--write-baseline").stderr
    assert (
        "To hide them, use --baseline other.json or the key `baseline`.\n" in _run("--write-baseline=other.json").stderr
    )


def test_the_value_is_optional_and_never_the_path_that_follows(project: Path) -> None:
    (project / "a.py").write_text(TWO)
    assert _run("--write-baseline", "a.py").exit_code == 0
    assert (project / "a.py").read_text() == TWO
    assert _run("--write-baseline=known.json", "a.py").exit_code == 0
    assert _run("--baseline", "known.json", "a.py").exit_code == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is not a baseline of nanlint"),
        ("<<<<<<< HEAD\n", "is not a baseline of nanlint"),
        ("[]", "is not a baseline of nanlint"),
        ('{"version": 2, "files": {"a.py": 3}}', "is not a baseline of nanlint"),
        ('{"version": 2, "files": {"a.py": {"NL103": 1}}}', "is not a baseline of nanlint"),
        ('{"version": 3}', "is a baseline of version 3, but this nanlint reads 2; use a newer nanlint, or remove"),
        ('{"version": 1}', "is a baseline of version 1, but this nanlint reads 2; remove the file"),
    ],
)
def test_what_is_no_baseline_is_neither_used_nor_overwritten(project: Path, content: str, complaint: str) -> None:
    (project / "a.py").write_text(TWO)
    (project / FILE).write_text(content)
    for option in ("--baseline", "--write-baseline"):
        result = _run("--fix" if option == "--baseline" else "-q", f"{option}={FILE}", "a.py")
        assert result.exit_code == 2
        assert f"{FILE}: {complaint}" in result.stderr
    assert (project / FILE).read_text() == content
    assert (project / "a.py").read_text() == TWO


def test_a_baseline_that_is_not_there_is_an_error(project: Path) -> None:
    (project / "a.py").write_text(TWO)
    result = _run("--baseline", "nowhere.json", "a.py")
    assert result.exit_code == 2
    assert "nowhere.json: no such baseline; create it with --write-baseline" in result.stderr


@pytest.mark.parametrize("content", [None, "<<<<<<< HEAD\n"])
def test_one_that_the_configuration_names_is_looked_at_before_anything_is_fixed(
    project: Path, content: str | None
) -> None:
    (project / "a.py").write_text(TWO)
    (project / "part").mkdir()
    (project / "part" / "b.py").write_text(TWO)
    (project / "part" / "nanlint.toml").write_text(f'baseline = "{FILE}"\n')
    if content is not None:
        (project / "part" / FILE).write_text(content)
    for options in (["--fix"], ["--fix", "--write-baseline"]) if content else (["--fix"],):
        result = _run(*options)
        assert result.exit_code == 2
        assert f"part/{FILE}: " in result.stderr
        assert (project / "a.py").read_text() == TWO
        assert (project / "part" / "b.py").read_text() == TWO


def test_it_cannot_be_written_from_standard_input_or_a_diff(project: Path) -> None:
    assert _run("--write-baseline", "-").exit_code == 2
    assert _run("--write-baseline", "--diff").exit_code == 2


def test_add_ignore_leaves_what_is_known_as_it_is(known: Path) -> None:
    (known / "a.py").write_text(TWO + "boom(2)\n")
    assert _run("--add-ignore").exit_code == 0
    text = (known / "a.py").read_text()
    assert "risky(1)\n" in text
    assert text.endswith("boom(1)\nrisky(1)\nboom(2)  # nanlint: ignore[NL103]\n")


def test_sarif_marks_what_is_known_and_what_is_new(known: Path) -> None:
    (known / "a.py").write_text("import torch\nboom(2)\nboom(1)\nrisky(1)\n")
    results = json.loads(_run("--output-format", "sarif").stdout)["runs"][0]["results"]
    assert [(one["ruleId"], one.get("baselineState"), len(one["suppressions"])) for one in results] == [
        ("NL103", "new", 0),
        ("NL103", "unchanged", 1),
        ("NL203", "unchanged", 1),
    ]
    assert results[2]["suppressions"][0]["kind"] == "external"
