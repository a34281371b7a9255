"""What is shown where the mouse rests: the page of a rule, a finding, the record of an expression. Pure."""

from __future__ import annotations

import re

from lsprotocol import types

from nanlint.diagnostic import Applicability, Diagnostic, Span
from nanlint.explaining import Explanation, explain
from nanlint.keys import KEYS
from nanlint.lint.known_rules import all_rules, rule_names
from nanlint.output.address import rule_page
from nanlint.output.explanation import MOST, sentences
from nanlint.output.rules import render_rule
from nanlint.selection import codes_of
from nanlint.server.actions import touching
from nanlint.server.checking import Checked
from nanlint.server.client import Client
from nanlint.server.joined import Joined
from nanlint.server.sheet import Sheet
from nanlint.source import Source
from nanlint.source.comments import read_comments
from nanlint.source.notebook import Notebook

#: what Markdown reads as more than itself, and how it is written to be itself
_SIGNS, _ESCAPED = re.compile(r"([\[\]*_<>])"), re.compile(r"\\([\[\]*_<>])")
_LISTED = 12  # rules of a prefix that are named
#: lines of a record that a finding says by itself
_TOLD = ("Reported", "Not reported", "Value")


def hover(text: str, range: types.Range, client: Client) -> types.Hover:
    """Markdown where the client shows it; the same as plain text elsewhere."""
    kind = types.MarkupKind.Markdown if client.markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text if client.markdown else _ESCAPED.sub(r"\1", text)), range)


def hover_at(checked: Checked, sheet: Sheet, uri: str, position: types.Position, client: Client) -> types.Hover | None:
    """What there is to say at a position: of a rule that a comment names, else of findings and of the expression."""
    row, column = sheet.place(uri, position)
    source, config = checked.source, checked.held.config
    named = selector_in_comment(source, row, column)
    if named is not None:
        text = of_selector(named[0])
        return hover(text, sheet.range(named[1]), client) if text is not None else None
    if config is None or not parses(source):
        return None
    findings = touching(checked.diagnostics, Span(row, column, row, column))
    at = findings[0].span if findings else Span(row, column, row, column)
    numbered = not isinstance(source, Joined)
    told = explain(source, config, at.row, at.column, checked.diagnostics, numbered=numbered)
    if not findings:
        text = "\n".join([f"`{_code(told[0].text)}`", *map(item, sentences(told[0]))]) if told else ""
        return hover(text, sheet.range(told[0].span), client) if told else None
    first = of_finding(findings[0], told[0] if told else None)
    others = [of_finding(one, None).splitlines()[0] for one in findings[1:]]
    return hover("\n".join([*first.splitlines(), *others][:MOST]), sheet.range(at), client)


def parses(source: Source) -> bool:
    """Whether there is a tree to ask: in a notebook, of the cells that parse."""
    return not source.failures or isinstance(source, Notebook)


# Rules


def selector_in_comment(source: Source, row: int, column: int) -> tuple[str, Span] | None:
    """The code or name in a suppression comment at a place."""
    for suppression in read_comments(source, rule_names()).suppressions:
        for item in suppression.items or ():
            span = Span(suppression.span.row, item.column, suppression.span.row, item.column + len(item.text))
            if span.row == row and span.column <= column <= span.end_column:
                return item.text, span
    return None


def of_selector(selector: str) -> str | None:
    """The page of a rule by its code or name; of a prefix the rules that it means; None for what means none."""
    rules = all_rules()
    codes = sorted(codes_of(selector, rule_names()))
    if len(codes) == 1:
        rule = rules[codes[0]]
        return f"{render_rule(rule)}\n[{rule.name}]({rule_page(rule.name)})"
    if not codes:
        return None
    listed = [f"- [{code}]({rule_page(rules[code].name)}) {rules[code].name}: {rules[code].summary}" for code in codes]
    more = [f"- and {len(listed) - _LISTED} others"] if len(listed) > _LISTED else []
    return "\n".join([f"**{selector}** selects {len(codes)} rules", "", *listed[:_LISTED], *more])


def of_key(name: str) -> str:
    key = KEYS[name]
    held = f"- type: {key.kind}\n- default: `{key.default_shown}`"
    return f"**{key.name}**\n\n{key.about}\n\n{held}\n\n```toml\n{key.example}\n```"


# Findings and expressions


def of_finding(diagnostic: Diagnostic, explained: Explanation | None) -> str:
    """One finding: the record of its place, the witness and the fix."""
    link = f"[{diagnostic.code}]({rule_page(diagnostic.name)}) {diagnostic.name}"
    said = [f"**{_text(diagnostic.message)}** ({link}, {diagnostic.confidence})"]
    fix, witness = diagnostic.fix, diagnostic.witness
    last = [f"- witness: `{_code(witness.text)}`"] if witness is not None else []
    if fix is not None:
        how = "suggestion only" if fix.applicability is Applicability.DISPLAY else str(fix.applicability)
        last.append(f"- fix ({how}): {_text(fix.message)}")
    record = [] if explained is None else [one for one in sentences(explained) if not one.startswith(_TOLD)]
    return "\n".join([*said, *map(item, record[: MOST - len(said) - len(last)]), *last])


def item(text: str) -> str:
    return f"- {_text(text)}"


def _text(text: str) -> str:
    """Text for Markdown, in which an interval is no link and a product no emphasis; code in it stays code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else _SIGNS.sub(r"\\\1", part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    """Text for a stretch of code in Markdown: on one line, without what would end the stretch."""
    return " ".join(text.split()).replace("`", "'")
