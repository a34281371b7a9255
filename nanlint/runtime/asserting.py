"""Test files, which pytest loads with asserts that it has rewritten: their flagged expressions are probed, too.

Nothing of it is written where pytest keeps its bytecode. What is possible is watched here: in a test file no finding is
more than that, as tests may mean what they do.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from _pytest.assertion.rewrite import AssertionRewriter

from nanlint.diagnostic import Confidence
from nanlint.runtime import probing
from nanlint.runtime.hooks import Guard
from nanlint.runtime.importing import InPlace, numbers, watched_sites
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.rewriting import NAME, rewrite
from nanlint.source.text import Source


def probed_test(loader: Any, recorder: Recorder) -> InPlace:
    """The loader of a test file; pytest's own where nothing is flagged."""

    def run(loader: Any, module: ModuleType) -> None:
        path, code = str(module.__file__), None
        with Guard(recorder, f"the findings of {path}"):
            code = _probed(path, loader, recorder)
        if code is None:
            loader.exec_module(module)
            return
        loader._rewritten_names[module.__name__] = Path(path)
        exec(code, module.__dict__)

    return InPlace(loader, run)


def _probed(path: str, loader: Any, recorder: Recorder) -> CodeType | None:
    content = Path(path).read_bytes()
    sites = watched_sites(content, path, recorder, confidence=Confidence.POSSIBLE)
    if not sites:
        return None
    tree, found = rewrite(Source.from_bytes(content, path), sites, numbers)
    tree = ast.fix_missing_locations(tree)
    _Asserts(path, loader.config, content).run(tree)
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    probing.enter(found)
    return code


class _Asserts(AssertionRewriter):  # type: ignore[misc, unused-ignore]
    """Rewrites asserts as pytest does; what a failing one says has nothing of probes in it."""

    def visit_Call(self, call: ast.Call) -> tuple[ast.Name, str]:  # noqa: N802  (the name that ast looks for)
        """A probe stands for what it hands on."""
        if not (isinstance(call.func, ast.Name) and call.func.id == NAME):
            return super().visit_Call(call)
        value, told = self.visit(call.args[2])
        return self.assign(ast.copy_location(ast.Call(call.func, [*call.args[:2], value], []), call)), told
