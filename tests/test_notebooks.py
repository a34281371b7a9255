"""Notebooks, from the file to the findings and back: written by nbformat, read by nanlint, validated by nbformat."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from nanlint.cli import cli

IMPORTS = "%matplotlib inline\n!pip install torch\nimport torch"
PROBS = "%%time\nlogits = torch.randn(3, 4)\nprobs = torch.softmax(logits, -1)"
LOSS = "files = !ls\n%time loss = torch.log(probs).sum()\nlogits?"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(*cells: str, name: str = "a.ipynb", language: str = "python", indent: int = 1) -> bytes:
    """A notebook with a title above and an output below each cell of code."""
    output = new_output("stream", text="torch.log(torch.softmax(x, -1)) é\n")
    notebook = new_notebook(
        cells=[new_markdown_cell("# é"), *(new_code_cell(cell, outputs=[output]) for cell in cells)],
        metadata={"language_info": {"name": language}},
    )
    Path(name).write_text(writes(notebook, indent=indent) + "\n", encoding="utf-8")
    return Path(name).read_bytes()


def _run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], input=stdin)


def _lines(*arguments: str) -> Sequence[str]:
    return _run("--quiet", "--output-format", "concise", *arguments).stdout.splitlines()


def _sources(name: str = "a.ipynb") -> list[str]:
    notebook = nbformat.read(name, as_version=4)
    nbformat.validate(notebook)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def test_a_notebook_is_one_program_over_its_cells() -> None:
    _write(IMPORTS, PROBS, "%%bash\nexit 1", LOSS)
    message = "NL101 [*] log of a softmax: -inf as soon as one class underflows (likely)"
    assert _lines() == [f"a.ipynb:cell 5:2:14: {message}"]


def test_the_frame_shows_the_rows_of_each_cell_as_they_are_written() -> None:
    _write(IMPORTS, PROBS, LOSS)
    assert _run("a.ipynb").stdout.splitlines()[:8] == [
        "a.ipynb:cell 4:2:14 NL101 [likely] log of a softmax: -inf as soon as one class underflows",
        "  cell 3",
        "  3 │ probs = torch.softmax(logits, -1)",
        "    │         ───────────────────────── is exactly 0 when a logit is 104 below the largest (float32)",
        "  cell 4",
        "  2 │ %time loss = torch.log(probs).sum()",
        "    │              ^^^^^^^^^^^^^^^^ log(0) = -inf, and 0 * -inf = nan",
        "    = witness: logits = [0., 200.] gives loss = -inf",
    ]


def test_json_names_the_cell_of_the_finding_of_its_causes_and_of_its_edits() -> None:
    _write(IMPORTS, PROBS, LOSS)
    (found,) = json.loads(_run("--output-format", "json", "a.ipynb").stdout)
    assert (found["cell"], found["location"]) == (4, {"row": 2, "column": 14})
    assert [(cause["cell"], cause["location"]["row"]) for cause in found["causes"]] == [(3, 3)]
    assert {edit["cell"] for edit in found["fix"]["edits"]} == {4}


@pytest.mark.parametrize("name", ["grouped", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson", "azure"])
def test_every_format_names_the_cell(name: str) -> None:
    _write(IMPORTS, PROBS, "y = 2\n" * 33 + LOSS)
    text = _run("--output-format", name, "a.ipynb").stdout
    if name == "json-lines":
        assert json.loads(text)["cell"] == 4
    else:
        assert "cell 4:35:14" in text.replace("%3A", ":")


@pytest.mark.parametrize("name", ["github", "azure", "gitlab", "rdjson", "sarif"])
def test_formats_that_know_lines_of_files_only_lead_to_the_line_of_the_file(name: str) -> None:
    _write(IMPORTS, PROBS, "y = 2\n" * 33 + LOSS)
    (line,) = (n for n, text in enumerate(Path("a.ipynb").read_text().splitlines(), 1) if "%time loss" in text)
    text = _run("--output-format", name, "a.ipynb").stdout
    found = re.search(r'(?:line|linenumber|"begin"|"line"|"startLine")(?:=|: )(\d+)', text)
    assert found is not None
    assert int(found[1]) == line


@pytest.mark.parametrize("indent", [1, 2, 4])
def test_a_fix_changes_nothing_but_the_lines_it_mends(indent: int) -> None:
    before = _write(IMPORTS, PROBS, LOSS, indent=indent)
    result = _run("--fix", "a.ipynb")
    assert result.stdout == "Found 1 error (1 fixed, 0 remaining).\n"
    old, new = b"%time loss = torch.log(probs).sum()", b"%time loss = torch.log_softmax(logits, -1).sum()"
    assert Path("a.ipynb").read_bytes() == before.replace(old, new)
    assert _sources()[2] == LOSS.replace(old.decode(), new.decode())


def test_an_import_that_a_fix_needs_goes_to_the_cell_of_the_imports() -> None:
    _write("import numpy as np", "%%time\nx = np.load(name)", "y = np.log(np.sum(np.exp(x)))")
    _run("--fix", "--unsafe-fixes", "a.ipynb")
    assert _sources() == [
        "import numpy as np\nimport scipy.special",
        "%%time\nx = np.load(name)",
        "y = scipy.special.logsumexp(x)",
    ]


def test_a_diff_is_of_cells_and_writes_nothing() -> None:
    before = _write(IMPORTS, PROBS, LOSS)
    result = _run("--diff", "a.ipynb")
    assert result.stdout.splitlines()[:2] == ["--- a.ipynb:cell 4", "+++ a.ipynb:cell 4"]
    assert "+%time loss = torch.log_softmax(logits, -1).sum()" in result.stdout
    assert Path("a.ipynb").read_bytes() == before


def test_standard_input_is_a_notebook_if_its_name_says_so() -> None:
    before = _write(IMPORTS, PROBS, LOSS)
    assert _run("--stdin-filename", "b.ipynb", "-", stdin=before).stdout.startswith("b.ipynb:cell 4:2:14 NL101")
    mended = _run("--fix", "--stdin-filename", "b.ipynb", "-", stdin=before).stdout_bytes
    assert mended == before.replace(b"torch.log(probs)", b"torch.log_softmax(logits, -1)")


def test_comments_silence_their_line_their_cell_or_the_notebook() -> None:
    line = "y = torch.log(torch.softmax(x, -1))"
    _write("import torch\nx = torch.randn(3)\n# nanlint: ignore[NL101]", line, f"{line}  # noqa: NL101", line)
    assert [found.rsplit(" (")[0] for found in _lines("--select", "NL101")] == [
        f"a.ipynb:cell {cell}:1:5: NL101 [*] log of a softmax: -inf as soon as one class underflows" for cell in (3, 5)
    ]
    _write("import torch\nx = torch.randn(3)", line, "# nanlint: file-ignore[log-of-softmax]")
    assert _lines() == []


def test_a_comment_that_silences_nothing_is_removed_with_its_line_and_nothing_else() -> None:
    _write("import torch\n# nanlint: ignore[NL101]", "x = torch.randn(3)\n# nanlint: ignore[NL102]\ny = 1")
    _run("--fix", "a.ipynb")
    assert _sources() == ["import torch", "x = torch.randn(3)\ny = 1"]


def test_a_cell_that_does_not_parse_is_named_and_the_others_are_checked() -> None:
    _write(IMPORTS, PROBS, "def f(:\n    pass", LOSS)
    assert [line.split(" ")[:3] for line in _lines()] == [
        ["a.ipynb:cell", "4:1:7:", "NL000"],
        ["a.ipynb:cell", "5:2:14:", "NL101"],
    ]
    assert "nothing in this cell was checked" in _run("a.ipynb").stdout
    _run("--fix", "a.ipynb")
    assert _sources()[2:] == ["def f(:\n    pass", LOSS.replace("torch.log(probs)", "torch.log_softmax(logits, -1)")]


def test_what_is_found_can_be_silenced_and_known_around_a_cell_that_does_not_parse() -> None:
    _write(IMPORTS, PROBS, "def f(:\n    pass", LOSS)
    _run("--write-baseline=known.json", "a.ipynb")
    assert [line.split()[2] for line in _lines("--baseline=known.json")] == ["NL000"]
    _run("--add-ignore=by hand", "a.ipynb")
    assert _sources()[3].splitlines()[1] == "%time loss = torch.log(probs).sum()  # nanlint: ignore[NL101] by hand"
    assert [line.split()[2] for line in _lines()] == ["NL000"]


def test_expressions_of_notebooks_are_explained_by_cell() -> None:
    _write(IMPORTS, PROBS, LOSS)
    flagged = CliRunner().invoke(cli, ["check", "a.ipynb", "--output-format", "concise"]).stdout.partition(": NL")[0]
    result = CliRunner().invoke(cli, ["explain", flagged])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{flagged} torch.log(")


def test_what_awaits_or_returns_at_the_top_of_a_cell_does_not_end_the_check() -> None:
    _write("import torch\nx = await load()\nreturn x", "y = torch.log(torch.softmax(x, -1))")
    assert len(_lines()) == 1


def test_code_is_not_moved_from_cell_to_cell() -> None:
    tape = "with tf.GradientTape() as tape:\n    loss = tf.reduce_mean(hidden)\ng = tape.gradient(loss, [w])"
    _write("import tensorflow as tf\nw = tf.Variable(1.0)\nhidden = w * w", tape)
    before = _sources()
    assert any("NL601" in line for line in _lines())
    _run("--fix", "--unsafe-fixes", "a.ipynb")
    assert _sources() == before


def test_a_notebook_of_another_language_is_passed_over_in_words_if_it_is_named() -> None:
    _write("x <- torch.log(0)", language="R")
    assert _run().output == "No findings in 1 file (none uses a numeric framework).\n"
    result = _run("a.ipynb")
    assert result.stderr == "warning: a.ipynb: is a notebook in r, so nothing in it was checked\n"
    assert result.exit_code == 0


def test_what_is_no_notebook_is_an_error_that_names_it() -> None:
    Path("a.ipynb").write_text("torch = 1")
    Path("b.py").write_text("import torch\n")
    result = _run(".")
    assert result.stderr == "error: a.ipynb: is not valid JSON: expecting value in line 1\n"
    assert result.exit_code == 1
    assert _run("a.ipynb").exit_code == 2


def test_a_notebook_as_large_as_its_outputs_is_read_in_no_time() -> None:
    picture = new_output("display_data", {"image/png": "A" * 20_000_000})
    notebook = new_notebook(
        cells=[new_code_cell(IMPORTS), new_code_cell(PROBS, outputs=[picture]), new_code_cell(LOSS)]
    )
    Path("a.ipynb").write_text(writes(notebook))
    began = os.times().user
    assert _run("--fix", "a.ipynb").stdout == "Found 1 error (1 fixed, 0 remaining).\n"
    assert os.times().user - began < 3.0


def test_checkpoints_are_not_visited() -> None:
    Path(".ipynb_checkpoints").mkdir()
    _write(IMPORTS, PROBS, LOSS, name=".ipynb_checkpoints/a.ipynb")
    assert _lines() == []
