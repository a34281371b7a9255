"""Configuration: what is selected, what is refused and in which words, and which file holds where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nanlint import __version__
from nanlint.config import Config, ConfigError, Configs, Layer, Options, config_of, inline
from nanlint.diagnostic import Confidence, Severity

RULES = {
    "NL000": "syntax-error",
    "NL001": "unused-suppression",
    "NL003": "internal-error",
    "NL101": "log-of-softmax",
    "NL102": "log-of-sigmoid",
    "NL103": "unclipped-log",
    "NL201": "sqrt-at-zero",
    "NL203": "where-gradient",
}
NUMERIC = {code for code in RULES if code > "NL1"}


def _config(table: dict[str, Any], **given: Any) -> Config:
    return config_of([Layer(table, "/project", "nanlint.toml"), Options.of(**given).over], RULES)


def _selected(table: dict[str, Any], **overrides: Any) -> set[str]:
    return set(_config(table, **overrides).among(NUMERIC))


def test_by_default_every_rule_is_selected_and_shown_from_likely_on() -> None:
    config = _config({})
    assert config.selected is None
    assert config.among(RULES) == set(RULES)
    assert config.confidence is Confidence.LIKELY


@pytest.mark.parametrize(
    ("table", "selected"),
    [
        ({"select": ["NL1"]}, {"NL101", "NL102", "NL103"}),
        ({"select": ["where-gradient", "NL101"]}, {"NL203", "NL101"}),
        ({"select": ["nl2"]}, {"NL201", "NL203"}),
        ({"select": []}, set()),
        ({"select": ["ALL"], "ignore": ["NL1"]}, {"NL201", "NL203"}),
        ({"select": ["NL1"], "ignore": ["NL103"]}, {"NL101", "NL102"}),
        ({"select": ["NL103"], "ignore": ["NL1"]}, {"NL103"}),
        ({"select": ["unclipped-log"], "ignore": ["NL10"]}, {"NL103"}),
        ({"select": ["NL103"], "ignore": ["unclipped-log"]}, set()),
        ({"select": ["NL2"], "extend-select": ["NL103"]}, {"NL201", "NL203", "NL103"}),
        ({"ignore": ["NL"]}, set()),
    ],
)
def test_the_more_specific_selector_wins(table: dict[str, Any], selected: set[str]) -> None:
    assert _selected(table) == selected


@pytest.mark.parametrize(
    ("overrides", "selected"),
    [
        ({"select": ("NL2",)}, {"NL201", "NL203"}),
        ({"extend_select": ("NL203",)}, {"NL101", "NL203"}),
        ({"ignore": ("NL1",)}, set()),
        ({"select": ("NL1",), "ignore": ("NL102",)}, {"NL101", "NL103"}),
    ],
)
def test_the_command_line_is_heard_after_the_file(overrides: dict[str, Any], selected: set[str]) -> None:
    assert _selected({"select": ["NL101"]}, **overrides) == selected


def test_that_a_file_was_not_checked_is_shown_whatever_is_selected() -> None:
    assert _config({"select": ["NL103"]}).selects("NL000")
    assert _config({"ignore": ["NL"]}).selects("NL003")
    assert not _config({"ignore": ["syntax-error"]}).selects("NL000")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"selct": ["NL1"]}, 'nanlint.toml: unknown key "selct"; did you mean "select"?'),
        ({"per_file_ignores": {}}, 'unknown key "per_file_ignores"; did you mean "per-file-ignores"?'),
        ({"select": ["NL104"]}, 'nanlint.toml: select: unknown rule "NL104"; did you mean "NL10'),
        ({"ignore": ["where-gradeint"]}, 'ignore: unknown rule "where-gradeint"; did you mean "where-gradient"?'),
        ({"select": ["F401"]}, 'unknown rule "F401"'),
        ({"select": "NL1"}, "nanlint.toml: select: expected a list of strings, got the string 'NL1'"),
        ({"select": [1]}, "select: expected a list of strings, got the list [1]"),
        ({"confidence": "likly"}, 'confidence: expected one of "possible", "likely", "certain"'),
        ({"confidence": "likly"}, 'did you mean "likely"?'),
        ({"confidence": 3}, "got the number 3"),
        ({"severity": {"NL1": "loud"}}, 'severity: NL1: expected one of "error", "warning", "info"'),
        ({"severity": {"NL9": "error"}}, 'severity: unknown rule "NL9"'),
        ({"per-file-ignores": {"tests/*": ["NL9"]}}, 'per-file-ignores: tests/*: unknown rule "NL9"'),
        ({"per-file-ignores": ["NL1"]}, "per-file-ignores: expected a table, got the list ['NL1']"),
        ({"respect-gitignore": "yes"}, "respect-gitignore: expected true or false, got the string 'yes'"),
        ({"ops": {"mylib.f": 3}}, "ops: mylib.f: expected the name of an op or a table, got the number 3"),
        ({"tool": {"nanlint": {}}}, "[tool.nanlint] is for pyproject.toml"),
        ({"lint": {}}, 'nanlint.toml: unknown table "lint"; nanlint\'s keys belong at the top level'),
        ({"select": ["NL1001"]}, 'unknown rule "NL1001"; did you mean "NL101"?'),
        ({"select": ["NL1o1"]}, 'unknown rule "NL1o1"; did you mean "NL101"?'),
        ({"select": ["NL011"]}, 'unknown rule "NL011"; did you mean "NL101"?'),
    ],
)
def test_what_cannot_be_meant_is_refused_with_file_key_and_the_nearest_right_word(
    table: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        _config(table)
    assert says in str(refused.value)


@pytest.mark.parametrize("code", ["NL999", "NL801", "NL111", "E501"])
def test_a_rule_with_a_number_close_by_is_no_suggestion(code: str) -> None:
    with pytest.raises(ConfigError) as refused:
        _config({"select": [code]})
    assert str(refused.value) == f'nanlint.toml: select: unknown rule "{code}"'


def test_the_tables_of_ruff_are_known_in_a_pyproject_too(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.nanlint.lint]\nselect = ["NL1"]\n')
    with pytest.raises(ConfigError, match=r'unknown table "lint"; nanlint\'s keys belong in \[tool.nanlint\]$'):
        Configs(RULES).for_directory(str(tmp_path))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "is a binary file, not a configuration in TOML"),
        (b'x = "\xe9"\n', "is not UTF-8: "),
        ('x = "é"\n'.encode("utf-16"), "is not UTF-8: "),
    ],
)
def test_a_configuration_that_is_no_text_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "nanlint.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=says):
        Configs(RULES).for_directory(str(tmp_path))


def test_an_unknown_rule_on_the_command_line_is_refused_with_its_option() -> None:
    with pytest.raises(ConfigError, match='--ignore: unknown rule "unclipped-lag"; did you mean "unclipped-log"'):
        _config({}, ignore=("unclipped-lag",))


def test_the_more_specific_severity_wins() -> None:
    config = _config({"severity": {"NL101": "info", "NL1": "warning", "where-gradient": "warning"}})
    assert config.severity == {
        "NL101": Severity.INFO,
        "NL102": Severity.WARNING,
        "NL103": Severity.WARNING,
        "NL203": Severity.WARNING,
    }


@pytest.mark.parametrize(
    ("pattern", "path", "applies"),
    [
        ("tests", "/project/tests/a/test_x.py", True),
        ("tests/**", "/project/tests/a/test_x.py", True),
        ("tests/*.py", "/project/tests/a.py", True),
        ("tests/*.py", "/project/tests/sub/a.py", False),
        ("*.pyi", "/project/src/a.pyi", True),
        ("__init__.py", "/project/src/__init__.py", True),
        ("/setup.py", "/project/src/setup.py", False),
        ("!src/**", "/project/src/a.py", False),
        ("!src/**", "/project/docs/a.py", True),
    ],
)
def test_per_file_ignores_apply_where_their_pattern_does(pattern: str, path: str, applies: bool) -> None:
    config = _config({"per-file-ignores": {pattern: ["NL1"]}})
    assert config.for_file(path).selects("NL103") is not applies
    assert config.for_file(path).selects("NL203")


def test_ops_are_handed_through_as_they_are() -> None:
    ops = {"mylib.safe_log": {"like": "log", "range": "finite"}, "mylib.log": "log"}
    assert _config({"ops": ops}).ops == ops


def test_what_is_wrong_with_the_users_ops_is_said_with_the_file() -> None:
    def unknown(ops: Mapping[str, object]) -> str:
        return f"no op for {next(iter(ops))}"

    with pytest.raises(ConfigError, match=r"^nanlint.toml: ops: no op for mylib.f$"):
        config_of([Layer({"ops": {"mylib.f": "lgo"}}, "/", "nanlint.toml")], RULES, ops_problem=unknown)


def test_tables_are_merged_and_lists_that_extend_add_up() -> None:
    base = Layer(
        {"severity": {"NL1": "info"}, "extend-exclude": ["a"], "per-file-ignores": {"x.py": ["NL101"]}}, "/", "base"
    )
    own = Layer(
        {"severity": {"NL101": "warning"}, "extend-exclude": ["b"], "extend-per-file-ignores": {"y.py": ["NL102"]}},
        "/sub",
        "own",
    )
    config = config_of([base, own], RULES)
    assert (config.severity["NL101"], config.severity["NL103"]) == (Severity.WARNING, Severity.INFO)
    assert config.excludes_file("/a/z.py")
    assert config.excludes_file("/sub/b/z.py")
    assert not config.for_file("/x.py").selects("NL101")
    assert not config.for_file("/sub/y.py").selects("NL102")


@pytest.mark.parametrize(
    ("base", "own", "code", "fixed"),
    [
        ({"unfixable": ["NL101"]}, {"fixable": ["NL101"]}, "NL101", True),
        ({"unfixable": ["NL101"]}, {"unfixable": ["NL102"]}, "NL101", True),
        ({"fixable": ["NL102"]}, {"unfixable": ["NL102"]}, "NL102", False),
    ],
)
def test_of_two_files_the_nearer_one_says_what_is_fixed(
    base: dict[str, Any], own: dict[str, Any], code: str, fixed: bool
) -> None:
    config = config_of([Layer(base, "/", "base"), Layer(own, "/sub", "own")], RULES)
    assert (code not in config.unfixable) == fixed


def test_of_two_files_the_nearer_one_says_what_is_shown() -> None:
    base = Layer({"ignore": ["syntax-error", "NL101"]}, "/", "base")
    for own in ({"extend-select": ["syntax-error", "NL101"]}, {"select": ["syntax-error", "NL1"]}):
        config = config_of([base, Layer(own, "/sub", "own")], RULES)
        assert config.selects("NL000")
        assert config.selects("NL101")
    assert not config_of([base, Layer({"extend-select": ["NL103"]}, "/sub", "own")], RULES).selects("NL000")


def test_what_is_ignored_is_known_apart_from_what_is_not_selected() -> None:
    assert _config({"select": ["NL1"], "ignore": ["NL101"]}).ignored == {"NL101"}
    assert _config({"ignore": ["NL1"]}, extend_select=("NL101",)).ignored == {"NL102", "NL103"}
    assert _config({"ignore": ["NL1"]}, select=("NL2",)).ignored == set()
    of_file = _config({"per-file-ignores": {"a.py": ["NL201"]}}).for_file("/project/a.py")
    assert of_file.ignored == {"NL201"}


@pytest.mark.parametrize(
    ("table", "unfixable"),
    [
        ({}, set()),
        ({"fixable": ["NL1"]}, {"NL201", "NL203"}),
        ({"unfixable": ["NL1"]}, {"NL101", "NL102", "NL103"}),
        ({"fixable": ["NL1"], "unfixable": ["NL101"]}, {"NL101", "NL201", "NL203"}),
        ({"fixable": []}, NUMERIC),
    ],
)
def test_fixes_are_for_display_where_they_are_not_to_be_made(table: dict[str, Any], unfixable: set[str]) -> None:
    assert _config(table).unfixable & NUMERIC == unfixable


@pytest.mark.parametrize("required", [">=0.0", __version__, f"=={__version__}", "<1000,>=0"])
def test_a_version_that_is_required_and_runs_is_no_problem(required: str) -> None:
    assert _config({"required-version": required}) == _config({})


@pytest.mark.parametrize(
    ("required", "says"),
    [
        (
            ">=1000",
            f"nanlint.toml: required-version: this project requires nanlint >=1000, but this is nanlint {__version__}",
        ),
        ("0.0.1", f"requires nanlint 0.0.1, but this is nanlint {__version__}"),
        ("newest", "expected a version specifier such as \">=0.1\", got the string 'newest'"),
    ],
)
def test_another_version_than_the_one_required_is_refused(required: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        _config({"required-version": required})
    assert says in str(refused.value)


class TestInline:
    def test_a_key_goes_before_every_file(self) -> None:
        layers = [Layer({"confidence": "certain"}, "/", "nanlint.toml"), inline("confidence='possible'")]
        assert config_of(layers, RULES).confidence is Confidence.POSSIBLE

    def test_a_part_of_a_table_is_added(self) -> None:
        layers = [Layer({"severity": {"NL101": "info"}}, "/", "nanlint.toml"), inline("severity.NL102 = 'warning'")]
        assert config_of(layers, RULES).severity == {"NL101": Severity.INFO, "NL102": Severity.WARNING}

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("confidence=possible", "--config 'confidence=possible': is neither an existing file nor valid TOML: "),
            ("confidance='possible'", "--config 'confidance='possible'': unknown key \"confidance\"; did you mean"),
            ("extend='a.toml'", "extend: only a configuration file can extend another one"),
        ],
    )
    def test_what_cannot_be_meant_is_refused_with_its_text(self, text: str, says: str) -> None:
        with pytest.raises(ConfigError) as refused:
            config_of([inline(text)], RULES)
        assert says in str(refused.value)


class TestExtend:
    def test_a_file_goes_before_the_one_that_it_extends(self, project: Path) -> None:
        (project / "base.toml").write_text('confidence = "certain"\nignore = ["NL1"]\nexclude = ["old"]\n')
        (project / "sub").mkdir()
        (project / "sub" / "nanlint.toml").write_text(
            'extend = "../base.toml"\nconfidence = "possible"\nignore = ["NL2"]\n'
        )
        config = Configs(RULES).for_directory(str(project / "sub"))
        assert config.confidence is Confidence.POSSIBLE
        assert config.ignored == NUMERIC
        assert config.file == str(project / "sub" / "nanlint.toml")
        assert config.excludes_file(str(project / "old" / "a.py"))
        assert not config.excludes_file(str(project / "sub" / "build" / "a.py")), "relative to the file they are in"

    def test_what_a_file_extends_may_extend_another_and_be_a_pyproject(self, project: Path) -> None:
        (project / "pyproject.toml").write_text('[tool.nanlint]\nextend = "a.toml"\n')
        (project / "a.toml").write_text('extend = "pyproject/pyproject.toml"\n')
        (project / "pyproject").mkdir()
        (project / "pyproject" / "pyproject.toml").write_text('[tool.nanlint]\nconfidence = "certain"\n')
        assert Configs(RULES).for_directory(str(project)).confidence is Confidence.CERTAIN

    @pytest.mark.parametrize(
        ("files", "says"),
        [
            ({"nanlint.toml": "gone.toml"}, "nanlint.toml: extend: gone.toml: no such file"),
            (
                {"nanlint.toml": "a.toml", "a.toml": "nanlint.toml"},
                "a.toml: extend: nanlint.toml extends a.toml extends nanlint.toml",
            ),
            ({"nanlint.toml": "nanlint.toml"}, "nanlint.toml: extend: nanlint.toml extends nanlint.toml"),
        ],
    )
    def test_what_cannot_be_extended_is_refused(self, project: Path, files: dict[str, str], says: str) -> None:
        for name, extended in files.items():
            (project / name).write_text(f'extend = "{extended}"\n')
        with pytest.raises(ConfigError) as refused:
            Configs(RULES).for_directory(str(project))
        assert str(refused.value) == says

    def test_what_is_wrong_in_an_extended_file_is_said_with_its_name(self, project: Path) -> None:
        (project / "nanlint.toml").write_text('extend = "base.toml"\n')
        (project / "base.toml").write_text('confidance = "likely"\n')
        with pytest.raises(ConfigError, match=r'^base.toml: unknown key "confidance"'):
            Configs(RULES).for_directory(str(project))


class TestFiles:
    def _confidence(self, directory: Path) -> str:
        return str(Configs(RULES).for_directory(str(directory)).confidence)

    def test_nanlint_toml_goes_before_pyproject_in_the_same_directory(self, project: Path) -> None:
        (project / "nanlint.toml").write_text('confidence = "certain"\n')
        (project / "pyproject.toml").write_text('[tool.nanlint]\nconfidence = "possible"\n')
        assert self._confidence(project) == "certain"

    def test_a_hidden_name_works_too(self, project: Path) -> None:
        (project / ".nanlint.toml").write_text('confidence = "certain"\n')
        assert self._confidence(project) == "certain"

    def test_a_pyproject_without_our_table_is_passed_over(self, project: Path) -> None:
        (project / "pyproject.toml").write_text('[tool.nanlint]\nconfidence = "certain"\n')
        (project / "sub").mkdir()
        (project / "sub" / "pyproject.toml").write_text("[project]\nname = 'nanlint-plugin'\n")
        assert self._confidence(project / "sub") == "certain"

    def test_a_pyproject_that_is_no_toml_is_not_ours_to_judge(self, project: Path) -> None:
        (project / "pyproject.toml").write_text("[project]\nname = {{ cookiecutter.name }}\n")
        assert self._confidence(project) == "likely"

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"select = [", "nanlint.toml: is not valid TOML: "),
            (b"# \xff\n", "nanlint.toml: is not UTF-8"),
            (b"selekt = []\n", 'nanlint.toml: unknown key "selekt"; did you mean "select"?'),
        ],
    )
    def test_a_broken_file_is_named(self, project: Path, content: bytes, says: str) -> None:
        (project / "nanlint.toml").write_bytes(content)
        with pytest.raises(ConfigError) as refused:
            Configs(RULES).for_directory(str(project))
        assert str(refused.value).startswith(says)

    def test_the_table_is_named_for_pyproject(self, project: Path) -> None:
        (project / "pyproject.toml").write_text("[tool.nanlint]\nselekt = []\n")
        with pytest.raises(ConfigError, match=r"^pyproject.toml \[tool.nanlint\]: unknown key"):
            Configs(RULES).for_directory(str(project))
        (project / "pyproject.toml").write_text("[tool]\nnanlint = 3\n")
        with pytest.raises(ConfigError, match=r"^pyproject.toml: tool.nanlint: expected a table"):
            Configs(RULES).for_directory(str(project))

    def test_a_file_given_by_name_must_exist(self, project: Path) -> None:
        with pytest.raises(ConfigError, match=r"^gone.toml: cannot be read: no such file"):
            Configs(RULES, file="gone.toml")

    def test_isolated_reads_no_file(self, project: Path) -> None:
        (project / "nanlint.toml").write_text("select = [")
        assert Configs(RULES, isolated=True).for_directory(str(project)).confidence is Confidence.LIKELY
