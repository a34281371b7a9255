"""Find code that can produce NaN or Inf, show the cause, and rewrite it into a numerically stable form.

The public library. Importing it is cheap: the first call loads the program, and no numeric framework is ever imported.

PYTEST_DONT_REWRITE: what watches pytest is imported before it, and has no asserts for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nanlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from nanlint.config import Config
    from nanlint.diagnostic import Diagnostic
    from nanlint.lint.fixing import Fixed as FixResult
    from nanlint.lint.report import Report
    from nanlint.runtime.library import verify
    from nanlint.torch import watch

__all__ = [
    "Diagnostic",
    "FixResult",
    "Report",
    "__version__",
    "check_paths",
    "check_source",
    "fix_source",
    "verify",
    "watch",
]

_ELSEWHERE = {
    "Diagnostic": ("nanlint.diagnostic", "Diagnostic"),
    "FixResult": ("nanlint.lint.fixing", "Fixed"),
    "Report": ("nanlint.lint.report", "Report"),
    "verify": ("nanlint.runtime.library", "verify"),
    "watch": ("nanlint.torch", "watch"),
}


def check_source(text: str, path: str = "<string>", **config: Any) -> list[Diagnostic]:
    """The findings in ``text``, sorted by place.

    ``config`` takes the keys of ``[tool.nanlint]`` with underscores: ``select=["NL1"]``, ``confidence="possible"``.
    Raises nanlint.config.ConfigError for an unknown key, rule or value. No configuration file is read.
    """
    from nanlint.lint.one_file import diagnose_source
    from nanlint.source import Source

    return diagnose_source(Source(path, text.removeprefix("\ufeff")), config_of_keys(path, config))


def fix_source(text: str, path: str = "<string>", *, unsafe_fixes: bool = False, **config: Any) -> FixResult:
    """``text`` with its fixes applied (``.source.text``), what was ``.fixed`` and what is ``.remaining``.

    ``config`` and errors as in ``check_source``.
    """
    from nanlint.lint import one_file
    from nanlint.source import Source

    source = Source(path, text.removeprefix("\ufeff"))
    return one_file.fix_source(source, config_of_keys(path, config), unsafe=unsafe_fixes)


def check_paths(paths: Sequence[str], *, executor: Executor | None = None) -> Report:
    """Check files and directories under the configuration that is nearest to each.

    Runs in this process, or with an executor whose workers see the same files. Raises nanlint.config.ConfigError where
    that names rule files, and is not trusted (see `nanlint trust`).
    """
    from nanlint.config import Configs
    from nanlint.lint import known_rules, many_files

    return many_files.check(
        [str(path) for path in paths],
        Configs(known_rules.rule_names(), ops_problem=known_rules.ops_problem, rules_in=known_rules.rules_in),
        jobs=None if executor is not None else 1,
        executor=executor,
    )


def config_of_keys(path: str, values: dict[str, Any]) -> Config:
    """The configuration that keys of ``[tool.nanlint]`` with underscores make. Raises ConfigError."""
    import os

    from nanlint.config import Layer, config_of
    from nanlint.lint.known_rules import ops_problem, rule_names, rules_in

    table = {key.replace("_", "-"): value for key, value in values.items()}
    layer = Layer(table, os.getcwd(), "nanlint")
    config = config_of([layer], rule_names(), ops_problem=ops_problem, rules_in=rules_in)
    return config.for_file(os.path.abspath(path))


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        from importlib import import_module

        module, attribute = _ELSEWHERE[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
