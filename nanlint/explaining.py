"""Why a rule does or does not fire at a place: the story of the expression there, and the answer of every rule.

The answers are those of the rules themselves, asked as `nanlint check` asks them; what became of a finding after that
(not selected, not sure enough, silenced) is read off the configuration and the comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nanlint.config import Config
from nanlint.diagnostic import Confidence, Diagnostic, Span
from nanlint.graph.node import Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.picture import Picture, draw, functions
from nanlint.hazards.record import RULED_OUT, Cleared
from nanlint.hazards.story import Step, Story, is_numeric, nodes_at, nodes_of_line, one_of, places, tell
from nanlint.lint.known_rules import rule_names, runs
from nanlint.lint.one_file import diagnose_source, room_to_recurse
from nanlint.refused import Refused
from nanlint.rules import RULES
from nanlint.rules.diagnose import NO_FORM, Answer, analysed, answers, draft, silent
from nanlint.rules.registry import Rule
from nanlint.selection import did_you_mean
from nanlint.source import Source
from nanlint.source.suppression import silencing

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
    """The story of one expression, and the verdict of each rule that could apply to its op, those that fire first.

    ``causes``: findings elsewhere of which the expression is a cause.
    """

    story: Story
    verdicts: tuple[Verdict, ...]
    causes: tuple[Diagnostic, ...]


def explain(source: Source, config: Config, row: int, column: int | None = None) -> list[Explanation]:
    """The stories of the expression at a position; without a column of those that are flagged, or of all numeric ones.

    Empty where nothing numeric stands. ``config`` is that of the file. Raises Unparsable for what is not Python.
    """
    source.tree  # noqa: B018  parsing is lazy, and its failure is the first thing to say
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=range(row, row + 1))
        if column is not None:
            chosen = [nodes] if (nodes := nodes_at(facts, row, column)) else []
        else:
            chosen = flagged_on(facts, config, row) or nodes_of_line(facts, row)
        shown = diagnose_source(source, config)
        told = [explanation(source, config, facts, one_of(facts, nodes), shown) for nodes in chosen]
        return [in_cells(source, one) for one in told]


def in_cells(source: Source, told: Explanation) -> Explanation:
    """An explanation with its places in the cells of a notebook; of other sources it stays as it is."""
    return replace(told, story=story_in_cells(source, told.story), causes=tuple(map(source.in_cells, told.causes)))


def story_in_cells(source: Source, story: Story) -> Story:
    """A story with its places in the cells of a notebook; of other sources it stays as it is."""
    return replace(
        story,
        steps=tuple(step_in_cell(source, step) for step in story.steps),
        void=tuple((step_in_cell(source, step), why) for step, why in story.void),
    )


def step_in_cell(source: Source, step: Step) -> Step:
    return replace(
        step,
        span=in_cell(source, step.span),
        called=tuple(in_cell(source, span) for span in step.called),
        beliefs=tuple(replace(b, span=None if b.span is None else in_cell(source, b.span)) for b in step.beliefs),
    )


def in_cell(source: Source, span: Span) -> Span:
    cell, row = source.row_in_cell(span.row)
    down = row - span.row
    return span if cell is None else replace(span, row=row, end_row=span.end_row + down, cell=cell)


class NoSuchFunction(Refused):
    """A file has no function of the name asked for; the message names the nearest."""


def picture(source: Source, config: Config, name: str) -> Picture:
    """The dataflow of a function by its qualified name, or of the module level ("").

    Raises Unparsable for what is not Python, and NoSuchFunction.
    """
    known = functions(source.tree)
    if name and name not in known:
        hint = did_you_mean(name, known)
        listed = "" if hint or not known else f"; it has {', '.join(list(known)[:_LISTED])}"
        raise NoSuchFunction(f"{source.path}: no function {name}{hint}{listed}")
    function = known[name] if name else None
    last = len(source.lines) if function is None else function.end_lineno or function.lineno
    rows = range(1 if function is None else function.lineno, last + 1)
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=rows)
        title = f"{source.path}:{name}" if name else source.path
        drawn = draw(facts, function, title, diagnose_source(source, config))
        boxes = tuple(replace(box, step=step_in_cell(source, box.step)) for box in drawn.boxes)
        return replace(drawn, boxes=boxes)


def numeric_rows(source: Source, config: Config) -> list[int]:
    with room_to_recurse():
        facts = analysed(source, config.ops, watched=range(1, len(source.lines) + 1))
        return sorted({span.row for span, nodes in places(facts) if any(is_numeric(node) for node in nodes)})


def flagged_on(facts: Facts, config: Config, row: int) -> list[list[Node]]:
    """The nodes of the expressions on a line of which some selected rule has a finding, however unsure."""
    found: dict[Span, list[Node]] = {}
    for answer in answers(facts, lambda rule: runs(config)(rule.code)):
        for finding in answer.findings:
            span = facts.span_of(finding.site)
            if span is not None and span.row <= row <= span.end_row:
                found.setdefault(span, []).append(finding.node)
    return [found[span] for span in sorted(found)]


def explanation(source: Source, config: Config, facts: Facts, node: Node, shown: Sequence[Diagnostic]) -> Explanation:
    """The story of a node with its verdicts; ``shown`` are the findings of the file."""
    alike = {n.index for n in facts.lowering.graph if n.site is node.site and n.op == node.op}

    span = facts.span(node)
    of_rule: dict[str, list[Answer]] = {}
    for answer in answers(facts, lambda rule: runs(config)(rule.code)):
        here = any(facts.span_of(finding.site) == span for finding in answer.findings)
        if here or answer.node.index in alike:
            of_rule.setdefault(answer.rule.code, []).append(answer)
    known = rule_names(config.rule_files)
    concerned = [r for r in RULES.values() if r.code in known and (node.op in r.hazards | r.nodes or r.code in of_rule)]
    story = tell(facts, node)
    for code, given in of_rule.items():
        # where rules are silent, what they said of this very node counts, not of the same in another call
        of_rule[code] = [one for one in given if one.node is node or one.findings] or given
    verdicts = [verdict(source, config, facts, rule, of_rule.get(rule.code, []), shown, story) for rule in concerned]
    order = (FIRES, HIDDEN, SILENCED, UNSELECTED, SILENT)
    causes = [d for d in shown if d.span != span and any(cause.span == span for cause in d.causes_here)]
    return Explanation(
        story,
        tuple(sorted(verdicts, key=lambda v: (order.index(v.outcome), v.code))),
        tuple(causes),
    )


def verdict(
    source: Source,
    config: Config,
    facts: Facts,
    rule: Rule,
    answers: Sequence[Answer],
    shown: Sequence[Diagnostic],
    story: Story,
) -> Verdict:
    """What becomes of a rule, from what it answered."""
    blank = Verdict(rule.code, rule.name, SILENT, "")
    if not config.selects(rule.code):
        return replace(blank, outcome=UNSELECTED, why="not selected, or ignored, by the configuration")
    found = [finding for answer in answers for finding in answer.findings]
    if not found:
        reasons = dict.fromkeys(answer.reason for answer in answers if answer.reason)
        if reasons:
            return replace(blank, why="; ".join(reasons))
        asked = rule.hazards and not rule.nodes
        return replace(blank, why=no_pole(story) if asked else NO_FORM)
    best = max(found, key=lambda finding: finding.confidence)
    blank = replace(blank, confidence=best.confidence, row=best.level.row, message=best.message)
    span = facts.span_of(best.site)
    diagnostic = next((d for d in shown if d.code == rule.code and d.span == span), None)
    if diagnostic is not None:
        return replace(
            blank,
            outcome=FIRES,
            confidence=diagnostic.confidence,
            row=diagnostic.row,
            why=best.effect,
            refused=diagnostic.refused,
        )
    if best.confidence < config.confidence:
        least = f"the setting `confidence` is {config.confidence}" + (f" in {config.file}" if config.file else "")
        return replace(blank, outcome=HIDDEN, why=f"it is only {best.confidence} ({best.level.why}), and {least}")
    if span is not None:
        drafted = draft(facts, rule, best, span, silent(facts, rule, best, span, runs(config)))
        comment = silencing(source, drafted, rule_names(config.rule_files))
        if comment is not None:
            path, row = comment[0], comment[1].span.row
            where = f"{row} of {path}" if path else source.row_in_cell(row)[1]
            return replace(blank, outcome=SILENCED, why=f"by the comment on line {where}")
    first = ", ".join(sorted(code for code in rule.after if any(d.code == code and d.span == span for d in shown)))
    return replace(blank, why=f"already reported as {first}" if first else "already reported at the same place")


def no_pole(story: Story) -> str:
    """That no pole of an op is met; and why, where that is one reason for all that are not ruled out."""
    reasons = dict.fromkeys(one.why for one in story.poles if isinstance(one, Cleared) and one.why != RULED_OUT)
    return "no singular point of the operation is reached" + (f": {next(iter(reasons))}" if len(reasons) == 1 else "")
