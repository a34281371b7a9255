"""``nanlint new-rule``: a rule file, its page and its test, to start from."""

from __future__ import annotations

import glob
import os
import re
from contextlib import suppress

import click

from nanlint.commands.base import Unusable, config_for, say, trust_option
from nanlint.commands.manual import Command
from nanlint.disk import read_regular, reason
from nanlint.source.writing import target_of, write_whole

_DIRECTORY = os.path.join("tools", "nanlint_rules")
_PREFIX = "OWN"


@click.command(
    "new-rule",
    cls=Command,
    short_help="Create a custom rule, its page and its test.",
    examples=(
        (
            "nanlint new-rule log-of-counts",
            f"Write log_of_counts.py and its page in {_DIRECTORY}, and tests/test_log_of_counts.py.",
        ),
        ("nanlint new-rule log-of-counts --code ACME101 --path lint", "Choose the code and the directory."),
    ),
    exit_codes=(("0", "Written."), ("2", "Nothing was written: a file exists already, or the name is not allowed.")),
)
@click.argument("name")
@click.option("--code", help=f"The rule's code: your prefix and a number.  [default: {_PREFIX}101, or the next]")
@click.option("--path", type=click.Path(), help=f"Directory for the rule file.  [default: {_DIRECTORY}]")
@click.option("--tests", type=click.Path(), default="tests", show_default=True, help="Directory for the test.")
@trust_option
def new_rule(name: str, code: str | None, path: str | None, tests: str) -> None:
    """Create a rule called NAME, its page, and a test for it, which passes. Existing files are not overwritten.

    The rule finds logarithms of values that reach 0. Change its code, its message and its page. The guide for authors
    explains how: https://nanlint.readthedocs.io/authors/
    """
    from nanlint.output.scaffold import render_rule_file, render_rule_page, render_test_file
    from nanlint.plugins import check_identity
    from nanlint.rules import RULES
    from nanlint.trust import is_trusted

    here = os.getcwd()
    config = config_for(here)
    name = name.strip().lower().replace("_", "-")
    known = [os.path.dirname(file) for file in _named(config.file)]
    directory = path or (os.path.relpath(known[0]) if known else _DIRECTORY)
    chosen = (code or _next_code([*RULES, *_codes_in(directory)])).upper()
    check_identity(chosen, name)
    stem = name.replace("-", "_")
    rule_file = os.path.join(directory, f"{stem}.py")
    files = {
        rule_file: render_rule_file(chosen, name),
        os.path.join(directory, f"{name}.md"): render_rule_page(name),
        os.path.join(tests, f"test_{stem}.py"): render_test_file(chosen, name, os.path.relpath(rule_file, tests)),
    }
    _write_new(files)
    say("\n".join(f"wrote {file}" for file in files))
    if os.path.abspath(rule_file) not in _named(config.file):
        pattern = f"{directory.replace(os.sep, '/')}/*.py"
        say(f'\nTo use it, add it to the configuration:\n\n[tool.nanlint]\nrules = ["{pattern}"]')
    if not is_trusted(config.file or here):
        say("\nRule files are code, and run only in projects that you trust:\n\nnanlint trust")


def _next_code(codes: list[str]) -> str:
    """The code after the last one with the prefix that is proposed."""
    numbers = [int(match[1]) for code in codes if (match := re.fullmatch(rf"{_PREFIX}(\d+)", code))]
    return f"{_PREFIX}{max(numbers, default=100) + 1}"


def _codes_in(directory: str) -> list[str]:
    """The codes that the files of a directory seem to hold, which no configuration may name yet."""
    found: list[str] = []
    for path in glob.glob(os.path.join(glob.escape(directory), "*.py")):
        with suppress(OSError):
            found += re.findall(rf'"({_PREFIX}\d+)"', read_regular(path).decode("utf-8", "replace"))
    return found


def _named(config_file: str | None) -> tuple[str, ...]:
    """The rule files that the configuration names, now that one was written."""
    from nanlint.config import ConfigError, read_table
    from nanlint.plugins import rule_files

    if config_file is None:
        return ()
    try:
        patterns = (read_table(config_file) or {}).get("rules", [])
        return rule_files(patterns, os.path.dirname(config_file))
    except ConfigError:
        return ()


def _write_new(files: dict[str, str]) -> None:
    for path in files:
        if os.path.lexists(path):
            raise Unusable(f"{path}: exists already; nothing was written")
    written: list[str] = []
    for path, text in files.items():
        try:
            target_of(path)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            write_whole(path, text.encode())
            written.append(path)
        except OSError as error:
            for other in written:
                os.unlink(other)
            raise Unusable(f"{path}: could not be written: {reason(error)}") from None
