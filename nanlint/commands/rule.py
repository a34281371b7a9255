"""``nanlint rule``: the pages of the rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    Unusable,
    complete_rules,
    config_for,
    deliver,
    format_option,
    output_option,
    trust_option,
)
from nanlint.commands.manual import Command
from nanlint.refused import Refused
from nanlint.selection import codes_of, did_you_mean

if TYPE_CHECKING:
    from nanlint.housekeeping import RulePage


@click.command(
    cls=Command,
    short_help="Explain a rule, or list all rules.",
    examples=(
        ("nanlint rule", "List all rules, one per line."),
        ("nanlint rule where-gradient", "Print the page of a rule."),
        ("nanlint rule --all --output-format json", "Print all pages as JSON."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such rule.")),
)
@click.argument("code_or_name", required=False, shell_complete=complete_rules)
@click.option("--all", "every", is_flag=True, help="Explain every rule.")
@format_option
@output_option
@trust_option
def rule(code_or_name: str | None, every: bool, output_format: str, output_file: str | None) -> None:
    """Explain the rule with this CODE or NAME, or list all rules."""
    from nanlint.output.rules import render_rule, render_rule_json, render_rule_list, render_rules_json

    if every and code_or_name is not None:
        raise click.UsageError("--all cannot be combined with the code or name of a rule")
    rules, broken = _known_rules()
    as_json = output_format == "json"
    if code_or_name is None:
        if broken:
            raise Unusable(broken)
        shown = [rules[code] for code in sorted(rules)]
        text = render_rules_json(shown) if as_json else "" if every else render_rule_list(shown)
    else:
        shown = [one for one in rules.values() if code_or_name.upper() == one.code or code_or_name.lower() == one.name]
        if not shown:
            raise Unusable(broken or _unknown(code_or_name, {code: one.name for code, one in rules.items()}))
        text = render_rule_json(shown[0]) if as_json else ""
    if text:
        deliver(text, output_file)
    else:
        _print_page("\n".join(map(render_rule, shown)), output_file)


def _unknown(wanted: str, names: Mapping[str, str]) -> str:
    group = sorted(codes_of(wanted, names))
    if group:
        return f"{wanted} is a group of rules; name one: {', '.join(group)}"
    return f'unknown rule "{wanted}"{did_you_mean(wanted, [*names, *names.values()])}'


def _known_rules() -> tuple[Mapping[str, RulePage], str]:
    """The rules that count in this directory, plugins' too; and what keeps some of those from being known."""
    from nanlint.housekeeping import HOUSEKEEPING
    from nanlint.rules import RULES

    broken = ""
    try:
        config_for(os.getcwd())
    except (Unusable, Refused) as error:
        broken = str(error)
    return {**HOUSEKEEPING, **RULES}, broken


def _print_page(text: str, output_file: str | None) -> None:
    """Markdown, laid out where it goes to a terminal."""
    if output_file is None and sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        deliver(text, output_file)
