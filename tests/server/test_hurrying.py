"""The first answer while one types is what a check of everything says of what was edited."""

from __future__ import annotations

import ast
import asyncio
import functools
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from nanlint.config import Config, Configs
from nanlint.diagnostic import Diagnostic
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import diagnose_source
from nanlint.server import checking as server_checking
from nanlint.server.checking import Checked, Checking, Worker, check
from nanlint.server.documents import Document
from nanlint.server.hurrying import LONG, hurried
from nanlint.server.projects import Projects
from nanlint.source import Source
from tests.server.sessions import PATIENCE, session

CONFIG = Configs(rule_names(), isolated=True).default()
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("torch_*.py"))
TYPED = ("y_ = torch.log(torch.softmax(logits, -1))", "z_ = 1 / mask.sum()", "pass", "n_ = 3")


def long_text() -> str:
    """The examples for PyTorch one after the other, made long by functions that are nobody's concern."""
    texts = [path.read_text().replace('if __name__ == "__main__":', "def main():") for path in EXAMPLES]
    filler = "".join(f"\n\ndef filler_{n}(x):\n    return x + {n}\n" for n in range(LONG // 4))
    return "".join(f"{text}\n\n" for text in texts) + filler


@functools.cache
def checked() -> tuple[Source, tuple[Diagnostic, ...]]:
    """The long text, and what is found in it."""
    source = Source("all.py", long_text())
    return source, tuple(diagnose_source(source, CONFIG))


def told(found: Iterable[Diagnostic] | None) -> list[object] | None:
    return None if found is None else [(d.code, d.span, d.message, d.causes, d.fix) for d in found]


@pytest.mark.parametrize("seed", range(12))
def test_a_line_typed_into_a_function_is_answered_as_if_everything_were_checked(seed: int) -> None:
    chosen = random.Random(seed)
    before, known = checked()
    assert known
    function = chosen.choice([n for n in ast.walk(before.tree) if isinstance(n, ast.FunctionDef)])
    statement = chosen.choice(function.body)
    lines = list(before.lines)
    lines.insert(statement.lineno - 1, " " * statement.col_offset + chosen.choice(TYPED) + "\n")
    after = Source("all.py", "".join(lines))
    first = hurried(before, known, after, CONFIG)
    if first is None:  # what was edited is a cause of a finding elsewhere
        rows = next(range(s.lineno, (s.end_lineno or 0) + 1) for s in before.tree.body if function in ast.walk(s))
        assert any(cause.span.row in rows and one.span.row not in rows for one in known for cause in one.causes)
    else:
        assert told(first) == told(diagnose_source(after, CONFIG))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import torch\n", "import torch as t\n"),
        ("def filler_1(x):", "EPS = 1\n\n\ndef filler_1(x):"),
        ("def filler_1(x):", "def filler_1(x"),
    ],
    ids=["an import", "a constant", "what does not parse"],
)
def test_what_may_concern_all_of_the_text_is_left_to_a_check_of_everything(old: str, new: str) -> None:
    before, known = checked()
    after = Source("all.py", before.text.replace(old, new, 1))
    assert after.text != before.text
    assert hurried(before, known, after, CONFIG) is None


def test_a_comment_that_silences_the_file_is_heard_in_what_is_left_out() -> None:
    text = long_text() + "\n\ndef last(x):\n    # nanlint: file-ignore[NL1]\n    return x\n"
    before = Source("all.py", text)
    after = Source("all.py", text.replace("x + 1\n", "torch.log(torch.softmax(x, -1))\n", 1))
    assert told(hurried(before, diagnose_source(before, CONFIG), after, CONFIG)) == told(diagnose_source(after, CONFIG))


FAR = "import torch\n\n\ndef scale(x):\n    return x.abs() + 1\n\n\ndef loss(x):\n    return torch.log(scale(x))\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("profile", ["Emacs", "VS Code"])
async def test_what_an_edit_does_to_other_functions_is_told_once_typing_pauses(profile: str, tmp_path: Path) -> None:
    text = FAR + long_text().partition("import torch\n")[2]
    async with session(profile, tmp_path) as editor:
        uri = editor.open("all.py", text)
        rows = [one.range.start.line for one in await editor.diagnostics(uri)]
        assert 8 not in rows
        editor.replace(uri, text.replace("x.abs() + 1", "torch.softmax(x, -1)", 1))
        while 8 not in [one.range.start.line for one in await editor.diagnostics(uri)]:
            await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_edits_without_a_pause_are_each_answered_from_the_last_answer_and_end_in_what_a_full_check_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def noted(before: Source, known: Iterable[Diagnostic], after: Source, config: Config) -> list[Diagnostic] | None:
        begun.append(before.text)
        return hurried(before, known, after, config)

    monkeypatch.setattr(server_checking, "hurried", noted)
    texts = [FAR + long_text().partition("import torch\n")[2]]
    for old, new in (
        ("x.abs() + 1", "torch.softmax(x, -1)"),
        ("return x + 3\n", "return torch.log(torch.softmax(x, -1))\n"),
        ("return x + 40\n", "y = x.sum()\n    return x / y.log()\n"),
        ("return x + 7\n", "return torch.sqrt(x.relu())\n"),
    ):
        assert old in texts[-1]
        texts.append(texts[-1].replace(old, new, 1))
    projects, worker = Projects(), Worker()
    projects.add(str(tmp_path))
    checking = Checking(projects, worker)
    settled: asyncio.Future[Checked] = asyncio.get_running_loop().create_future()
    checking.on_settled = settled.set_result
    uri = (tmp_path / "all.py").as_uri()
    try:
        answers = []
        for version, text in enumerate(texts):
            checking.overtake(uri)
            document = Document(uri, version, text, "python")
            answers.append(await checking.checked(document))
        assert begun == texts[:-1]
        assert [one.settled for one in answers] == [True, False, False, False, False]
        everything = check(document, projects.holds(document.path))
        # what the first edit does to another function is all that the answers lack
        row = texts[0].splitlines().index("    return torch.log(scale(x))") + 1
        known = [one for one in everything.diagnostics if one.span.row != row]
        assert len(known) < len(everything.diagnostics)
        assert told(answers[-1].diagnostics) == told(known)
        assert told((await asyncio.wait_for(settled, PATIENCE)).diagnostics) == told(everything.diagnostics)
        assert told((await checking.checked(document)).diagnostics) == told(everything.diagnostics)
    finally:
        checking.forget(uri)
        worker.close()
