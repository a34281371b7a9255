"""What is shown where the mouse rests: the page of a rule, a finding, the story of an expression. Pure."""

from __future__ import annotations

import ast
import re

from lsprotocol import types

from nanlint.config import Config
from nanlint.diagnostic import Annotation, Applicability, Diagnostic, Span
from nanlint.explaining import story_in_cells
from nanlint.hazards.story import Story, encloses, extent, is_step, one_of, places, tell
from nanlint.keys import KEYS
from nanlint.lint.known_rules import all_rules, rule_names
from nanlint.lint.one_file import room_to_recurse
from nanlint.output.address import rule_page
from nanlint.output.rules import render_rule
from nanlint.output.story import MOST, line_of, origins, sentences
from nanlint.rules.diagnose import analysed
from nanlint.selection import codes_of
from nanlint.server.actions import touching
from nanlint.server.checking import Checked
from nanlint.server.client import Client
from nanlint.server.joined import Joined
from nanlint.server.sheet import Sheet
from nanlint.source import Source
from nanlint.source.brief import brief
from nanlint.source.comments import read_comments
from nanlint.source.notebook import Notebook

#: what Markdown reads as more than itself, and how it is written to be itself
_SIGNS, _ESCAPED = re.compile(r"([\[\]*_<>])"), re.compile(r"\\([\[\]*_<>])")
_LISTED = 12  # rules of a prefix that are named
_CAUSES = 4  # of a finding that are shown, the nearest


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
    joined = source if isinstance(source, Joined) else None
    if findings:
        first, *others = (of_finding(source.in_cells(one), joined).splitlines() for one in findings)
        lines = [*first, *(other[0] for other in others)][:MOST]
        return hover("\n".join(lines), sheet.range(findings[0].span), client)
    story = story_at(source, config, row, column)
    if story is None:
        return None
    told = of_story(story_in_cells(source, story), lines=joined is None)
    return hover(told, sheet.range(story.step.span), client)


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


def of_finding(diagnostic: Diagnostic, joined: Joined | None = None) -> str:
    """One finding: what the frame of the command line says. In a joined text, places are named by their code."""
    link = f"[{diagnostic.code}]({rule_page(diagnostic.name)}) {diagnostic.name}"
    said = [f"**{_text(diagnostic.message)}** ({link}, {diagnostic.confidence})"]
    for cause in reversed(diagnostic.causes[:_CAUSES]):
        place = _where(cause) if joined is None or cause.path else f"`{_code(joined.segment(cause.span))}`"
        said.append(f"- {place}: {_text(cause.message)}")
    if diagnostic.effect:
        said.append(f"- here: {_text(diagnostic.effect)}")
    if diagnostic.witness is not None:
        said.append(f"- witness: `{_code(diagnostic.witness.text)}`")
    fix = diagnostic.fix
    if fix is not None:
        how = "suggestion only" if fix.applicability is Applicability.DISPLAY else str(fix.applicability)
        said.append(f"- fix ({how}): {_text(fix.message)}")
    return "\n".join(said)


def _where(cause: Annotation) -> str:
    line = line_of(cause.span)
    return f"{line} of {_text(cause.path)}" if cause.path else line


def story_at(source: Source, config: Config, row: int, column: int) -> Story | None:
    """The story of the smallest expression around a place that the analysis knows; that of its value for a name."""
    value = bound_at(source, row, column)
    if value is not None:
        row, column = value.row, value.column
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=range(row, row + 1))
        around = [
            (span, steps)
            for span, nodes in places(facts)
            if (encloses(span, row, column) if value is None else span == value)
            and (steps := [node for node in nodes if is_step(facts, node)])
        ]
        if not around:
            return None
        smallest = min(extent(span) for span, _ in around)
        nodes = [node for span, steps in around if extent(span) == smallest for node in steps]
        return tell(facts, one_of(facts, nodes))


def bound_at(source: Source, row: int, column: int) -> Span | None:
    """The value that the name at a place is bound to, if an assignment binds it there."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = [node.target]
        else:
            continue
        if any(encloses(source.span(one), row, column) for one in targets if isinstance(one, ast.Name)):
            return source.span(node.value)  # type: ignore[arg-type]
    return None


def of_story(story: Story, *, lines: bool) -> str:
    """The expression, where it breaks, what it can be, and the steps that lead to it.

    Without ``lines``, the numbers of lines are left out.
    """
    said = [*sentences(story, places=lines)]
    if lines:
        said += origins(story, most=MOST - 1 - len(said))
    return "\n".join([f"`{_code(brief(story.step.text))}`", *(f"- {_text(line)}" for line in said)])


def _text(text: str) -> str:
    """Text for Markdown, in which an interval is no link and a product no emphasis; code in it stays code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else _SIGNS.sub(r"\\\1", part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    """Text for a stretch of code in Markdown: on one line, without what would end the stretch."""
    return " ".join(text.split()).replace("`", "'")
