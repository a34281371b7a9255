"""The picture of a function holds its steps and its findings, and is laid out by real Graphviz."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from nanlint.config import Layer, config_of
from nanlint.explaining import Drawn, NoSuchFunction
from nanlint.explaining import drawn as drawn_of
from nanlint.lint.known_rules import rule_names
from nanlint.ops.value import Reach
from nanlint.output.graph import CAUSE, FLAGGED, HEALTH, render_graph
from nanlint.source import Source

ROOT = Path(__file__).parents[2]
NEEDS_DOT = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
PROGRAM = """\
import torch


def helper(p):
    return torch.log(p)


class Critic:
    def forward(self, logits, mask):
        p = torch.softmax(logits, -1)
        if mask is None:
            return helper(p)
        return torch.where(mask > 0, helper(p), 0.0) / 2


def totals(xs):
    total = torch.zeros(3)
    for x in xs:
        total = total + torch.sigmoid(x)
    return total
"""


def drawn(name: str) -> Drawn:
    return drawn_of(Source("critic.py", PROGRAM), config_of([Layer({}, "/", "test")], rule_names()), name)


def boxes(name: str) -> dict[str, str]:
    """The attributes of each box by the first line of its label, as DOT has them; of equal ones the last."""
    lines = render_graph(drawn(name)).source.replace("\n", " ").split("\t")
    found = (re.match(r'n\d+ \[label="\d+  (.*?)\\l(.*)', line) for line in lines)
    return {box[1]: box[2] for box in found if box is not None}


def test_a_method_is_drawn_with_what_it_calls_in_a_frame_of_its_own() -> None:
    source = render_graph(drawn("Critic.forward")).source
    assert source.count("in the call on line 12") == source.count("in the call on line 13") == 2
    shown = boxes("Critic.forward")
    assert f'color="{CAUSE}"' in shown["torch.softmax(logits, -1)"]
    assert f'color="{FLAGGED}"' in shown["torch.log(p)"]
    assert "NL101 log-of-softmax (certain)" in shown["torch.log(p)"]
    assert HEALTH[Reach.CERTAIN][0] in shown["torch.log(p)"]
    assert [name for name, box in shown.items() if "peripheries=2" in box][-1] == "forward(...)"


def test_arrows_lead_from_the_operands() -> None:
    (arrow,) = re.findall(r"(n\d+) -> (n\d+)", render_graph(drawn("helper")).source)
    p, log = (node for node in drawn("helper").inside)
    assert arrow == (f"n{p.index}", f"n{log.index}")


def test_a_loop_is_an_arrow_back() -> None:
    assert "constraint=false style=dotted tooltip=back" in render_graph(drawn("totals")).source


def test_a_function_that_is_not_there_is_answered_with_the_nearest() -> None:
    with pytest.raises(NoSuchFunction, match=r'critic.py: no function Critic.forwrd; did you mean "Critic.forward"\?'):
        drawn("Critic.forwrd")


def test_dot_has_the_sources_the_findings_and_the_tooltips() -> None:
    source = render_graph(drawn("Critic.forward")).source
    assert "NL101 log-of-softmax (certain)" in source
    assert "value: in [0, 1]" in source
    assert "made by: `torch.softmax(logits, -1)` (line 10) is exactly 0" in source


@NEEDS_DOT
@pytest.mark.parametrize("name", ["Critic.forward", "totals"])
def test_graphviz_lays_it_out_as_svg_with_tooltips(name: str) -> None:
    svg = ElementTree.fromstring(render_graph(drawn(name)).pipe(format="svg"))
    titles = {link.get("{http://www.w3.org/1999/xlink}title") for link in svg.iter("{http://www.w3.org/2000/svg}a")}
    assert any(title and "value: in [0, " in title for title in titles)


def run(*arguments: str, cwd: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **({"PATH": path} if path is not None else {})}
    command = [sys.executable, "-m", "nanlint", "graph", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_without_dot_the_picture_is_dot_and_svg_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "critic.py").write_text(PROGRAM, encoding="utf-8")
    as_dot = run("critic.py:helper", "-o", "out.dot", cwd=tmp_path, path="")
    assert (as_dot.returncode, as_dot.stderr) == (0, "")
    assert (tmp_path / "out.dot").read_text(encoding="utf-8").startswith("digraph")
    as_svg = run("critic.py:helper", "-o", "out.svg", cwd=tmp_path, path="")
    assert as_svg.returncode == 2
    assert "svg needs Graphviz" in as_svg.stderr
    assert not (tmp_path / "out.svg").exists()


def test_what_cannot_be_drawn_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "critic.py").write_text(PROGRAM, encoding="utf-8")
    assert "the module level has no numeric expressions" in run("critic.py", cwd=tmp_path).stderr
    assert "expected a name that ends in .dot" in run("critic.py:helper", "-o", "x.jpeg", cwd=tmp_path).stderr
    nowhere = run("critic.py:helper", "-o", "nowhere/x.dot", cwd=tmp_path)
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "error: nowhere/x.dot: could not be written: there is no directory nowhere\n" in nowhere.stderr


def test_the_picture_in_the_documentation_is_that_of_the_example() -> None:
    """Its tooltips, which no version of Graphviz lays out otherwise."""
    example = "examples/torch_classifier.py"
    source = Source(example, (ROOT / example).read_text(encoding="utf-8"))
    made = drawn_of(source, config_of([Layer({}, "/", "test")], rule_names()), "weighted_cross_entropy")
    shown = html.unescape((ROOT / "docs" / "weighted_cross_entropy.svg").read_text(encoding="utf-8"))
    assert made.inside
    for told in re.findall(r'tooltip="(line [^"\n]*)', render_graph(made).source):
        assert told in shown, "draw it anew"
