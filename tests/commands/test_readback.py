"""Fixes are read back wherever they are made, shown or handed on: all say the same of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nanlint.cli import cli
from nanlint.output.formats import FORMATS

PROGRAM = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"
#: what the callers of the second give is not seen: it may be whole numbers
BOTH = (
    "import torch\n\n\ndef _seen(x):\n    return torch.log(torch.sigmoid(x))\n\n\n_seen(torch.randn(3))\n\n\n"
    "def unseen(x):\n    return torch.log(torch.sigmoid(x))\n"
)


def printed(file: Path, *options: str) -> str:
    return CliRunner().invoke(cli, ["check", "--isolated", *options, str(file)]).stdout


def test_a_fix_that_is_refused_is_not_made_nor_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(self: object, offers: list[object], *_: object) -> dict[int, str]:
        asked.append(len(offers))
        return dict.fromkeys(range(len(offers)), "not like this")

    monkeypatch.setattr("nanlint.fixes.readback.Readback.refused", refuse)
    file = tmp_path / "loss.py"
    file.write_text(PROGRAM, encoding="utf-8")
    assert "[*]" not in printed(file, "--output-format", "concise")
    for name in FORMATS:
        assert "fix (" not in printed(file, "--output-format", name), name
    (finding,) = json.loads(printed(file, "--output-format", "json"))
    assert finding["fix"]["applicability"] == "display"
    assert "log_softmax" not in printed(file, "--diff")
    printed(file, "--fix")
    assert file.read_text(encoding="utf-8") == PROGRAM
    assert len(asked) >= len(FORMATS)


def test_all_outputs_say_the_same_of_a_fix_and_safe_ones_alone_are_made(tmp_path: Path) -> None:
    file = tmp_path / "loss.py"
    file.write_text(BOTH, encoding="utf-8")
    found = json.loads(printed(file, "--output-format", "json"))
    said = {one["location"]["row"]: one["fix"]["applicability"] for one in found}
    assert said == {5: "safe", 12: "unsafe"}
    assert [line.partition(":")[0].strip(" =") for line in printed(file).splitlines() if "fix (" in line] == [
        "fix (safe)",
        "fix (unsafe)",
    ]
    (run,) = json.loads(printed(file, "--output-format", "sarif"))["runs"]
    texts = [one["fixes"][0]["description"]["text"] for one in run["results"]]
    assert [text.rpartition("(")[2] for text in texts] == ["safe)", "unsafe)"]
    assert printed(file, "--output-format", "concise").count("NL102 [*]") == 1
    changed = [line for line in printed(file, "--diff").splitlines() if line.startswith("+ ")]
    assert len(changed) == 1
    printed(file, "--fix")
    assert file.read_text(encoding="utf-8").count("logsigmoid") == 1


def test_a_finding_that_another_rule_has_now_keeps_no_fix_away(tmp_path: Path) -> None:
    file = tmp_path / "loss.py"
    file.write_text(
        "import torch\n\n\ndef loss(s: torch.Tensor):\n"
        "    p = 1 / (1 + torch.exp(-s))\n    return torch.log(1 - p).mean()\n"
    )
    found = {one["code"]: one["fix"] for one in json.loads(printed(file, "--output-format", "json"))}
    assert found["NL402"]["applicability"] == "safe"
    assert "NL103" in found  # at the logarithm, which is NL102's once the sigmoid is one
    assert "NL102" not in found
    printed(file, "--fix")
    assert "torch.exp" not in file.read_text(encoding="utf-8")
