"""The record of an expression in words: what breaks, who makes it, what guards it, where it goes, which row decided."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nanlint.analysis.gradient import Flow
from nanlint.analysis.selections import NOT_DATA
from nanlint.diagnostic import Confidence, Span
from nanlint.graph.node import REFINE, Node, walk
from nanlint.graph.written import written_operands
from nanlint.hazards.expressions import elsewhere, interval, shown, written
from nanlint.hazards.facts import Facts
from nanlint.hazards.level import ROWS, Level
from nanlint.hazards.read import was_right
from nanlint.hazards.record import RULED_OUT, Cleared, Form, Hazard, Seen, moved
from nanlint.ops.op import Pole
from nanlint.ops.value import NEVER, POSSIBLE, Evidence, Kind, Reach, Value
from nanlint.source.brief import brief

#: how sure it is that an operand is at a pole
BECOMES = {Reach.CERTAIN: "becomes", Reach.LIKELY: "probably becomes"}
#: nodes that are looked at, behind an expression and after it
MAX_STEPS = 60
#: the classes of numbers, and the ends of a range, in words
NAMES = {"ninf": "-inf", "neg": "negative", "zero": "0", "pos": "positive", "pinf": "inf", "nan": "nan"}
ENDS = {"low": "its lowest value", "high": "its largest value"}
COMPARED = {"neg": "less than ", "zero": "", "pos": "more than "}
#: what a text begins with that continues "`x` (line 3)"
VERB = re.compile(r"(can|may|[a-z]+s) ")


@dataclass(frozen=True, eq=False)
class Found:
    """What a rule found at an expression: the pole, or what breaks, with the causes, and its level in the end."""

    hazard: Hazard | None
    judged: Hazard | Form | Confidence
    level: Level
    effect: str
    causes: tuple[tuple[Node, str], ...]


@dataclass(frozen=True)
class Line:
    """One line of a record: the part of it ("breaks", "made by", ...), what is said, and the place it speaks of."""

    part: str
    text: str
    span: Span | None = None


class Telling:
    """The record of one node in words. Code is in backticks; ``numbered``: places with their lines."""

    def __init__(self, facts: Facts, node: Node, *, numbered: bool) -> None:
        self.facts, self.node, self.numbered = facts, node, numbered
        self.operands = {name: facts.span_of(e) for name, e in written_operands(node)}

    def record(self, found: Found | None = None) -> Iterator[Line]:
        """What breaks, who makes it, what guards it, where it goes, and the level with the row that decided."""
        hazards, node = self.facts.hazards, self.node
        poles = [*hazards.weighed(node), *hazards.traps_of(node)]
        met = sorted((one for one in poles if isinstance(one, Hazard)), key=lambda one: -one.reach)
        if found is not None and found.hazard is not None:
            met = [found.hazard, *(one for one in met if one.pole != found.hazard.pole)]
        for one in met:
            becomes = f"{BECOMES.get(one.reach, 'can become')} {named(one.pole)}"
            yield Line("breaks", f"{self.operand(one)} {becomes}, which gives {given(one.pole)}")
            yield self.made(one.evidence, self.operand(one))
        if not met and found is not None:
            yield Line("breaks", found.effect)
            yield from (self.made(Evidence(text, cause), "") for cause, text in found.causes)
        judged = found.judged if found is not None else met[0] if met else None
        cleared = [one for one in poles if isinstance(one, Cleared) and all(one.pole != h.pole for h in met)]
        seen = [*self.weighs(judged), *(self.cleared(one) for one in cleared if not written_out(one.value))]
        yield from seen or ([Line("guard", "none is seen")] if met else [])
        yield self.goes_to()
        if found is not None or met:
            level = found.level if found is not None else met[0].level
            why = f" ({level.why})" if level.row in ROWS else ""
            sure = level.reach.name.lower() if level.reach >= POSSIBLE else "below possible"
            yield Line("level", f"{sure}, decided by {level.row}{why}; {was_right(sure, level.row)}")
        v = self.facts.value(node)
        yield Line("value", limits(v) + ("" if v.kind is Kind.SCALAR else f" ({v.format.name})"))

    def operand(self, one: Hazard | Cleared) -> str:
        """The operand that is at a pole, as it is written."""
        span, operand = self.operands.get(one.pole.name), one.node.get(one.pole.name)
        text = brief(self.facts.source.segment(span)) if span else written(self.facts, operand) if operand else ""
        return f"`{text}`" if text else f"the {one.pole.name if one.pole.name == 'result' else 'operand'}"

    def place(self, node: Node) -> str:
        """A node as it is written, with its line if that is another one; of one in another file the line."""
        span, own = self.facts.span(node), self.facts.span(self.node)
        if span is None:
            there = elsewhere(self.facts, node, "")
            return f"line {there.span.row} of {there.path}" if there is not None else ""
        far = self.numbered and own is not None and span.row != own.row
        return f"`{written(self.facts, node)}`" + (f" ({self.line_of(span)})" if far else "")

    def line_of(self, span: Span) -> str:
        """The line that a place is on, as one says it."""
        cell, row = self.facts.source.row_in_cell(span.row)
        return f"line {row}" if cell is None else f"line {row} of cell {cell}"

    def made(self, evidence: Evidence, subject: str) -> Line:
        """Who makes a number, and how."""
        node, text = evidence.node, evidence.text
        subject = (self.place(node) if node is not None else "") or subject or "it"
        said = f"{subject} {text}" if VERB.match(text) else text
        return Line("made by", said, self.facts.span(node) if node is not None else None)

    def weighs(self, judge: Hazard | Form | Confidence | None) -> Iterator[Line]:
        """What was seen that moves the level, and the guards that are none."""
        seen = dict.fromkeys(judge.seen) if isinstance(judge, Form) else judge.seen if isinstance(judge, Hazard) else {}
        if (mask := seen.get(Seen.HIDDEN)) is not None:
            yield Line("guard", f"{self.place(mask)} drops that value, but not its gradient", self.facts.span(mask))
        for one in self.facts.epsilons(self.node):
            yield Line("guard", f"{self.place(one.number)} has no effect: {one.why}", self.facts.span(one.number))
        for row in (row for row in ROWS.values() if row.seen in seen):
            of = f"{self.place(node)}: " if (node := seen[row.seen]) is not None else ""
            speaks = "for" if row.least > NEVER and not row.less else "against"
            yield Line(speaks, of + row.why, self.facts.span(node) if node is not None else None)

    def cleared(self, one: Cleared) -> Line:
        """Why a pole is no hazard: what keeps the operand off it."""
        subject = self.operand(one)
        if one.why != RULED_OUT:
            return Line("guard", f"{subject} may be {named(one.pole)}, but {one.why}")
        keeper = self.keeper(one)
        known = f": it is {limits(moved(one.value, -one.pole.shift))}" if one.value is not None else ""
        by = f", because of {self.place(keeper)}" if keeper is not None and self.place(keeper) != subject else ""
        return Line("guard", f"{subject} cannot be {named(one.pole)}{known}{by}", self.facts.span(keeper or one.node))

    def keeper(self, one: Cleared) -> Node | None:
        """The nearest step that keeps an operand off a pole at which something that it is made of may be."""

        def off(n: Node) -> bool:
            return moved(self.facts.value(n), one.pole.shift).reach(one.pole.cls) is NEVER

        def data(n: Node) -> list[Node]:
            return [a for name, a in n.args.items() if name not in NOT_DATA and self.facts.value(a).constant is None]

        operand = one.node.get(one.pole.name)
        found = walk(operand, lambda n: filter(off, data(n)), MAX_STEPS) if operand is not None else ()
        return next((n for n in found if off(n) and not all(map(off, data(n)))), None)

    def goes_to(self) -> Line:
        """The last expression that the result is part of, and whether a gradient comes back."""
        facts, node = self.facts, self.node
        users = [n for n in walk(node, lambda n: n.users, MAX_STEPS) if n.op != REFINE and facts.span(n) is not None]
        last = max(users, key=lambda n: n.index)
        judged = facts.gradient.judge(node)
        flows = {
            Flow.NO: f"no gradient flows: {judged.why}",
            Flow.DOUBTFUL: f"probably no gradient flows: {judged.why}",
        }
        taken = f"its gradient {facts.hazards.taken_at(node, judged.taker)}" if judged.taker is not None else ""
        to = self.place(last) if last is not node else "no other expression"
        return Line(
            "goes to", f"{to}; " + flows.get(judged.flow, taken or "gradients flow through it"), facts.span(last)
        )


def named(pole: Pole) -> str:
    """Where a pole is: "0", "negative", "less than -1"."""
    shifted = pole.shift and pole.cls in COMPARED
    return f"{COMPARED[pole.cls]}{shown(-pole.shift)}" if shifted else (NAMES | ENDS)[pole.cls]


def given(pole: Pole) -> str:
    return f"a gradient of {pole.gives}" if pole.gradient else pole.gives


def written_out(v: Value | None) -> bool:
    """Whether a number is seen as it is: nobody asks what keeps it off a pole."""
    return v is not None and v.constant is not None


def limits(v: Value) -> str:
    known = interval(v)
    return "any number" if known == "[-inf, inf]" else f"in {known}" if "," in known else known
