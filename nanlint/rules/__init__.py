"""The rules: one file each. Importing this package enters them all in RULES."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from nanlint.rules.registry import RULES, Rule

_NOT_RULES = {"diagnose", "registry"}

for _module in iter_modules(__path__):
    if _module.name not in _NOT_RULES:
        import_module(f"{__name__}.{_module.name}")

from nanlint.rules.diagnose import diagnose  # noqa: E402  (the rules must be entered first)

__all__ = ["RULES", "Rule", "diagnose"]
