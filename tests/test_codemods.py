"""The fixes as LibCST runs them: as its page shows, and as ``check --fix`` makes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

import nanlint
from nanlint.codemods import Fix

PAGE = (Path(__file__).parents[1] / "docs" / "codemods.md").read_text(encoding="utf-8")
COMMAND = re.search(r"```python\n(# loss.*?)```\n\nAfter `(python .*?)`:\n\n```python\n(.*?)```", PAGE, re.S)


def test_the_command_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    assert COMMAND is not None
    before, command, after = COMMAND.groups()
    (tmp_path / "loss.py").write_text(before, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *command.split()[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "loss.py").read_text(encoding="utf-8") == after


def test_the_program_of_the_page_runs() -> None:
    program = re.search(r"```python\n(import libcst.*?)```", PAGE, re.S)
    assert program is not None
    exec(program[1], {})


@pytest.mark.parametrize("options", [{}, {"unsafe_fixes": True, "fix_style": "exact"}, {"select": ["NL101"]}])
def test_they_are_those_of_the_command_line(options: dict[str, object]) -> None:
    text = (
        "import torch\n\n\ndef f(x):\n    y = torch.relu(x)\n"
        "    return torch.log(torch.softmax(x, -1)) + torch.sqrt(y) + x / y.sum()\n"
    )
    mended = Fix(CodemodContext(), **options).transform_module(cst.parse_module(text)).code  # type: ignore[arg-type]
    assert mended == nanlint.fix_source(text, **options).source.text  # type: ignore[arg-type]
    assert mended != text


def test_what_is_not_applied_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nanlint.lint.fixing.MAX_ROUNDS", 0)
    context = CodemodContext()
    text = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
    assert Fix(context).transform_module(cst.parse_module(text)).code == text
    assert [one for one in context.warnings if "did not converge" in one]
