"""What astroid infers where the index of names ends: members of enums, and what a metaclass computes.

astroid is given the files of the project as the view has read them, and nothing else: it does not look for modules, and
imports none. It is asked last, and a limited number of times.
"""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nanlint.source.project import Module, View

if TYPE_CHECKING:
    from astroid import nodes

#: expressions of a file that astroid is asked about, and files that it is given for them
MAX_ASKED, MAX_GIVEN = 40, 5
#: characters of one of these; it takes some 10 ms for a thousand
MAX_TEXT = 40_000
#: what of the standard library it must know to tell an enum
_STUBS = {
    "enum": "class EnumMeta(type):\n    pass\nclass Enum(metaclass=EnumMeta):\n    pass\n"
    + "".join(
        f"class {name}({bases}):\n    pass\n" for name, bases in (("IntEnum", "int, Enum"), ("StrEnum", "str, Enum"))
    )
    + "".join(f"class {name}({bases}):\n    pass\n" for name, bases in (("Flag", "Enum"), ("IntFlag", "int, Flag")))
}
#: astroid has one manager for all threads
_turn = threading.Lock()


class Inference:
    """What astroid infers at the top level of a file (``own``), and of the others that it sees."""

    def __init__(self, view: View, own: Module) -> None:
        self.own = own
        self._view = view
        self._given: dict[str, nodes.Module] = {}
        self._numbers: dict[tuple[str, str], float | None] = {}

    def number(self, module: Module, written: str) -> float | None:
        """The one number that an expression has at the end of a module; None where it has none, or several."""
        asked = module.path, written
        if asked not in self._numbers:
            self._numbers[asked] = self._inferred(module, written) if len(self._numbers) < MAX_ASKED else None
        return self._numbers[asked]

    def _inferred(self, module: Module, written: str) -> float | None:
        try:
            from astroid import extract_node

            with _turn, self._asked():
                there = self._module(module)
                statement = extract_node("\n" * there.tolineno + f"_ = {written}")  # below all others
                statement.parent = there
                found = {getattr(one, "value", None) for one in statement.value.infer()}
        except Exception:  # what astroid does not understand, it may say in any way; a browser has none
            return None
        number = found.pop() if len(found) == 1 else None
        return number if isinstance(number, int | float) else None

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Within, astroid knows the files of the project, and Python's builtins."""
        from astroid.manager import AstroidManager

        shared: dict[str, Any] = AstroidManager.brain  # what all managers have
        if "builtins" not in shared["astroid_cache"]:
            AstroidManager().bootstrap()
        before, found = shared["astroid_cache"], AstroidManager.ast_from_module_name
        shared["astroid_cache"] = {"builtins": before["builtins"]}
        AstroidManager.ast_from_module_name = self._imported
        try:
            yield
        finally:
            shared["astroid_cache"] = before
            AstroidManager.ast_from_module_name = found

    def _imported(self, name: str, *_: object, **__: object) -> nodes.Module:
        """A module, for astroid; here is the only place where it asks for one."""
        from astroid.exceptions import AstroidImportError
        from astroid.manager import AstroidManager

        if name == "builtins":
            return AstroidManager().builtins_module
        if name in _STUBS:
            return _built(_STUBS[name], name, "")
        module = self._view.module(name)
        if module is None:
            raise AstroidImportError(f"{name} is not of this project", modname=name)
        return self._module(module)

    def _module(self, module: Module) -> nodes.Module:
        from astroid.exceptions import AstroidImportError

        if module.path not in self._given:
            name = os.path.splitext(os.path.basename(module.path))[0]
            read = self._view.sources.get(module.path)
            text = read.text if read is not None else ast.unparse(module.tree)
            if len(self._given) >= MAX_GIVEN or len(text) > MAX_TEXT:
                raise AstroidImportError(f"{module.path} is one file too many", modname=module.name)
            self._given[module.path] = _built(text, ".".join((*module.package, name)), module.path)
        return self._given[module.path]


def _built(text: str, name: str, path: str) -> nodes.Module:
    from astroid.builder import AstroidBuilder
    from astroid.manager import AstroidManager

    return AstroidBuilder(AstroidManager()).string_build(text, name, path)
