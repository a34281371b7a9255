"""What the documentation shows is what happens: generated pages are fresh, examples are judged as they say."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nanlint
from nanlint.config import Layer, config_of
from nanlint.housekeeping import HOUSEKEEPING
from nanlint.lint.known_rules import rule_names
from nanlint.rules import RULES
from nanlint.testing import as_program, blocks, sections
from nanlint.toml import loads

ROOT = Path(__file__).parents[1]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [(rule.code, rule.name) for _, rule in sorted(RULES.items())]
MARKER = re.compile(r"# error: \[(NL\d{3})\](?: (certain|likely|possible))?$")
LINK = re.compile(r"\]\((?!https?://)([^)#]+)(#[^)]*)?\)")


def judged(snippet: str, beside: str = "", **config: Any) -> dict[int, tuple[str, str]]:
    """For each row of a snippet that holds a finding, its code and confidence."""
    program, offset = as_program(snippet, beside)
    found = nanlint.check_source(program, **config)
    return {one.span.row - offset: (one.code, str(one.confidence)) for one in found}


def marked(snippet: str) -> Iterator[tuple[int, str, str]]:
    for row, line in enumerate(snippet.splitlines(), start=1):
        if match := MARKER.search(line):
            yield row, match[1], match[2]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_and_shown_output_are_fresh() -> None:
    build = load(ROOT / "docs" / "build.py")
    stale = [str(path.relative_to(ROOT)) for path, _ in build.stale()]
    assert not stale, "run: python docs/build.py"


def findings_of(code: str, bad: str, better: str) -> tuple[str, list[nanlint.Diagnostic]]:
    """The confidence at which the bad example of a rule is found, by default or as possible at least, and as what."""
    program, _ = as_program(bad, better)
    for level in ("likely", "possible"):
        found = [one for one in nanlint.check_source(program, confidence=level) if one.code == code]
        if found:
            return level, found
    raise AssertionError("the bad example is not found")


@pytest.mark.parametrize(("code", "name"), PAGES, ids=[name for _, name in PAGES])
def test_the_bad_example_of_a_rule_is_flagged_and_fixed_and_the_better_one_is_silent(code: str, name: str) -> None:
    """A rule with a fix fixes it, or says what a person would write."""
    page = sections(RULES[code].page)
    (bad,), (better,) = blocks(page["Example (bad)"], "python"), blocks(page["Use instead"], "python")
    shown, found = findings_of(code, bad, better)
    assert RULES[code].fixable is None or any(one.fix is not None for one in found)
    assert judged(better, bad, confidence=shown) == {}


def test_the_summary_of_a_rule_is_a_sentence() -> None:
    summaries = [rule.summary for rule in (*RULES.values(), *HOUSEKEEPING.values())]
    assert [one for one in summaries if not (one[0].isupper() or one[0] == "`")] == []


@pytest.mark.parametrize("guide", GUIDES, ids=[path.name for path in GUIDES])
def test_a_guide_is_right_about_its_examples(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8")
    config = {key: value for toml in blocks(text, "toml") for key, value in _config(toml).items() if key == "ops"}
    for snippet in blocks(text, "python"):
        if "nanlint." in snippet or "nanlint:" in snippet or "noqa" in snippet:
            continue
        thorough = {"confidence": "possible"} if any(level == "possible" for *_, level in marked(snippet)) else {}
        found = judged(snippet, **config, **thorough)
        expected = {row: (code, level or found.get(row, ("", ""))[1]) for row, code, level in marked(snippet)}
        assert found == expected, snippet


def _config(toml: str) -> dict[str, Any]:
    table = loads(toml)
    values: dict[str, Any] = table.get("tool", {}).get("nanlint", table)
    return {key.replace("-", "_"): value for key, value in values.items()}


def test_every_configuration_shown_is_one() -> None:
    shown = [toml for guide in GUIDES for toml in blocks(guide.read_text(encoding="utf-8"), "toml")]
    others = {"project", "language-server", "ruff"}  # a package's own, an editor's, and Ruff's
    ours = [toml for toml in shown if others.isdisjoint({**(table := loads(toml)), **table.get("tool", {})})]
    assert ours
    for toml in ours:
        table = loads(toml)
        layer = Layer(table.get("tool", {}).get("nanlint", table), "/", "shown", "/nanlint.toml")
        assert config_of([layer], rule_names()).layers == (layer,)


def test_the_table_of_keys_names_those_there_are() -> None:
    from nanlint.keys import KEYS

    rows = sections((ROOT / "docs" / "configuration.md").read_text(encoding="utf-8"))["Keys"].splitlines()
    named = {key for row in rows if row.startswith("| `") for key in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert named == set(KEYS)


def test_the_comments_shown_silence() -> None:
    """The snippet on suppression, behind the finding that it is about."""
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (snippet,) = (block for block in blocks(text, "python") if "noqa" in block)
    program = "import torch\n\np = torch.relu(torch.ones(2) - 3)\n" + snippet
    found = nanlint.check_source(program, confidence="possible")
    assert {one.code for one in found} <= {"NL001"}
    bare = re.sub(r"  # (?:nanlint|noqa).*|^# nanlint.*\n", "", program, flags=re.MULTILINE)
    flagged = {one.code for one in nanlint.check_source(bare, confidence="possible")}
    assert flagged == {"NL103"}


def test_the_library_is_used_as_shown() -> None:
    snippets = blocks((ROOT / "docs" / "command-line.md").read_text(encoding="utf-8"), "python")
    (snippet,) = (one for one in snippets if "import nanlint" in one)
    exec(snippet, {})


@pytest.mark.parametrize("page", [*GUIDES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        there = (page.parent / target).resolve()
        assert there.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


def test_contributing_does_what_it_says(tmp_path: Path) -> None:
    """Its programs run one after the other, in an interpreter of their own since they add to the catalogue."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    programs = blocks(text, "python")
    assert len(programs) >= 4
    code = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n" + "\n\n".join(programs)
    script = tmp_path / "contributing.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("guide", GUIDES, ids=[guide.name for guide in GUIDES])
def test_no_merge_was_left_half_done(guide: Path) -> None:
    assert re.search(r"^(<{7}|>{7}) ", guide.read_text("utf-8"), re.MULTILINE) is None
