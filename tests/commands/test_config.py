"""``nanlint config``: the keys that there are, and what holds for a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from nanlint import toml
from nanlint.cli import cli
from nanlint.config import ConfigError, Layer, config_of
from nanlint.keys import KEYS, schema
from nanlint.lint.known_rules import all_rules, rule_names

SCHEMA = schema({code: rule.name for code, rule in all_rules().items()})
GUIDE = Path(__file__).parents[2] / "docs" / "configuration.md"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, ["config", *arguments], env=environment)


def _table(example: str, name: str) -> dict[str, object]:
    table = toml.loads(example)
    return {name: table} if KEYS[name].kind.startswith("table") else table


@pytest.mark.parametrize("name", KEYS)
class TestEveryKey:
    def test_is_listed_with_its_summary(self, name: str) -> None:
        assert f"{name} " in _run().stdout
        assert KEYS[name].summary in _run().stdout

    def test_has_an_example_that_can_be_used(self, name: str) -> None:
        table = _table(KEYS[name].example, name)
        config_of([Layer(table, "/", "example", "/nanlint.toml")], rule_names())
        jsonschema.validate(table, SCHEMA)
        assert KEYS[name].example in _run(name).stdout

    def test_has_a_default_that_says_the_same_as_nothing(self, name: str) -> None:
        default = KEYS[name].default
        if default is None:
            return
        given = config_of([Layer({name: default}, "/", "default")], rule_names())
        assert given == config_of([Layer({}, "/", "default")], rule_names())
        jsonschema.validate({name: default}, SCHEMA)

    def test_refuses_in_the_schema_what_the_program_refuses(self, name: str) -> None:
        with pytest.raises(ConfigError):
            config_of([Layer({name: 3.5j}, "/", "wrong")], rule_names())
        wrong: object = -1 if name.endswith("-timeout") else 7
        with pytest.raises(ConfigError):
            config_of([Layer({name: wrong}, "/", "wrong")], rule_names())
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({name: wrong}, SCHEMA)

    def test_is_in_the_guide(self, name: str) -> None:
        assert f"`{name}`" in GUIDE.read_text(encoding="utf-8")


def test_the_schema_is_one_and_refuses_keys_that_are_none() -> None:
    printed = json.loads(_run("--schema").stdout)
    jsonschema.Draft7Validator.check_schema(printed)
    jsonschema.validate({"ignore": ["NL1", "where-gradient", "ALL", "OWN101"], "ops": {"f": "log"}}, printed)
    for wrong in (
        {"selekt": []},
        {"ignore": ["NL999"]},
        {"severity": {"where-gradeint": "info"}},
        {"ops": {"f": {"lke": ""}}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, printed)


def test_what_holds_for_a_file_is_said_with_where_it_comes_from(project: Path) -> None:
    (project / "a").mkdir()
    (project / "a" / "b.py").touch()
    (project / "nanlint.toml").write_text('ignore = ["NL1"]\n[per-file-ignores]\n"a/*" = ["NL203"]\n')
    text = _run("--show", "a/b.py").stdout
    assert text.splitlines()[0] == f"# a/b.py: configured by {project / 'nanlint.toml'}"
    assert re.search(r'^ignore += \["NL1"\]$', text, re.MULTILINE)
    assert re.search(r'^confidence += "likely"  # default$', text, re.MULTILINE)
    assert text.endswith("# of these, ignored by per-file-ignores: NL203\n")
    assert "per-file-ignores:" not in _run("--show", ".").stdout


def test_each_value_is_shown_with_the_layer_that_it_is_of(project: Path) -> None:
    (project / "base.toml").write_text('confidence = "certain"\nignore = ["NL1"]\n')
    (project / "nanlint.toml").write_text('extend = "base.toml"\nignore = ["NL2"]\n')
    lines = dict(re.split(r" += ", line, maxsplit=1) for line in _run("--show").stdout.splitlines() if " = " in line)
    assert lines["confidence"] == '"certain"  # base.toml'
    assert lines["ignore"] == '["NL2"]'
    given = _run("--show", "--config", "confidence='possible'").stdout
    assert re.search(r"^confidence += \"possible\"  # --config 'confidence='possible''$", given, re.MULTILINE)


def test_programs_read_it_as_json(project: Path) -> None:
    (project / "nanlint.toml").write_text('select = ["NL203"]\n')
    found = json.loads(_run("--show", "--output-format", "json").stdout)
    assert found["file"] == str(project / "nanlint.toml")
    assert found["settings"]["select"] == {"value": ["NL203"], "origin": "file"}
    assert found["settings"]["respect-gitignore"] == {"value": True, "origin": "default"}
    assert "NL203" in found["rules"]
    assert "NL101" not in found["rules"]
    assert [key["name"] for key in json.loads(_run("--output-format", "json").stdout)] == list(KEYS)


def test_a_variable_that_is_heard_after_it_is_named() -> None:
    assert "# NANLINT_CONFIDENCE is set" in _run("--show", NANLINT_CONFIDENCE="certain").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["selct"], 'unknown key "selct"; did you mean "select"?'),
        (["--show", "nowhere.py"], "nowhere.py: no such file or directory"),
        (["--show", "broken"], "broken/nanlint.toml: is not valid TOML"),
        (["--show", "--schema"], "--show and --schema cannot be combined"),
        (["--isolated"], "--config and --isolated need --show"),
    ],
)
def test_what_cannot_be_said_is_an_error(arguments: list[str], message: str, project: Path) -> None:
    (project / "broken").mkdir()
    (project / "broken" / "nanlint.toml").write_text("x = ")
    result = _run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
