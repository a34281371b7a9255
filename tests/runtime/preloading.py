"""Frameworks that a process has imported once, which its forks import in no time.

``import torch`` in a fork takes its way past all finders and loaders, as nanlint's, and gets a module that has run
already; so do those that it imports. What a fork has not imported is not in its ``sys.modules``.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

#: what programs under test import that takes long; the parts of PyTorch are those of its optimizers and compiler
NAMES = ("numpy", "scipy.special", "torch", "torch._dynamo", "torch._inductor.compile_fx", "jax", "optax", "tensorflow")
#: variables that begin so are read by no framework when it is imported
UNREAD = ("NANLINT", "PYTEST", "PYTHON", "TESTS_SEED", "XDG_")


class Preloaded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules, and hides them until they are imported again."""

    def __init__(self, names: Sequence[str]) -> None:
        environment = read(os.environ)
        before = set(sys.modules)
        requested: dict[str, dict[str, None]] = defaultdict(dict)  # by the module whose code had them imported
        plain, plain_by_name = builtins.__import__, importlib.import_module

        def note(*modules: str) -> None:
            """Modules were imported, with the packages that they are in, for the sake of the code of another."""
            frame = sys._getframe(2)
            while frame.f_back and (frame.f_code.co_name != "<module>" or "__name__" not in frame.f_globals):
                frame = frame.f_back
            for module in modules:
                whole = (module[:end] for end, letter in enumerate(f"{module}.") if letter == ".")
                requested[frame.f_globals.get("__name__", "")].update(dict.fromkeys(whole))

        def by_statement(
            name: str, globals_: Any = None, locals_: Any = None, fromlist: Sequence[str] = (), level: int = 0
        ) -> ModuleType:
            module = plain(name, globals_, locals_, fromlist or (), level)
            if level:
                name = importlib.util.resolve_name("." * level + name, (globals_ or {}).get("__package__") or "")
            note(name, *(f"{name}.{one}" for one in fromlist or () if f"{name}.{one}" in sys.modules))
            return module

        def by_name(name: str, package: str | None = None) -> ModuleType:
            module = plain_by_name(name, package)
            note(importlib.util.resolve_name(name, package))
            return module

        builtins.__import__, importlib.import_module = by_statement, by_name
        try:
            for name in names:
                with contextlib.suppress(ImportError):
                    plain_by_name(name)
        finally:
            builtins.__import__, importlib.import_module = plain, plain_by_name
        own = [one for one in sys.modules if one not in before and top(one) not in sys.stdlib_module_names]
        #: what it has imported, by name
        self.modules = {name: sys.modules.pop(name) for name in own}
        self._requested = {one: [n for n in requested[one] if n in self.modules] for one in own if one in requested}
        sought = {*names, *(name for asked in requested.values() for name in asked)}
        for name in own:
            if name not in sought and "." in name:  # entered by hand
                self._requested.setdefault(name.rpartition(".")[0], []).append(name)
        #: variables that an import sets are those of a process that has imported it, too
        self._set = {name for name, value in read(os.environ).items() if environment.get(name) != value}
        self._environment = {name: value for name, value in environment.items() if name not in self._set}
        self._loaders: dict[str, Any] = {}

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Whether the modules would be the same if they were imported in an environment."""
        return {name: value for name, value in read(environment).items() if name not in self._set} == self._environment

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What was found when it was imported first."""
        module = self.modules.get(fullname)
        beside = importlib.machinery.PathFinder.find_spec(fullname, sys.path[:1]) if path is None else None
        if module is None or (beside is not None and beside.loader is not None):  # of the program's own
            return None
        spec = getattr(module, "__spec__", None) or importlib.machinery.ModuleSpec(fullname, None)
        self._loaders[fullname], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module, which has run."""
        return self.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Import what it imported."""
        name = module.__spec__.name if module.__spec__ else module.__name__
        if module.__spec__ is not None:
            module.__spec__.loader = self._loaders[name]
        self._restore(name)

    def _restore(self, name: str) -> None:
        for other in self._requested.get(name, ()):
            if other not in sys.modules:
                if "." in other:
                    sys.modules[other] = self.modules[other]
                    self._restore(other)
                else:
                    importlib.import_module(other)


def top(name: str) -> str:
    """The package of a module."""
    return name.partition(".")[0]


def read(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that an import may depend on."""
    return {name: value for name, value in environment.items() if not name.startswith(UNREAD)}
