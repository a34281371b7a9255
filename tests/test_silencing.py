"""``--add-ignore``: what is found is silenced where it stands, and the next check finds nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nanlint.cli import cli

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))

AWKWARD = """\
import torch


def f(x, p):
    y = torch.log(torch.softmax(x, -1)); z = f'''{torch.log(torch.softmax(x, -1))} \n\
      {torch.log(torch.softmax(p, -1))}'''
    a = torch.log(   \n\
        # a comment
        torch.softmax(x, -1)
    ) \n\
    b = 1 + torch.log(torch.softmax(x, -1)) \\
        + torch.log(torch.sigmoid(x))   # nanlint: ignore[NL102] why
    c = 1 + torch.log(torch.softmax(x, -1)) \\
        + torch.log(torch.sigmoid(x))
    if x: return torch.log(torch.softmax(x, -1))\t
    return y  # type: ignore
"""


def _run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["check", "--isolated", *arguments], input=stdin, catch_exceptions=False)


def test_what_a_comment_was_meant_to_silence_is_not_fixed(tmp_path: Path) -> None:
    file = tmp_path / "loss.py"
    line = "    return torch.log(torch.softmax(x, -1))"
    file.write_text(f"import torch\n\n\ndef loss(x):\n{line}  # noqa NL101\n")
    done = _run("--fix", str(file))
    assert file.read_text() == f"import torch\n\n\ndef loss(x):\n{line}  # noqa: NL101\n"
    assert done.stdout == "Found 1 error (1 fixed, 0 remaining).\n"


# Every example, and some of them again in the other two ways to end a line.
NEWLINES = {b"\n": EXAMPLES, b"\r\n": EXAMPLES[::4], b"\r": EXAMPLES[2::4]}


@pytest.mark.parametrize("newline", NEWLINES)
def test_every_example_is_clean_afterwards_and_parses_and_a_second_time_changes_nothing(
    project: Path, newline: bytes
) -> None:
    for example in NEWLINES[newline]:
        (project / example.name).write_bytes(example.read_bytes().replace(b"\n", newline))
    (project / "awkward.py").write_bytes(AWKWARD.encode().replace(b"\n", newline))
    before = {path.name: path.read_bytes() for path in project.iterdir()}

    first = _run("-j1", "--add-ignore=known", ".")
    assert first.exit_code == 0, first.stdout
    assert first.stdout.startswith("No findings in ")
    after = {path.name: path.read_bytes() for path in project.iterdir()}
    for name, content in after.items():
        ast.parse(content)
        assert b"# nanlint: ignore[" in content, name
        assert content.count(newline) == content.count(b"\n" if newline != b"\r" else b"\r")
        assert ast.dump(ast.parse(content)) == ast.dump(ast.parse(before[name])), "comments change nothing"

    assert _run("-j1", ".").exit_code == 0
    assert _run("-j1", "--add-ignore=known", ".").exit_code == 0
    assert {path.name: path.read_bytes() for path in project.iterdir()} == after


BOOM = "import torch\nboom(1)\n"


@pytest.mark.usefixtures("toy_rules")
class TestCommand:
    def test_the_value_is_optional_and_never_the_path_that_follows(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("--add-ignore", "a.py").exit_code == 0
        assert (project / "a.py").read_text() == "import torch\nboom(1)  # nanlint: ignore[NL103]\n"

    def test_the_number_of_what_was_silenced_is_told(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        assert _run("--add-ignore=why", "a.py").stderr == "Silenced 1 finding by comments.\n"

    def test_with_fix_only_what_is_left_is_silenced(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM + "risky(1)\n")
        assert _run("--fix", "--add-ignore=known", "a.py").exit_code == 0
        assert (project / "a.py").read_text() == ("import torch\ncalm(1)\nrisky(1)  # nanlint: ignore[NL203] known\n")

    def test_only_what_is_shown_is_silenced(self, project: Path) -> None:
        (project / "a.py").write_text("import torch\nfizz(1)\n")
        assert _run("--add-ignore", "a.py").exit_code == 0
        assert (project / "a.py").read_text() == "import torch\nfizz(1)\n"

    def test_with_diff_the_comments_are_shown_and_not_written(self, project: Path) -> None:
        (project / "a.py").write_text(BOOM)
        result = _run("--diff", "--add-ignore", "a.py")
        assert result.exit_code == 1
        assert "+boom(1)  # nanlint: ignore[NL103]\n" in result.stdout
        assert result.stderr == "Would silence 1 finding by comments.\n"
        assert (project / "a.py").read_text() == BOOM

    def test_standard_input_comes_back_with_its_comments(self, project: Path) -> None:
        result = _run("--add-ignore=ok", "-", stdin=BOOM.encode())
        assert (result.exit_code, result.stdout) == (0, "import torch\nboom(1)  # nanlint: ignore[NL103] ok\n")

    def test_what_does_not_parse_is_left_alone_and_still_fails(self, project: Path) -> None:
        (project / "a.py").write_text("import torch\nboom(\n")
        assert _run("--add-ignore", "a.py").exit_code == 1
        assert (project / "a.py").read_text() == "import torch\nboom(\n"

    def test_a_reason_that_the_encoding_cannot_hold_leaves_the_file_as_it_was(self, project: Path) -> None:
        content = b"# -*- coding: latin-1 -*-\nimport torch\nboom(1)  # \xe9\n"
        (project / "a.py").write_bytes(content)
        result = _run("--add-ignore=\N{RIGHTWARDS ARROW}", "a.py")
        assert result.exit_code == 1
        assert "cannot be written in its encoding" in result.stderr
        assert (project / "a.py").read_bytes() == content

    def test_a_file_in_another_encoding_stays_in_it(self, project: Path) -> None:
        (project / "a.py").write_bytes(b"# -*- coding: latin-1 -*-\nimport torch\nboom(1)  # \xe9\n")
        assert _run("--add-ignore=d\xe9j\xe0 vu", "a.py").exit_code == 0
        assert (project / "a.py").read_bytes().endswith(b"boom(1)  # \xe9  # nanlint: ignore[NL103] d\xe9j\xe0 vu\n")

    def test_a_reason_of_several_lines_is_refused(self, project: Path) -> None:
        result = CliRunner().invoke(cli, ["check", "--add-ignore=a\nb", "."])
        assert (result.exit_code, "must be on one line" in result.stderr) == (2, True)
