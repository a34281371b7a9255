"""Rules and ops of others count as nanlint's own do, selected, silenced, in workers; and what is wrong is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanlint import plugins
from nanlint.config import ConfigError, Configs
from nanlint.lint.known_rules import rule_names, rules_in
from nanlint.ops.op import OPS
from nanlint.plugins import PluginError, load_files
from nanlint.rules import RULES
from tests.runtime.running import nanlint, python

RULE = '''\
from nanlint.authoring import INF, Finding, Pole, confidence, define, rule, value


def exponential_integral(operands, attributes):
    x = operands["x"]
    return value(0.0, INF, pinf=x.zero, nan=x.neg)


define("{op}", "x", exponential_integral, Pole("x", "zero", "inf"), Pole("x", "neg", "nan"), pointwise=True)

SPELLINGS = {{"{package}.exp1(z)": "{op}(x=z)"}}


@rule("{code}", "{name}", hazards="{op}")
def at_zero(hazard, facts):
    """Exponential integral at 0.

    ## What it does
    Finds it.
    """
    if hazard.pole.cls != "zero":
        return
    level = confidence(hazard.reach)
    if level is not None:
        cause = (hazard.operand, hazard.evidence.text)
        yield Finding(hazard.node, "exponential integral at 0: inf", "E1(0) = inf", level, (cause,))
'''
OURS = {"op": "our_exp1", "package": "ourlib", "code": "OUR101", "name": "our-exp1-at-zero"}
PROGRAM = """\
import torch
import ourlib


def f(x):
    return ourlib.exp1(torch.relu(x))


def g(x):
    return ourlib.exp1(torch.relu(x))  # nanlint: ignore[OUR101]
"""


@pytest.fixture(autouse=True)
def without_rule_files() -> Iterator[None]:
    """What a test loads is gone when it ends."""
    yield
    for path in list(plugins._files):
        plugins._forget(path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a rule of its own that may run, and a program that the rule is about."""
    monkeypatch.setenv("NANLINT_TRUST", "1")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "ours.py").write_text(RULE.format(**OURS), encoding="utf-8")
    config = '[tool.nanlint]\nrules = ["rules/*.py"]\nseverity = { OUR = "warning" }\n'
    (tmp_path / "pyproject.toml").write_text(config, encoding="utf-8")
    (tmp_path / "loss.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A directory of installed packages with one that brings a rule, and one that brings ops."""
    site = tmp_path / "site"
    for package, code, group, extra in (
        ("theirs", RULE.format(op="their_exp1", package="theirlib", code="TH1", name="their-exp1"), "rules", ""),
        ("spelled", 'SPELLINGS = {"mathlib.ln(x)": "log(x=x)"}\n', "ops", ":SPELLINGS"),
    ):
        site.mkdir(exist_ok=True)
        (site / f"{package}.py").write_text(code, encoding="utf-8")
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
        points = f"[nanlint.{group}]\n{package} = {package}{extra}\n"
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
    return site


def test_a_rule_file_that_is_corrected_is_read_again(project: Path) -> None:
    file = project / "rules" / "ours.py"
    right = file.read_text(encoding="utf-8")
    file.write_text("import nothing_of_this_name\n", encoding="utf-8")
    assert [nanlint("loss.py", cwd=project).code for _ in range(2)] == [2, 2]
    file.write_text(right, encoding="utf-8")
    assert "OUR101" in nanlint("loss.py", cwd=project).stdout


def test_a_rule_file_is_selected_silenced_weighted_and_explained_as_our_own_rules(project: Path) -> None:
    shown = nanlint("loss.py", "--output-format", "json", cwd=project)
    (finding,) = json.loads(shown.stdout)
    assert (finding["code"], finding["severity"], finding["confidence"]) == ("OUR101", "warning", "certain")
    assert finding["url"] is None
    assert finding["location"]["row"] == 6
    assert nanlint("loss.py", "--select", "OUR101", cwd=project).code == 0, "a warning"
    assert nanlint("loss.py", "--select", "OUR101", "--fail-on", "warning", cwd=project).code == 1
    assert nanlint("loss.py", "--ignore", "our-exp1-at-zero", cwd=project).stdout.count("OUR101") <= 1
    page = nanlint("rule", "OUR101", cwd=project)
    assert page.stdout.startswith("# our-exp1-at-zero (OUR101)")
    assert "From rules/ours.py." in page.stdout
    assert "OUR101" in nanlint("rule", "--all", cwd=project).stdout
    assert "(certain)" in nanlint("explain", "loss.py:6", cwd=project).stdout
    assert not list(project.rglob("__pycache__"))


def test_workers_know_the_rules_of_files(project: Path) -> None:
    for number in range(12):
        (project / f"loss{number}.py").write_text(PROGRAM, encoding="utf-8")
    shown = nanlint(".", "-j", "2", "--output-format", "concise", cwd=project)
    assert shown.stdout.count("OUR101") == 13


def test_a_rule_file_counts_only_where_a_configuration_names_it(project: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    (inner / "nanlint.toml").write_text("", encoding="utf-8")
    (inner / "loss.py").write_text(PROGRAM.replace("  # nanlint: ignore[OUR101]", ""), encoding="utf-8")
    shown = nanlint(".", "--output-format", "concise", cwd=project).stdout
    assert [line.partition(":")[0] for line in shown.splitlines() if "OUR101" in line] == ["loss.py"]
    assert nanlint("loss.py", "--isolated", cwd=project).stdout.count("OUR101 ") == 0


def test_installed_packages_bring_rules_and_ops(tmp_path: Path, environment: Path) -> None:
    program = "import torch\nimport mathlib\n\n\ndef f(x):\n    return mathlib.ln(torch.softmax(x, -1))\n"
    (tmp_path / "ops.py").write_text(program, encoding="utf-8")
    without_torch = "import theirlib\n\n\ndef f(x):\n    return theirlib.exp1(max(x, 0.0) * (x > 0))\n"
    (tmp_path / "prescanned.py").write_text(without_torch, encoding="utf-8")
    (tmp_path / "rules.py").write_text(PROGRAM.replace("ourlib", "theirlib"), encoding="utf-8")
    shown = python("-m", "nanlint", ".", "--output-format", "concise", cwd=tmp_path, installed=environment).stdout
    assert "ops.py:6:12: NL101" in shown
    assert "rules.py:6:12: TH1" in shown
    page = python("-m", "nanlint", "rule", "their-exp1", cwd=tmp_path, installed=environment).stdout
    assert "From theirs (entry point nanlint.rules: theirs = theirs)." in page


GOOD = RULE.format(**OURS)
BROKEN = {
    "no Python": ("def (:\n", "rules/ours.py: cannot be loaded: line 1: invalid syntax"),
    "raises": ("1 / 0\n", "rules/ours.py: cannot be loaded: ZeroDivisionError: division by zero (line 1 of ours.py)"),
    "leaves": ("raise SystemExit(3)\n", "rules/ours.py: cannot be loaded: SystemExit: 3"),
    "no rule": ("x = 1\n", "rules/ours.py: defines no rule"),
    "our prefix": (GOOD.replace("OUR101", "NL999"), "the code NL999: NL is for nanlint's own rules"),
    "our code": (GOOD.replace("OUR101", "NL101"), "the code NL101 is taken: it is one of nanlint itself"),
    "no code": (GOOD.replace("OUR101", "our-101"), "the code 'our-101' must be capital letters and digits"),
    "our name": (GOOD.replace("our-exp1-at-zero", "where-gradient"), "the name where-gradient is taken, by NL203"),
    "no name": (GOOD.replace("our-exp1-at-zero", "At Zero"), "the name 'At Zero' must be words in lower case"),
    "no op": (GOOD.replace('hazards="our_exp1"', 'hazards="sqr"'), "no op named 'sqr' in the catalogue; did you mean"),
    "our op": (GOOD.replace("our_exp1", "exp"), "the op 'exp' is already in the catalogue"),
    "no spelling": (GOOD.replace("(x=z)", "(x=y)"), "SPELLINGS: 'ourlib.exp1(z)': 'y' is neither an argument nor"),
    "our spelling": (GOOD.replace("ourlib.exp1(z)", "torch.log(z)"), "torch.log is already in the catalogue"),
}


@pytest.mark.parametrize("flaw", BROKEN)
def test_a_rule_file_that_cannot_be_used_is_an_error_that_names_it(
    project: Path, flaw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    text, message = BROKEN[flaw]
    (project / "rules" / "ours.py").write_text(text, encoding="utf-8")
    before = dict(RULES), dict(OPS)
    with pytest.raises(ConfigError) as caught:
        Configs(rule_names(), file="pyproject.toml", rules_in=rules_in)
    assert str(caught.value).startswith("pyproject.toml [tool.nanlint]: rules: rules/ours.py: ")
    assert message in str(caught.value)
    assert (dict(RULES), dict(OPS)) == before


def test_with_a_broken_rule_file_nothing_is_checked(project: Path) -> None:
    (project / "rules" / "ours.py").write_text("1 / 0\n", encoding="utf-8")
    shown = nanlint("loss.py", cwd=project)
    assert (shown.code, shown.stdout) == (2, "")
    assert shown.stderr.startswith("error: pyproject.toml [tool.nanlint]: rules: rules/ours.py: cannot be loaded")
    assert "Traceback" not in shown.stderr


def test_a_pattern_that_names_nothing_is_an_error(project: Path) -> None:
    (project / "rules" / "ours.py").unlink()
    shown = nanlint("loss.py", cwd=project)
    assert (shown.code, shown.stderr) == (
        2,
        'error: pyproject.toml [tool.nanlint]: rules: "rules/*.py" matches no file\n',
    )
    assert nanlint("rule", "NL101", cwd=project).code == 0


def test_a_package_that_cannot_be_used_is_an_error_that_names_it(tmp_path: Path, environment: Path) -> None:
    (environment / "theirs.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    shown = python("-m", "nanlint", ".", cwd=tmp_path, installed=environment)
    assert shown.code == 2
    assert "error: theirs (entry point nanlint.rules: theirs = theirs): cannot be loaded" in shown.stderr


def test_a_rule_that_fails_on_a_file_is_named_and_the_others_go_on(project: Path) -> None:
    failing = GOOD.replace('if hazard.pole.cls != "zero":', "if hazard.no_such_thing:")
    (project / "rules" / "ours.py").write_text(failing, encoding="utf-8")
    (project / "other.py").write_text("import torch\n\ny = torch.log(torch.softmax(x, -1))\n", encoding="utf-8")
    shown = nanlint(".", "--output-format", "concise", cwd=project).stdout
    assert "OUR101 of rules/ours.py failed: AttributeError" in shown
    assert "of ours.py)" in shown
    assert "other.py:3:5: NL101" in shown


def test_a_rule_file_that_changes_is_loaded_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    file = project / "rules" / "ours.py"
    before = dict(RULES), dict(OPS)
    assert load_files([str(file)]) == {"OUR101": "our-exp1-at-zero"}
    file.write_text(GOOD.replace("OUR101", "OUR2020"), encoding="utf-8")
    assert load_files([str(file)]) == {"OUR2020": "our-exp1-at-zero"}
    assert "OUR101" not in RULES
    file.write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(PluginError, match="cannot be loaded"):
        load_files([str(file)])
    assert (dict(RULES), dict(OPS)) == before
