"""``python unharmed.py FRAMEWORK < QUESTIONS``: runs programs in one process, unwatched, watched, with failing hooks.

A question is a line of JSON: ``program`` (a path), ``watch`` (null for none), ``fault`` (a function of nanlint's that
fails when it is called, as ``module:name``; null for none). The answer is one, too: what the program printed and how it
ended, whether the run is bad, what was alerted, and which functions of nanlint's were called.

The functions fail because the modules are loaded with a call of ``fault`` at the beginning of each. They need no word
of it, and so a new one cannot be forgotten.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

#: what fails, and where it is not looked for: what runs before and after the program, and not in it
FAILING = ("nanlint.runtime.adapters.", "nanlint.runtime.probing", "nanlint.runtime.arrays", "nanlint.runtime.frames")
NAME = "__nanlint_fault__"
#: runs are kept here
HERE = os.getcwd()
#: what must not fail, and is small for that: a mode of PyTorch's, in which two guards stand; what stands for a
#: compiled graph; where NumPy keeps what the program chose for errors; what JAX unpacks
TRUSTED = {
    "adapters.torch.compiled:Watched.__call__",
    "adapters.torch.compiled:Watched.__getattr__",
    "adapters.torch.compiled:Watched._call",
    "adapters.torch.eager:BirthMode.__torch_dispatch__",
    "adapters.torch.eager:BirthMode._should_skip_dynamo",
    "adapters.torch.eager:BirthMode.ignore_compile_internals",
    "adapters.numpy:_Chosen.write",
    "adapters.numpy:_Errors.chosen",
    "adapters.numpy:_Errors.told",
    "adapters.jax.calls:Calls.heard",
    "adapters.jax.calls:Heard.__init__",
    "adapters.jax.calls:_NotYet.is_enabled",
    "adapters.jax.calls:_NotYet.is_fdo_consumed",
    "adapters.jax.calls:_unpacked",
    "probing:probe",
    "probing:install",
    "frames:Users.__init__",
}


class InjectedError(Exception):
    """The failure of a hook."""


class Faults:
    """Which function fails now, and which were called."""

    def __init__(self) -> None:
        self.failing: str | None = None
        self.called: set[str] = set()

    def __call__(self, name: str) -> None:
        self.called.add(name)
        if name == self.failing:
            raise InjectedError(name)


FAULTS = Faults()


class Faulty(ast.NodeTransformer):
    """Puts a call at the beginning of each function."""

    def __init__(self, module: str) -> None:
        self._names = [module.removeprefix("nanlint.runtime.")]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._names.append(node.name)
        found = self.generic_visit(node)
        self._names.pop()
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._names.append(node.name)
        call = ast.Expr(self._call())
        self.generic_visit(node)
        self._names.pop()
        first = 1 if ast.get_docstring(node) is not None else 0
        node.body.insert(first, ast.copy_location(call, node.body[0]))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._names.append(f"lambda{node.lineno}")
        call = self._call()
        self.generic_visit(node)
        self._names.pop()
        node.body = ast.copy_location(ast.BoolOp(ast.Or(), [call, node.body]), node.body)
        return node

    def _call(self) -> ast.Call:
        name = ".".join(self._names[1:])
        return ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(f"{self._names[0]}:{name}")], [])


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of nanlint's whose functions can fail."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = Faulty(fullname).visit(ast.parse(self.get_data(path), path))
        code: CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[NAME] = FAULTS
        super().exec_module(module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds those modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(FAILING):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


def run(path: str, watch: str | None, fault: str | None) -> dict[str, Any]:
    """What became of a program."""
    from nanlint.runtime import importing, probing
    from nanlint.runtime.events import Alert
    from nanlint.runtime.options import Options
    from nanlint.runtime.recorder import Recorder
    from nanlint.runtime.runfile import read_run
    from nanlint.runtime.verdicts import Verdicts, verdicts_of

    FAULTS.failing, FAULTS.called = None, set()
    printed = io.StringIO()
    with open(path, "rb") as file:
        content = file.read()
    if watch is None:
        return {"ended": ended(compile(content, path, "exec", dont_inherit=True), path, printed), **told(printed)}
    directory = tempfile.mkdtemp(dir=HERE)
    filters = ("nonfinite",) if "filter" in os.path.basename(path) else ()
    options = Options(directory=directory, watch=watch, filters=filters)
    recorder = Recorder(options)
    code = importing.probed_code(content, path, recorder) or compile(content, path, "exec", dont_inherit=True)
    hook = importing.Hook(recorder)
    probing.install(recorder)
    FAULTS.failing = fault
    hook.install()
    how = ended(code, path, printed)
    recorder.end()
    FAULTS.failing = None
    hook.remove()
    for adapter in recorder.adapters:
        adapter.release()
    probing.install(None)
    alerts = [event.message for _, event in read_run(directory) if isinstance(event, Alert)]
    verdicts = verdicts_of(read_run(directory)) if fault is None else Verdicts()
    deaths = [death for _, _, death in verdicts.died] + [one.death for one in verdicts.findings if one.death]
    died = [(one.how, *(frame.line for frame in one.frames)) for one in deaths]
    answer = {"bad": verdicts.bad, "alerts": alerts, "died": died, "called": sorted(FAULTS.called - TRUSTED)}
    return {"ended": how, **told(printed), **answer}


def ended(code: CodeType, path: str, printed: io.StringIO) -> str:
    """How a program ended that prints here."""
    main = sys.modules["__main__"]
    module = sys.modules["__main__"] = ModuleType("__main__")
    module.__file__ = path
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(code, vars(module))
        except BaseException:
            return traceback.format_exc()
        finally:
            sys.modules["__main__"] = main
    return ""


def told(printed: io.StringIO) -> dict[str, str]:
    return {"printed": printed.getvalue()}


def main() -> None:
    """Answer."""
    for name in [name for name in sys.modules if name.startswith("nanlint")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    warnings.simplefilter("ignore")
    for framework in sys.argv[1:]:
        importlib.import_module(framework)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        answers.write(json.dumps(run(question["program"], question["watch"], question["fault"])) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
