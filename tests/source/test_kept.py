"""What is kept of files that were read: the last ones, up to a size; and what holds on to it."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path

import pytest

from nanlint.config import Configs
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import run_task
from nanlint.lint.report import Task
from nanlint.source import syntax
from nanlint.source.comments import read_comments
from nanlint.source.syntax import kept, parse_once
from nanlint.source.text import Source


def test_what_was_given_last_is_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "KEPT", 10)
    made: list[str] = []

    @kept(len)
    def upper(text: str) -> str:
        made.append(text)
        return text.upper()

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert upper(text) == text.upper()
    assert made == ["aaaa", "bbbb", "cccc", "bbbb"]


def test_what_is_larger_than_all_that_is_kept_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "KEPT", 10)
    made: list[str] = []
    large = kept(len)(made.append)
    for text in ("a", "b" * 20, "b" * 20, "a"):
        large(text)
    assert made == ["a", "b" * 20, "a"]


def test_comments_that_were_read_do_not_hold_the_text() -> None:
    source = Source("a.py", "x = 1  # noqa: NL101\n")
    assert read_comments(source, {}).suppressions
    gone = weakref.ref(source)
    del source
    assert gone() is None


def test_a_check_leaves_no_trees_behind_that_only_the_collector_would_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syntax, "KEPT", 1)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "helper.py").write_text("import torch\ndef root(x):\n    return torch.sqrt(x.clamp(min=0))\n")
    path = tmp_path / "loss.py"
    path.write_text("import torch\nfrom helper import root\ndef left_behind(x):\n    return 1 / root(x).sum()\n")
    task = Task(str(path), Configs(rule_names(), isolated=True).default())
    run_task(task)
    parse_once("", "")
    gc.collect()
    gc.disable()
    try:
        run_task(task)
        parse_once("pass", "")
        trees = [one for one in gc.get_objects() if isinstance(one, ast.Module) and one.body]
    finally:
        gc.enable()
    names = {part.name for tree in trees for part in tree.body if isinstance(part, ast.FunctionDef)}
    assert "left_behind" not in names
