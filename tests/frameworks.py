"""Frameworks that tests run in their own process, imported by the first test that does: to collect tests takes none."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class Lazy:
    """Stands for a module, or for a class in it, until something of it is asked for."""

    def __init__(self, module: str, name: str = "") -> None:
        self.__module, self.__name = module, name

    def __it(self) -> Any:
        module = import_module(self.__module)
        return getattr(module, self.__name) if self.__name else module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_mock_name":  # what pytest asks of all that is in a module
            raise AttributeError(name)
        return getattr(self.__it(), name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.__it()(*arguments, **keywords)


def lazily(module: str, name: str = "") -> Any:
    """A module, or something in it. A test module that asks for what is not installed is skipped."""
    if find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"{module} is not installed", allow_module_level=True)
    return Lazy(module, name)
