"""Test files, which pytest loads with asserts that it has rewritten: their flagged expressions are probed, too.

Nothing of it is written where pytest keeps its bytecode. What is possible is watched here: in a test file no finding is
more than that, as tests may mean what they do.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from _pytest.assertion.rewrite import AssertionRewriter

from nanlint.diagnostic import Confidence
from nanlint.runtime import probing
from nanlint.runtime.hooks import Guard
from nanlint.runtime.importing import numbers, watched_sites
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.rewriting import NAME, rewrite
from nanlint.source.text import Source


class ProbedTest(importlib.abc.Loader):
    """The loader of a test file; pytest's own where nothing is flagged."""

    def __init__(self, loader: Any, recorder: Recorder) -> None:
        self._loader = loader
        self._recorder = recorder

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As pytest's."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run the file with probes, and take ourselves out of sight."""
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._loader
        code = None
        with Guard(self._recorder, f"the findings of {spec.origin}"):
            code = self._probed(str(spec.origin))
        if code is None:
            self._loader.exec_module(module)
            return
        self._loader._rewritten_names[module.__name__] = Path(str(spec.origin))
        exec(code, module.__dict__)

    def _probed(self, path: str) -> CodeType | None:
        content = Path(path).read_bytes()
        sites = watched_sites(content, path, self._recorder, confidence=Confidence.POSSIBLE)
        if not sites:
            return None
        tree, found = rewrite(Source.from_bytes(content, path), sites, numbers)
        tree = ast.fix_missing_locations(tree)
        _Asserts(path, self._loader.config, content).run(tree)
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        probing.enter(found)
        return code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Asserts(AssertionRewriter):  # type: ignore[misc, unused-ignore]
    """Rewrites asserts as pytest does; what a failing one says has nothing of probes in it."""

    def visit_Call(self, call: ast.Call) -> tuple[ast.Name, str]:  # noqa: N802  (the name that ast looks for)
        """A probe stands for what it hands on."""
        if not (isinstance(call.func, ast.Name) and call.func.id == NAME):
            return super().visit_Call(call)
        value, told = self.visit(call.args[2])
        return self.assign(ast.copy_location(ast.Call(call.func, [*call.args[:2], value], []), call)), told
