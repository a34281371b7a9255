"""Without libcst, as in a browser: the same findings and the same fixes, which leave the parentheses they find."""

from __future__ import annotations

import ast
import sys

import pytest

import nanlint
from tests.programs.fixtures import PROGRAMS, Program

#: a page program of each rule
PAGES = {p.rule: p for p in PROGRAMS if p.is_page and p.is_bad and p.framework in ("tf", "torch")}


@pytest.fixture
def without_libcst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libcst", None)
    monkeypatch.delitem(sys.modules, "nanlint.fixes.concrete", raising=False)


def _fixed(program: Program) -> tuple[str, list[tuple[str, str]]]:
    done = nanlint.fix_source(program.text, unsafe_fixes=True, confidence="possible")
    return ast.unparse(ast.parse(done.source.text)), [(one.code, one.message) for one in done.remaining]


@pytest.fixture(scope="module")
def fixed() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    return {rule: _fixed(program) for rule, program in PAGES.items()}


@pytest.mark.usefixtures("without_libcst")
def test_fixes_are_the_same_code(fixed: dict[str, tuple[str, list[tuple[str, str]]]]) -> None:
    assert {rule: _fixed(program) for rule, program in PAGES.items()} == fixed
    assert sum(one[0] != ast.unparse(ast.parse(PAGES[rule].text)) for rule, one in fixed.items()) > 40


@pytest.mark.usefixtures("without_libcst")
def test_a_sum_that_replaces_a_factor_is_put_in_parentheses() -> None:
    before = "import torch\n\ndef f(p, x):\n    return 2 * (torch.log(torch.softmax(x, -1)))\n"
    after = nanlint.fix_source(before).source.text
    assert "return 2 * (torch.log_softmax(x, -1))" in after


def test_any_other_missing_module_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from nanlint.fixes.lossless import reader

    monkeypatch.setitem(sys.modules, "libcst.metadata", None)
    monkeypatch.delitem(sys.modules, "nanlint.fixes.concrete", raising=False)
    assert reader() is None
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "nanlint.fixes.concrete", None)
    with pytest.raises(ModuleNotFoundError, match=r"nanlint\.fixes\.concrete"):
        reader()
