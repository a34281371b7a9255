"""A comment at the cause of a finding silences it, in whichever file of the project the cause is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from nanlint.cache.reports import Reports
from nanlint.explaining import explain
from nanlint.lint.many_files import check
from nanlint.lint.one_file import diagnose_source, run_task
from nanlint.lint.report import Action, FileReport, Task
from nanlint.server.hurrying import LONG, hurried
from nanlint.source import Source
from nanlint.source.project import in_project
from nanlint.source.project_files import forget
from tests.project.test_causes import configs, write
from tests.server.sessions import PATIENCE, session

LAYERS = "import torch\n\n\ndef soft(x):\n    p = torch.softmax(x, -1)\n    return p\n"
LOSS = "import torch\nfrom layers import soft\n\n\ndef loss(x):\n    p = soft(x)\n    return -torch.log(p).mean()\n"
HELPER = "import torch\n\n\ndef mean_log(p):\n    return torch.log(p).mean()\n"
USER = "import torch\nfrom helper import mean_log\n\n\ndef loss(x):\n    return mean_log(torch.softmax(x, -1))\n"
COMMENT = "# nanlint: ignore[NL101]"


def at(row: int, text: str, comment: str = COMMENT) -> str:
    """A text with a comment at the end of a row."""
    lines = text.splitlines()
    lines[row - 1] += f"  {comment}"
    return "\n".join(lines) + "\n"


def report(root: Path, files: Mapping[str, str], path: str) -> FileReport:
    """What is found in one of the files of a project."""
    write(root, {"pyproject.toml": "", **files})
    (one,) = check([str(root / path)], configs()).files
    return one


def codes(root: Path, files: Mapping[str, str], path: str) -> list[str]:
    return [one.code for one in report(root, files, path).diagnostics]


# ── what silences ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "comment",
    [
        COMMENT,
        "# noqa: NL101",
        "# nanlint: ignore[log-of-softmax] never 0",
        "# nanlint: ignore[NL1]",
        "# noqa: E501, NL101",
    ],
)
def test_a_comment_at_the_cause_that_names_the_rule_silences_it(tmp_path: Path, comment: str) -> None:
    assert codes(tmp_path, {"layers.py": LAYERS, "loss.py": LOSS}, "loss.py") == ["NL101"]
    assert codes(tmp_path, {"layers.py": at(5, LAYERS, comment)}, "loss.py") == []


@pytest.mark.parametrize("comment", ["# nanlint: ignore", "# noqa", "# nanlint: ignore[NL303]", "# noqa: E501"])
def test_one_that_does_not_name_it_silences_nothing(tmp_path: Path, comment: str) -> None:
    assert codes(tmp_path, {"layers.py": at(5, LAYERS, comment), "loss.py": LOSS}, "loss.py") == ["NL101"]


def test_one_for_the_file_of_the_cause_is_for_that_file_only(tmp_path: Path) -> None:
    layers = f"# nanlint: file-ignore[NL101]\n{LAYERS}"
    assert codes(tmp_path, {"layers.py": layers, "loss.py": LOSS}, "loss.py") == ["NL101"]


@pytest.mark.parametrize(
    "files", [{"layers.py": at(4, LAYERS)}, {"layers.py": at(6, LAYERS)}, {"loss.py": at(6, LOSS)}]
)
def test_what_calls_for_the_value_or_passes_it_on_is_no_cause(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert codes(tmp_path, {"layers.py": LAYERS, "loss.py": LOSS, **files}, "loss.py") == ["NL101"]


def test_on_a_line_of_its_own_it_is_for_the_statement_below(tmp_path: Path) -> None:
    layers = LAYERS.replace("    p =", f"    {COMMENT}\n    p =")
    assert codes(tmp_path, {"layers.py": layers, "loss.py": LOSS}, "loss.py") == []


def test_behind_the_last_line_of_a_statement_it_is_for_all_of_it(tmp_path: Path) -> None:
    layers = LAYERS.replace("torch.softmax(x, -1)", f"(\n        torch.softmax(x, -1)\n    )  {COMMENT}")
    assert codes(tmp_path, {"layers.py": layers, "loss.py": LOSS}, "loss.py") == []


def test_a_cause_in_the_same_file_is_one_too(tmp_path: Path) -> None:
    text = LAYERS + LOSS.replace("from layers import soft\n", "")
    assert codes(tmp_path, {"both.py": text}, "both.py") == ["NL101"]
    assert codes(tmp_path, {"both.py": at(5, text)}, "both.py") == []
    assert codes(tmp_path, {"both.py": at(5, text, "# noqa")}, "both.py") == ["NL101"]


def test_a_note_beside_a_cause_is_none(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef term(x):\n    p = torch.relu(x)\n    h = torch.log(p)\n    return p * h\n"
    (found,) = report(tmp_path, {"a.py": text}, "a.py").diagnostics
    assert [(cause.span.row, cause.note) for cause in found.causes] == [(5, False), (7, True)]
    assert codes(tmp_path, {"a.py": at(7, text, "# nanlint: ignore[NL104]")}, "a.py") == ["NL104", "NL001"]
    assert codes(tmp_path, {"a.py": at(5, text, "# nanlint: ignore[NL104]")}, "a.py") == []


def test_what_is_silenced_is_kept_with_the_reason(tmp_path: Path) -> None:
    layers = at(5, LAYERS, f"{COMMENT} few classes")
    (silenced,) = report(tmp_path, {"layers.py": layers, "loss.py": LOSS}, "loss.py").suppressed
    assert (silenced.diagnostic.code, silenced.justification) == ("NL101", "few classes")


def test_an_explanation_says_which_comment_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"pyproject.toml": "", "layers.py": at(5, LAYERS)})
    (told,) = explain(in_project(Source("loss.py", LOSS)), configs().for_directory(str(tmp_path)), 7)
    assert [one.why for one in told.verdicts if one.code == "NL101"] == ["by the comment on line 5 of layers.py"]


# ── other causes of the same finding ────────────────────────────────────────────────────────────────────────────────


def test_a_finding_is_silent_only_when_each_of_its_causes_is(tmp_path: Path) -> None:
    files = {"helper.py": HELPER, "a.py": at(6, USER), "b.py": USER}
    (found,) = report(tmp_path, files, "helper.py").diagnostics
    assert [Path(cause.path).name for cause in found.causes] == ["b.py"]
    assert codes(tmp_path, {**files, "b.py": at(6, USER)}, "helper.py") == []


def test_what_one_caller_accepts_does_not_hide_what_another_brings_about(tmp_path: Path) -> None:
    zero = USER.replace("softmax(x, -1)", "relu(x)")
    files = {"helper.py": HELPER, "a.py": USER, "b.py": zero}
    assert codes(tmp_path, files, "helper.py") == ["NL101"]
    (found,) = report(tmp_path, {**files, "a.py": at(6, USER)}, "helper.py").diagnostics
    assert (found.code, [Path(cause.path).name for cause in found.causes]) == ("NL103", ["b.py"])


def test_a_comment_at_the_finding_is_for_all_that_is_found_there_of_its_kind(tmp_path: Path) -> None:
    zero = USER.replace("softmax(x, -1)", "relu(x)")
    assert codes(tmp_path, {"helper.py": at(5, HELPER), "a.py": USER, "b.py": zero}, "helper.py") == []


def test_what_the_calls_have_shown_of_a_function_is_not_told_again_of_the_function_by_itself(tmp_path: Path) -> None:
    entropy = HELPER.replace("torch.log(p)", "(p * torch.log(p))")
    assert codes(tmp_path, {"helper.py": entropy}, "helper.py") == ["NL104"]
    assert codes(tmp_path, {"user.py": USER}, "helper.py") == ["NL101"]
    assert codes(tmp_path, {"user.py": at(6, USER)}, "helper.py") == []


def test_a_comment_at_one_of_two_causes_is_of_use(tmp_path: Path) -> None:
    text = HELPER + "".join(f"\n\ndef {name}(x):\n    return mean_log(torch.softmax(x, -1))\n" for name in ("f", "g"))
    (found,) = report(tmp_path, {"a.py": at(9, text)}, "a.py").diagnostics
    assert (found.code, [cause.span.row for cause in found.causes]) == ("NL101", [13])


# ── comments that silence nothing ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("path", "other"), [("layers.py", "loss.py"), ("helper.py", "user.py"), ("user.py", "helper.py")]
)
def test_a_comment_that_may_silence_other_files_is_not_called_unused(tmp_path: Path, path: str, other: str) -> None:
    texts = {"layers.py": at(5, LAYERS), "helper.py": at(5, HELPER, "# noqa: NL203"), "user.py": at(6, USER)}
    others = {"loss.py": LOSS, "helper.py": HELPER, "user.py": USER}
    files = {path: texts[path], other: others[other]}
    assert "NL001" not in codes(tmp_path, files, path)
    (tmp_path / other).unlink()
    assert codes(tmp_path, {}, path) == ["NL001"]


@pytest.mark.parametrize(
    "comment", ["# nanlint: ignore", "# nanlint: file-ignore[NL101]", "# nanlint: ignore[NL203, NL203]"]
)
def test_one_that_cannot_silence_other_files_is(tmp_path: Path, comment: str) -> None:
    assert codes(tmp_path, {"layers.py": at(5, LAYERS, comment), "loss.py": LOSS}, "layers.py") == ["NL001"]


def test_fixing_a_file_leaves_the_comments_that_others_need(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "", "layers.py": at(5, LAYERS), "loss.py": LOSS})
    assert check([str(tmp_path)], configs(), action=Action.FIX).fixed == ()
    assert (tmp_path / "layers.py").read_text() == at(5, LAYERS)


# ── while files change ──────────────────────────────────────────────────────────────────────────────────────────────


def watched(path: Path) -> Callable[[], list[str]]:
    """Checks a file as ``--watch`` does: again only where something has changed."""
    task, memory = Task(str(path), configs().default()), Reports(None)

    def found() -> list[str]:
        forget()
        memory.begin()
        known = memory.recall(task)
        if known is None:
            memory.keep(task, known := run_task(task))
            memory.save()
        return [one.code for one in known.diagnostics]

    return found


def test_watching_checks_again_what_a_comment_elsewhere_silences(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "", "layers.py": LAYERS, "loss.py": LOSS})
    found = watched(tmp_path / "loss.py")
    assert found() == ["NL101"]
    write(tmp_path, {"layers.py": at(5, LAYERS)})
    assert found() == []
    write(tmp_path, {"layers.py": LAYERS})
    assert found() == ["NL101"]


def test_watching_calls_a_comment_unused_while_no_other_file_may_need_it(tmp_path: Path) -> None:
    scale = "import torch\n\nSCALE = torch.zeros(3)  # nanlint: ignore[NL303]\n"
    write(tmp_path, {"pyproject.toml": "", "scale.py": scale})
    found = watched(tmp_path / "scale.py")
    assert found() == ["NL001"]
    write(tmp_path, {"main.py": "from scale import SCALE\n\n\ndef scaled(x):\n    return x / SCALE\n"})
    assert found() == []
    (tmp_path / "main.py").unlink()
    assert found() == ["NL001"]


@pytest.mark.asyncio
@pytest.mark.parametrize("client", ["plain text", "VS Code"])
async def test_an_editor_hears_of_a_comment_that_is_not_saved_in_another_file(client: str, tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "", "layers.py": LAYERS, "loss.py": LOSS})
    async with session(client, tmp_path) as editor:
        layers, loss = editor.open("layers.py", LAYERS), editor.open("loss.py", LOSS)
        for text, expected in ((LAYERS, ["NL101"]), (at(5, LAYERS), []), (LAYERS, ["NL101"])):
            editor.replace(layers, text)
            async with asyncio.timeout(PATIENCE):
                while [one.code for one in await editor.diagnostics(loss)] != expected:
                    await asyncio.sleep(0.05)
    assert (tmp_path / "layers.py").read_text() == LAYERS


def test_a_first_answer_while_typing_calls_no_comment_unused(tmp_path: Path) -> None:
    text = at(5, LAYERS) + "".join(f"\n\ndef filler_{n}(x):\n    return x + {n}\n" for n in range(LONG // 4))
    write(tmp_path, {"pyproject.toml": "", "loss.py": LOSS})
    config = configs().default()
    before, after = (
        in_project(Source(str(tmp_path / "layers.py"), one)) for one in (text, text.replace("p\n", "p + 1\n"))
    )
    assert hurried(before, diagnose_source(before, config), after, config) == []
