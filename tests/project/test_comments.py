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


# ── what silences ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_silenced_is_kept_with_the_reason(tmp_path: Path) -> None:
    layers = at(5, LAYERS, f"{COMMENT} few classes")
    (silenced,) = report(tmp_path, {"layers.py": layers, "loss.py": LOSS}, "loss.py").suppressed
    assert (silenced.diagnostic.code, silenced.justification) == ("NL101", "few classes")


def test_an_explanation_says_which_comment_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"pyproject.toml": "", "layers.py": at(5, LAYERS)})
    (told,) = explain(in_project(Source("loss.py", LOSS)), configs().for_directory(str(tmp_path)), 7)
    assert [one.why for one in told.verdicts if one.code == "NL101"] == ["by the comment on line 5 of layers.py"]


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
