"""``action.yml`` and GitLab's template: valid by their schemas, and their scripts run as the services run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
LOSS = "import torch\n\n\ndef nll(logits):\n    return -torch.log(torch.softmax(logits, -1))\n"

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", "action.yml"),
        ("vendor.gitlab-ci", "templates/nanlint.yml"),
        ("vendor.github-workflows", ".github/workflows/ci.yml"),
        ("vendor.github-workflows", ".github/workflows/release.yml"),
    ],
)
def test_it_is_valid_by_its_schema(tmp_path: Path, schema: str, file: str) -> None:
    paths = []
    for number, document in enumerate((ROOT / file).read_text().split("\n---\n")):
        paths.append(tmp_path / f"{number}.yml")
        paths[-1].write_text(document)
    assert _validated(schema, *paths) == (0, "")
    paths[0].write_text("runs: 3\nspec: 3\njobs: 3\n")
    assert _validated(schema, *paths)[0] == 1, "the schema must be able to refuse something"


def _validated(schema: str, *paths: Path) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--quiet", "--builtin-schema", schema, *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


# The action


@dataclass(frozen=True)
class Ran:
    """What a run of the action's scripts left: exit code of the last, what they printed, outputs, the job's summary."""

    code: int
    text: str
    outputs: Mapping[str, str]
    summary: str = ""


RunAction = Callable[..., Ran]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """That of a runner, with the Python of the tests."""
    temporary = tmp_path_factory.mktemp("runner")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NANLINT", "GIT", "PYTHON"))},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_COMPILE": "1",
        "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
    }


@pytest.fixture(scope="module")
def installed(environment: dict[str, str]) -> dict[str, str]:
    """The environment once the action's first step has installed the program of this checkout."""
    ended = _step("Install nanlint", environment, {"inputs": {"version": ""}, "github": {"action_path": str(ROOT)}})
    if ended.returncode and "No matching distribution" in ended.stderr:
        pytest.skip("pip reaches no package index, so the program cannot be built")
    assert ended.returncode == 0, ended.stderr
    return environment


def _step(
    name: str, environment: Mapping[str, str], context: Mapping[str, Mapping[str, str]]
) -> subprocess.CompletedProcess[str]:
    (step,) = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
    own = {key: _expanded(value, context) for key, value in step.get("env", {}).items()}
    assert step["shell"] == "bash"
    assert "${{" not in step["run"], "an input in a script could say anything"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=_expanded(step.get("working-directory", "."), context),
        env={**environment, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def _expanded(value: str, context: Mapping[str, Mapping[str, str]]) -> str:
    def found(match: re.Match[str]) -> str:
        part, _, name = match[1].partition(".")
        return context[part][name]

    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", found, value)


@pytest.fixture
def run_action(project: Path, installed: dict[str, str]) -> RunAction:
    """Runs the steps of the action that are scripts, with these inputs, in the project."""

    def run(**given: str) -> Ran:
        inputs = {name: str(one["default"]) for name, one in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        output = Path(installed["GITHUB_OUTPUT"])
        output.write_text("")
        Path(installed["GITHUB_STEP_SUMMARY"]).write_text("")
        checked = _step("Check", installed, {"inputs": inputs})
        assert checked.returncode == 0, checked.stderr
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        ended = _step(
            "Fail if there are findings", installed, {"steps": {f"check.outputs.{k}": v for k, v in outputs.items()}}
        )
        summary = Path(installed["GITHUB_STEP_SUMMARY"]).read_text()
        return Ran(ended.returncode, checked.stdout + checked.stderr, outputs, summary)

    return run


@needs_bash
@pytest.mark.slow
class TestAction:
    def test_findings_annotate_the_lines_and_fail(self, project: Path, run_action: RunAction) -> None:
        (project / "loss.py").write_text(LOSS)
        ran = run_action()
        assert ran.code == 1
        assert ran.text.startswith("::error title=nanlint (NL101 log-of-softmax),file=")
        assert f"file={project}/loss.py,line=5," in ran.text

    def test_a_clean_project_passes(self, project: Path, run_action: RunAction) -> None:
        (project / "calm.py").write_text("import torch\n")
        ran = run_action()
        assert (ran.code, ran.text, ran.outputs) == (0, "", {"exit-code": "0"})
        assert ran.summary.startswith("## nanlint: no findings\n")

    def test_the_summary_of_the_job_has_the_findings_with_their_fixes(
        self, project: Path, run_action: RunAction
    ) -> None:
        (project / "loss.py").write_text(LOSS)
        summary = run_action().summary
        assert summary.startswith("## nanlint: 1 finding\n")
        assert "`loss.py:5:13`" in summary
        assert "\n+    return -torch.log_softmax(logits, -1)\n" in summary
        assert run_action(summary="false").summary == ""

    def test_only_what_is_new_fails_where_a_revision_is_named(self, project: Path, run_action: RunAction) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        (project / "loss.py").write_text(LOSS)
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
            subprocess.run(["git", *who, *words], cwd=project, check=True)
        (project / "loss.py").write_text(LOSS + "\n\ndef unused():\n    return 1\n")
        assert run_action(changed_since="HEAD").code == 0
        (project / "more.py").write_text(LOSS)
        ran = run_action(changed_since="HEAD")
        assert (ran.code, ran.text.count("::error")) == (1, 1)
        assert f"file={project}/more.py" in ran.text

    def test_paths_and_options_may_have_spaces_and_quotes(self, project: Path, run_action: RunAction) -> None:
        (project / "my dir").mkdir()
        (project / "my dir" / "loss.py").write_text(LOSS)
        (project / "other.py").write_text(LOSS)
        ran = run_action(src="'my dir'", args="--select NL1 --ignore NL105")
        assert ran.text.count("::error") == 1
        assert run_action(args="--ignore NL1").code == 0

    def test_what_an_input_says_is_never_run(self, project: Path, run_action: RunAction) -> None:
        (project / "calm.py").write_text("import torch\n")
        run_action(src='calm.py "$(touch hacked)" ; touch hacked')
        assert not (project / "hacked").exists()

    def test_sarif_is_written_where_it_was_asked_for(self, project: Path, run_action: RunAction) -> None:
        (project / "loss.py").write_text(LOSS)
        ran = run_action(sarif="found.sarif")
        assert ran.outputs["sarif"] == str(project / "found.sarif")
        assert json.loads((project / "found.sarif").read_text())["version"] == "2.1.0"
        uploaded = run_action(upload_sarif="true")
        assert json.loads(Path(uploaded.outputs["sarif"]).read_text())["version"] == "2.1.0"

    def test_what_is_not_sure_enough_does_not_fail(self, project: Path, run_action: RunAction) -> None:
        (project / "pool.py").write_text(
            "import torch\n\n\ndef pool(x, mask):\n    m = mask.float()\n    return (x * m).sum() / m.sum()\n"
        )
        assert run_action().code == 1
        assert run_action(fail_on="certain").code == 0

    def test_a_path_that_is_not_there_leaves_with_2(self, run_action: RunAction) -> None:
        ran = run_action(src="missing.py")
        assert ran.code == 2
        assert "::error title=nanlint::missing.py: no such file or directory" in ran.text

    def test_the_report_is_uploaded_only_where_that_is_wanted_and_possible(self) -> None:
        (step,) = [step for step in ACTION["runs"]["steps"] if "uses" in step]
        assert step["if"] == "inputs.upload-sarif == 'true' && steps.check.outputs.exit-code != '2'"


# GitLab


@needs_bash
@pytest.mark.slow
def test_gitlabs_job_leaves_the_reports_that_it_names(project: Path, installed: dict[str, str]) -> None:
    head, body = yaml.safe_load_all((ROOT / "templates" / "nanlint.yml").read_text())
    inputs = {name: str(one["default"]) for name, one in head["spec"]["inputs"].items()}
    job = body["nanlint"]
    script = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda match: inputs[match[1]], "\n".join(job["script"]))
    venv = Path(installed["RUNNER_TEMP"]) / "nanlint" / "bin"
    for text, code in ((LOSS, 1), ("import torch\n", 0)):
        (project / "loss.py").write_text(text)
        ended = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=project,
            env={**installed, "PATH": f"{venv}{os.pathsep}{installed['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == code, ended.stderr
        reports = job["artifacts"]["reports"]
        assert len(json.loads((project / reports["codequality"]).read_text())) == code
        assert (project / reports["junit"]).read_text().startswith("<?xml")
    assert {str(path.name) for path in project.iterdir()} == {"loss.py", *job["artifacts"]["paths"]}
