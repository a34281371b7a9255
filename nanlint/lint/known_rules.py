"""The rules that there are: nanlint's own, those of plugins and of rule files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from nanlint.config import Config, ConfigError
from nanlint.entry_points import installed
from nanlint.housekeeping import HOUSEKEEPING, RulePage
from nanlint.source.discovery import shown_path
from nanlint.source.roots import ROOTS


def all_rules() -> Mapping[str, RulePage]:
    """Every rule by its code, those about the check itself first."""
    from nanlint.plugins import load_installed
    from nanlint.rules import RULES

    load_installed()
    return {**HOUSEKEEPING, **RULES}


def rules_in(patterns: Sequence[str], root: str, file: str | None) -> tuple[tuple[str, ...], Mapping[str, str]] | None:
    """The rule files that a configuration in ``root`` names, and the rules that they hold; None if it is not trusted.

    ``file``: where the configuration stands, if it is not the caller's own. Raises ConfigError.
    """
    from nanlint.plugins import load_files, rule_files
    from nanlint.trust import is_trusted

    if file is not None and not is_trusted(file):
        return None
    files = rule_files(patterns, root)
    return files, load_files(files)


def without_rules(config: Config) -> str:
    """That the rule files of a configuration were not loaded, and what to do about it."""
    directory = os.path.dirname(config.file or "")
    named = ", ".join(f'"{pattern}"' for pattern in config.untrusted)
    return (
        f"{shown_path(config.file or '')}: the rules {named} were not loaded: rule files are code that nanlint "
        "would run, and "
        f"{directory} is not trusted; if you trust it, run `nanlint trust {shlex.quote(directory)}` once, "
        "or use --trust"
    )


def reject_untrusted(configs: Iterable[Config]) -> None:
    """Raise ConfigError for the first configuration that is not followed, so that nothing passes without its rules."""
    for config in configs:
        if config.untrusted:
            raise ConfigError(without_rules(config))


def rule_names(files: Sequence[str] = ()) -> Mapping[str, str]:
    """Code -> name: our own rules, those of installed packages and those in rule files. Raises ConfigError."""
    from nanlint.plugins import is_file, load_files

    shared = {code: rule.name for code, rule in all_rules().items() if not is_file(code)}
    return {**shared, **load_files(files)} if files else shared


def ops_problem(ops: Mapping[str, object]) -> str | None:
    """What is wrong with the user's part of the catalogue, if anything."""
    from nanlint.ops.catalogue import catalogue
    from nanlint.ops.spelling import SpellingError

    try:
        catalogue(ops)
    except SpellingError as error:
        return str(error)
    return None


def runs(config: Config) -> Callable[[str], bool]:
    """Which rules run, by code: those that are selected, and our own that are ignored.

    An ignored rule claims its hazards, so that no other rule reports them; ``_shown`` leaves out its findings.
    """
    from nanlint.rules import RULES

    names = rule_names(config.rule_files)

    def is_run(code: str) -> bool:
        known = RULES.get(code)
        if code not in names or (known is not None and known.preview and not config.preview):
            return False
        return config.selects(code) or (code in config.ignored and known is not None and not known.origin)

    return is_run


def roots_of(config: Config) -> tuple[str, ...]:
    """The packages that make a file worth parsing: the frameworks, and those of the user's own ops."""
    return (*ROOTS, *_roots_of_plugins(config), *(name.partition(".")[0] for name in config.ops))


def _roots_of_plugins(config: Config) -> Collection[str]:
    """The packages whose functions plugins spell; where there are no plugins, the catalogue is not loaded."""
    if not installed() and not config.rule_files:
        return ()
    from nanlint.ops.catalogue import plugin_roots
    from nanlint.plugins import load_installed

    load_installed()
    return plugin_roots()
