"""Why a rule does or does not fire at a place: the record of the expression there, and the answer of every rule.

The answers are those of the rules themselves, asked as `nanlint check` asks them; what became of a finding after that
(not selected, not sure enough, silenced) is read off the configuration and the comments.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nanlint.config import Config
from nanlint.diagnostic import Confidence, Diagnostic, Span
from nanlint.graph.node import RETURNED, Node
from nanlint.hazards.expressions import (
    HOLDERS,
    is_numeric,
    is_told,
    nodes_at,
    nodes_of_line,
    places,
    written,
)
from nanlint.hazards.facts import Facts
from nanlint.hazards.level import ROWS, Level
from nanlint.hazards.record import Hazard
from nanlint.hazards.telling import Found, Line, Telling
from nanlint.lint.known_rules import rule_names, runs
from nanlint.lint.one_file import diagnose_source, room_to_recurse
from nanlint.ops.op import OPS
from nanlint.ops.value import NEVER, Reach, Value
from nanlint.refused import Refused
from nanlint.rules import RULES
from nanlint.rules.diagnose import NO_FORM, Answer, analysed, answers, draft, silent
from nanlint.rules.registry import Rule
from nanlint.selection import did_you_mean
from nanlint.source import Source
from nanlint.source.suppression import silencing
from nanlint.source.syntax import definitions

_LISTED = 12  # functions that are named where one is not found

#: what becomes of a rule at a place
FIRES, HIDDEN, SILENCED, UNSELECTED, SILENT = "fires", "below-threshold", "suppressed", "not-selected", "silent"


@dataclass(frozen=True)
class Verdict:
    """What becomes of one rule at an expression, and why.

    ``outcome``: "fires", "below-threshold", "suppressed", "not-selected" or "silent". ``confidence``, the ``row`` that
    decided it, and ``message`` are those of its finding, if it has one; ``refused``: why the fix of that is not made.
    """

    code: str
    name: str
    outcome: str
    why: str
    confidence: Confidence | None = None
    row: str = ""
    message: str = ""
    refused: str = ""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The record of one expression, and the verdict of each rule that could apply to its op, those that fire first.

    ``span`` is its place in the cell of a notebook, or in the text of another source.
    """

    text: str
    span: Span
    node: Node
    value: Value
    framework: str
    lines: tuple[Line, ...]
    verdicts: tuple[Verdict, ...]


def explain(
    source: Source,
    config: Config,
    row: int,
    column: int | None = None,
    found: Sequence[Diagnostic] | None = None,
    *,
    numbered: bool = True,
) -> list[Explanation]:
    """The expression at a position; without a column those that are flagged on the line, or all numeric ones.

    Empty where nothing numeric stands. ``config`` is that of the file, ``found`` the findings of a check of it, if
    there was one. ``numbered``: places are told with their lines. Raises Unparsable for what is not Python.
    """
    source.tree  # noqa: B018  parsing is lazy, and its failure is the first thing to say
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=range(row, row + 1))
        if column is not None:
            chosen = [nodes] if (nodes := nodes_at(facts, row, column)) else []
        else:
            chosen = flagged_on(facts, config, row) or nodes_of_line(facts, row)
        found = diagnose_source(source, config) if found is None else found
        return [explanation(facts, config, one_of(facts, nodes), found, numbered=numbered) for nodes in chosen]


def numeric_rows(source: Source, config: Config) -> list[int]:
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=range(1, len(source.lines) + 1))
        return sorted({span.row for span, nodes in places(facts) if any(is_numeric(node) for node in nodes)})


class NoSuchFunction(Refused):
    """A file has no function of the name asked for; the message names the nearest."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A function as it is drawn: its nodes, the calls behind which they are seen, and which are returned.

    ``found`` and ``causes``: findings by the place that they are about, or that makes them so.
    """

    title: str
    facts: Facts
    calls: tuple[ast.AST, ...]
    inside: Sequence[Node]
    returned: Sequence[Node]
    found: Mapping[Span | None, list[Diagnostic]]
    causes: Collection[Span | None]


def drawn(source: Source, config: Config, name: str) -> Drawn:
    """The dataflow of a function by its qualified name, or of the module level ("").

    Raises Unparsable for what is not Python, and NoSuchFunction.
    """
    functions = {known: d for known, d in definitions(source.tree) if not isinstance(d, ast.ClassDef)}
    if name and name not in functions:
        hint = did_you_mean(name, functions)
        listed = "" if hint or not functions else f"; it has {', '.join(list(functions)[:_LISTED])}"
        raise NoSuchFunction(f"{source.path}: no function {name}{hint}{listed}")
    rows = {key: set(range(d.lineno, (d.end_lineno or d.lineno) + 1)) for key, d in functions.items()}
    own = rows[name] if name else set(range(1, len(source.lines) + 1)).difference(*rows.values())
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=own)
        here = [n for n in facts.lowering.graph if is_told(n) and getattr(n.site, "lineno", 0) in own]
        calls = min((n.calls for n in here if n.op in OPS), key=len, default=())
        here = [n for n in here if n.calls == calls]
        ways = facts.lowering.escapes
        found: dict[Span | None, list[Diagnostic]] = {}
        for one in (diagnostics := diagnose_source(source, config)):
            found.setdefault(one.probe.span if one.probe else one.span, []).append(one)
        return Drawn(
            f"{source.path}:{name}" if name else source.path,
            facts,
            calls,
            here,
            [n for n in here if RETURNED in [ways.get(u.index) for u in (n, *n.users) if u is n or u.op in HOLDERS]],
            found,
            {cause.span for one in diagnostics for cause in one.causes_here},
        )


def flagged_on(facts: Facts, config: Config, row: int) -> list[list[Node]]:
    """The nodes of the expressions on a line of which some selected rule has a finding, however unsure."""
    found: dict[Span, list[Node]] = {}
    for answer in answers(facts, lambda rule: runs(config)(rule.code)):
        for finding in answer.findings:
            span = facts.span_of(finding.site)
            if span is not None and span.row <= row <= span.end_row:
                found.setdefault(span, []).append(finding.node)
    return [found[span] for span in sorted(found)]


def one_of(facts: Facts, nodes: list[Node]) -> Node:
    """Of the nodes of one expression the one to tell of: with the surest hazard, then reached through fewest calls."""

    def rank(node: Node) -> tuple[int, int, int]:
        met = [one.reach for one in facts.hazards.weighed(node) if isinstance(one, Hazard)]
        return -max(met, default=NEVER), len(node.calls), node.index

    return min(nodes, key=rank)


def explanation(
    facts: Facts, config: Config, node: Node, found: Sequence[Diagnostic], *, numbered: bool
) -> Explanation:
    """What is known of a node; ``found`` are the findings of the file."""
    alike = {n.index for n in facts.lowering.graph if n.site is node.site and n.op == node.op}
    span = facts.span(node)
    of_rule: dict[str, list[Answer]] = {}
    for answer in answers(facts, lambda rule: runs(config)(rule.code)):
        if answer.node.index in alike or any(facts.span_of(one.site) == span for one in answer.findings):
            of_rule.setdefault(answer.rule.code, []).append(answer)
    # where rules are silent, what they said of this very node counts, not of the same in another call
    of_rule = {code: [one for one in of if one.node is node or one.findings] or of for code, of in of_rule.items()}
    known = rule_names(config.rule_files)
    concerned = [r for r in RULES.values() if r.code in known and (node.op in r.hazards | r.nodes or r.code in of_rule)]
    order = (FIRES, HIDDEN, SILENCED, UNSELECTED, SILENT)
    verdicts = sorted(
        (verdict(facts, config, rule, of_rule.get(rule.code, []), found) for rule in concerned),
        key=lambda one: (order.index(one.outcome), one.code),
    )
    first = verdicts[0].code if verdicts and verdicts[0].confidence is not None else ""
    finding = max((f for a in of_rule.get(first, []) for f in a.findings), key=lambda f: f.confidence, default=None)
    found_there = None
    if finding is not None and (sure := verdicts[0].confidence) is not None:
        row = verdicts[0].row
        judged = Level(Reach(sure + 1), row, ROWS[row].why if row in ROWS else finding.level.why)
        effect = finding.effect or finding.message
        found_there = Found(finding.hazard, finding.judged, judged, effect, finding.causes)
    telling = Telling(facts, node, numbered=numbered)
    lines = [
        *(Line("reported", reported(one)) for one in verdicts if one.outcome == FIRES),
        *(Line("observed", d.observed) for d in found if d.observed and d.span == span),
        *telling.record(found_there),
        *(
            Line("cause of", f"{d.code} {d.name} ({d.confidence}) on {telling.line_of(d.span)}", d.span)
            for d in found
            if d.span != span and any(cause.span == span for cause in d.causes_here)
        ),
        *(Line("not reported", told) for told in withheld(verdicts)),
    ]
    source, text = facts.source, written(facts, node)
    assert span is not None
    located = tuple(
        replace(one, span=one.span and in_cell(source, one.span))
        for one in {(one.part, one.text): one for one in lines}.values()
    )
    return Explanation(
        text, in_cell(source, span), node, facts.value(node), facts.framework(node), located, tuple(verdicts)
    )


def in_cell(source: Source, span: Span) -> Span:
    cell, row = source.row_in_cell(span.row)
    return span if cell is None else replace(span, row=row, end_row=span.end_row + row - span.row, cell=cell)


def reported(one: Verdict) -> str:
    refused = f" (its fix was rejected: {one.refused})" if one.refused else ""
    return f"{one.code} {one.name} ({one.confidence}): {one.message}{refused}"


def withheld(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Why rules with a finding do not report it, and where none has one why those of the op have none."""
    said = [one for one in verdicts if one.outcome in (HIDDEN, SILENCED, UNSELECTED)]
    reasons: dict[str, list[str]] = {}
    for one in said or ([] if any(one.outcome == FIRES for one in verdicts) else verdicts):
        reasons.setdefault(one.why, []).append(one.code)
    for why, codes in sorted(reasons.items(), key=lambda item: -len(item[1])):
        more = f" and {len(codes) - 3} others" if len(codes) > 4 else ""
        yield f"{', '.join(codes[: 3 if more else 4])}{more}: {why}"


def verdict(facts: Facts, config: Config, rule: Rule, given: Sequence[Answer], found: Sequence[Diagnostic]) -> Verdict:
    """What becomes of a rule, from what it answered."""
    blank = Verdict(rule.code, rule.name, SILENT, "")
    if not config.selects(rule.code):
        return replace(blank, outcome=UNSELECTED, why="not selected, or ignored, by the configuration")
    findings = [finding for answer in given for finding in answer.findings]
    if not findings:
        asked = "no singular point of the operation is reached" if rule.hazards and not rule.nodes else NO_FORM
        return replace(blank, why="; ".join(dict.fromkeys(a.reason for a in given if a.reason)) or asked)
    best = max(findings, key=lambda finding: finding.confidence)
    blank = replace(blank, confidence=best.confidence, row=best.level.row, message=best.message)
    span = facts.span_of(best.site)
    diagnostic = next((d for d in found if d.code == rule.code and d.span == span), None)
    if diagnostic is not None:
        sure, row, refused = diagnostic.confidence, diagnostic.row, diagnostic.refused
        return replace(blank, outcome=FIRES, confidence=sure, row=row, why=best.effect, refused=refused)
    if best.confidence < config.confidence:
        least = f"the setting `confidence` is {config.confidence}" + (f" in {config.file}" if config.file else "")
        return replace(blank, outcome=HIDDEN, why=f"it is only {best.confidence} ({best.level.why}), and {least}")
    if span is not None:
        drafted = draft(facts, rule, best, span, silent(facts, rule, best, span, runs(config)))
        comment = silencing(facts.source, drafted, rule_names(config.rule_files))
        if comment is not None:
            path, line = comment[0], comment[1].span.row
            where = f"{line} of {path}" if path else facts.source.row_in_cell(line)[1]
            return replace(blank, outcome=SILENCED, why=f"by the comment on line {where}")
    first = ", ".join(sorted(code for code in rule.after if any(d.code == code and d.span == span for d in found)))
    return replace(blank, why=f"already reported as {first}" if first else "already reported at the same place")
