"""``nanlint rule``: the pages of the rules."""

from __future__ import annotations

import sys

import click

from nanlint.commands.base import Unusable
from nanlint.commands.completion import complete_rules
from nanlint.commands.manual import Command


@click.command(
    cls=Command,
    short_help="Explain a rule, or all rules.",
    examples=(
        ("nanlint rule where-gradient", "The page of a rule."),
        ("nanlint rule --all --output-format json", "All of them, for a program."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such rule.")),
)
@click.argument("code_or_name", required=False, shell_complete=complete_rules)
@click.option("--all", "every", is_flag=True, help="Explain every rule.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the page is printed.",
)
def rule(code_or_name: str | None, every: bool, output_format: str) -> None:
    """Explain the rule with this CODE or NAME, or --all rules."""
    from nanlint.linter import all_rules
    from nanlint.output.rules import render_rule, render_rule_json, render_rules_json
    from nanlint.selection import did_you_mean

    rules = all_rules()
    if every == (code_or_name is not None):
        raise click.UsageError("give the code or the name of one rule, or --all")
    if every:
        in_order = [rules[code] for code in sorted(rules)]
        as_json = output_format == "json"
        _print_page(render_rules_json(in_order) if as_json else "\n".join(map(render_rule, in_order)), not as_json)
        return
    wanted = str(code_or_name)
    for one in rules.values():
        if wanted.upper() == one.code or wanted.lower() == one.name:
            as_json = output_format == "json"
            _print_page(render_rule_json(one) if as_json else render_rule(one), not as_json)
            return
    names = [one.name for one in rules.values()]
    raise Unusable(f'unknown rule "{wanted}"{did_you_mean(wanted, [*rules, *names])}')


def _print_page(text: str, is_markdown: bool) -> None:
    if is_markdown and sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        click.echo(text, nl=False)
