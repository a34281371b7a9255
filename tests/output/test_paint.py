"""Links in what a terminal shows, and which terminals are given them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli
from nanlint.output.address import link_to
from nanlint.output.paint import coloured, linking, plain, shows_links

PAGE = "https://nanlint.readthedocs.io/rules/log-of-softmax/"


@pytest.mark.parametrize(
    ("environment", "shows"),
    [
        ({}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM_PROGRAM": "vscode", "TERM": "xterm-256color"}, True),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"VTE_VERSION": "6003"}, True),
        ({"VTE_VERSION": "4205"}, False),
        ({"VTE_VERSION": "new"}, False),
        ({"WT_SESSION": "1"}, True),
        ({"WT_SESSION": "1", "CI": "true"}, False),
        ({"WT_SESSION": "1", "FORCE_HYPERLINK": "0"}, False),
        ({"CI": "true", "FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_terminals_that_show_links_get_them(environment: dict[str, str], shows: bool) -> None:
    assert shows_links(environment, terminal=True) == shows


def test_what_is_no_terminal_gets_links_only_by_force() -> None:
    assert not shows_links({"TERM": "xterm-kitty"}, terminal=False)
    assert shows_links({"FORCE_HYPERLINK": "1"}, terminal=False)


def test_a_link_is_around_what_is_painted() -> None:
    assert linking(plain)("NL101", "error", link="x:y") == "\x1b]8;;x:y\x1b\\NL101\x1b]8;;\x1b\\"
    assert linking(coloured)("NL101", "error") == coloured("NL101", "error")
    assert linking(coloured)("NL101", "error", link="x:y").split("\x1b\\")[1].startswith(coloured("NL101", "error"))


@pytest.mark.parametrize(
    "arguments", [[], ["--output-format", "concise"], ["--output-format", "grouped"], ["--statistics"]]
)
def test_the_code_of_a_finding_links_to_the_page_of_its_rule(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    linked = CliRunner().invoke(cli, ["check", *arguments], env={"FORCE_HYPERLINK": "1"}, color=True).stdout
    assert f"\x1b]8;;{PAGE}\x1b\\NL101\x1b]8;;\x1b\\" in linked
    assert "\x1b]8" not in CliRunner().invoke(cli, ["check", *arguments], env={"TERM": "xterm-kitty"}).stdout


def test_the_rule_of_a_plugin_has_no_page_to_lead_to() -> None:
    assert link_to("ACME1", "acme") == ""
    assert linking(plain)("ACME1", "error", link=link_to("ACME1", "acme")) == "ACME1"
