"""docs/ci.md: every format is in its table, every command and every file in it is one that works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from nanlint.commands.check import check
from nanlint.commands.report import report
from nanlint.output.formats import FORMATS

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
COMMANDS = [
    line.partition(" | ")[0]
    for block in re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


def _rows(section: str) -> list[str]:
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE)
    return re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)


def _yaml(start: str) -> Any:
    (text,) = (one for one in re.findall(r"^```yaml\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE) if start in one)
    return yaml.safe_load(text)


def test_every_format_has_its_row() -> None:
    assert _rows("Formats") == list(FORMATS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_a_command_are_there(project: Path, command: str) -> None:
    for name in ("src", "reports"):
        (project / name).mkdir()
    program, name, *arguments = shlex.split(command)
    assert program == "nanlint"
    context = {"check": check, "report": report}[name].make_context(name, arguments)
    assert isinstance(context, click.Context)
    assert context.params["paths"] in ((), ("src",)), "no value swallows the path"


def test_the_inputs_of_the_action_are_those_it_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert _rows("GitHub") == list(action["inputs"])
    (step,) = (one for one in _yaml("uses: nanlint/")["jobs"]["nanlint"]["steps"] if "with" in one)
    assert set(step["with"]) <= set(action["inputs"])


def test_the_inputs_of_the_component_are_those_it_has() -> None:
    head, _ = yaml.safe_load_all((ROOT / "templates" / "nanlint.yml").read_text())
    (included,) = _yaml("component:")["include"]
    assert set(included["inputs"]) <= set(head["spec"]["inputs"])
    assert all(f"`{name}`" in GUIDE for name in head["spec"]["inputs"])


def test_the_hook_is_one_that_there_is() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (repository,) = _yaml("rev: v")["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}
