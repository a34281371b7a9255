"""What ``nanlint explain`` prints: an expression in at most a dozen sentences, as editors show it, too; and as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from nanlint.diagnostic import Span
from nanlint.explaining import FIRES, SILENT, Explanation, Verdict
from nanlint.graph.node import Node
from nanlint.hazards.record import RULED_OUT, Cleared, Hazard, moved
from nanlint.hazards.story import CLASSES, SIGNS, Belief, Step, Story, interval, shown
from nanlint.ops.op import Pole
from nanlint.ops.value import Evidence, Kind, Reach, Value
from nanlint.output.paint import Paint, plain
from nanlint.source.brief import brief

#: of the JSON; raised when a key changes its meaning or goes
VERSION = 1

#: lines that are printed of one expression
MOST = 12
#: sentences of one kind among them, at most
_POLES, _BELIEFS, _FIRING, _RULES, _NAMED = 3, 2, 2, 3, 3
#: how sure it is that an operand is at a pole
_BECOMES = {
    Reach.CERTAIN: "becomes",
    Reach.LIKELY: "probably becomes",
    Reach.POSSIBLE: "can become",
    Reach.UNKNOWN: "can become",
}
#: what a text begins with that continues "`x` (line 3)"
_VERB = re.compile(r"(can|may|[a-z]+s) ")


def render_explanations(explanations: Sequence[Explanation], path: str, *, paint: Paint = plain) -> str:
    """The expressions of one place, one after the other, in at most ``MOST`` lines each."""
    return "\n".join("\n".join(_lines(one, path, paint)) + "\n" for one in explanations)


def _lines(explanation: Explanation, path: str, paint: Paint) -> Iterator[str]:
    story, verdicts = explanation.story, explanation.verdicts
    firing = [one for one in verdicts if one.outcome == FIRES]
    about = [*map(_reported, firing[:_FIRING]), *sentences(story)]
    for other in explanation.causes[:1]:
        about.append(f"It is a cause of {other.code} {other.name} ({other.confidence}) on {line_of(other.span)}.")
    others = [one for one in verdicts if one.outcome != FIRES]
    silent = [*_silent(others, most=_RULES)]
    left = MOST - 1 - len(about) - len(silent)
    yield f"{paint(f'{path}:{story.step.span.start}', 'path')} {brief(story.step.text)}"
    yield from (f"  {line}" for line in (*about, *origins(story, most=left), *silent))


def sentences(story: Story, *, places: bool = True) -> Iterator[str]:
    """What is known of an expression: where it breaks, what else it can be, and its value. Code is in backticks."""
    told: set[str] = set()
    met = [one for one in story.poles if isinstance(one, Hazard)]
    cleared = [one for one in story.poles if isinstance(one, Cleared) and all(one.pole != m.pole for m in met)]
    for hazard in met[:_POLES]:
        told.add(hazard.evidence.text)
        behind = "; that value is dropped later, but it is still differentiated" if hazard.guard is not None else ""
        subject = _operand(hazard.node, hazard.pole, story)
        because = _because(hazard.evidence, story, places=places, subject=subject)
        becomes = f"{_BECOMES[hazard.reach]} {_class(hazard.pole)}"
        yield f"{subject} {becomes}, which gives {_given(hazard.pole)}{behind}: {because}."
    yield from (_cleared(one, story) for one in cleared[: _POLES - len(met[:_POLES])])
    for step, why in story.void[:1]:
        yield f"`{brief(step.text)}` has no effect as a guard: {why}."
    for belief in _worth_telling(story.step, told):
        yield f"It {_BECOMES[belief.reach]} {_NAMES[belief.cls]}: {_because(belief.evidence, story, places=places)}."
    yield f"Its value {_limits(story.step.value)}{_carrier(story.step.value)}; {_gradient(story.step)}."


def origins(story: Story, *, most: int) -> Iterator[str]:
    """The steps that the expression is computed from, the nearest first."""
    steps = story.steps[-2::-1]
    for step in steps[:most]:
        guards = f", which rules out {' and '.join(_NAMES[cls] for cls in step.guards)}" if step.guards else ""
        what = f"the condition `{step.condition}`" if step.condition else f"`{brief(step.text)}` {_limits(step.value)}"
        yield f"From {line_of(step.span)}: {what}{guards}."


def line_of(span: Span) -> str:
    """The line that a place is on, as one says it."""
    return f"line {span.row}" if span.cell is None else f"line {span.row} of cell {span.cell}"


#: the classes of numbers in words
_NAMES = {"ninf": "-inf", "neg": "negative", "zero": "0", "pos": "positive", "pinf": "inf", "nan": "nan"}
_ENDS = {"low": "its lowest value", "high": "its largest value"}
_COMPARED = {"neg": "less than ", "zero": "", "pos": "more than "}


def _class(pole: Pole) -> str:
    if pole.cls in _COMPARED and pole.shift:
        return f"{_COMPARED[pole.cls]}{shown(-pole.shift)}"
    return (_NAMES | _ENDS)[pole.cls]


def _given(pole: Pole) -> str:
    return f"a gradient of {pole.gives}" if pole.gradient else pole.gives


def _operand(node: Node, pole: Pole, story: Story) -> str:
    text = _operand_text(node, pole.name, story)
    return f"`{text}`" if text else f"The {pole.name if pole.name == 'result' else 'operand'}"


def _because(evidence: Evidence | None, story: Story, *, places: bool, subject: str = "It") -> str:
    """Why a number is reached, with the expression that does it where that is another one than the subject."""
    if evidence is None:
        return "this is what the operation gives"
    found = [step for step in story.steps[:-1] if step.node is evidence.node]
    if not found or not _VERB.match(evidence.text):
        return evidence.text if not _VERB.match(evidence.text) else f"it {evidence.text}"
    elsewhere = places and (found[0].span.cell, found[0].span.row) != (story.step.span.cell, story.step.span.row)
    where = f" ({line_of(found[0].span)})" if elsewhere else ""
    name = f"`{brief(found[0].text)}`{where}"
    return f"{'it' if name == subject else name} {evidence.text}"


def _cleared(one: Cleared, story: Story) -> str:
    operand = _operand(one.node, one.pole, story)
    if one.why != RULED_OUT:
        return f"Not reported that {operand} {_BECOMES[Reach.POSSIBLE]} {_class(one.pole)}: {one.why}."
    if one.value is None:
        return f"{operand} cannot be {_class(one.pole)}."
    known = moved(one.value, -one.pole.shift)
    return f"{operand} cannot be {_class(one.pole)}: it {_limits(known)}."


def _worth_telling(step: Step, told: set[str]) -> list[Belief]:
    """What else a step can be, and why: nothing that is told already, nothing that is no news."""
    known = [b for b in step.beliefs if b.cls not in ("neg", "pos") and b.evidence is not None]
    alike = {b.evidence.text: b for b in reversed(known) if b.evidence is not None and b.evidence.text not in told}
    return sorted(alike.values(), key=lambda b: -b.reach)[:_BELIEFS]


def _limits(v: Value) -> str:
    known = interval(v)
    if known == "[-inf, inf]":
        return "can be any number"
    return f"is in {known}" if "," in known else f"is {known}"


def _carrier(v: Value) -> str:
    words = ["whole" if v.whole else "" if v.kind is Kind.SCALAR else v.format.name, _KINDS[v.kind]]
    said = " ".join(word for word in words if word)
    return f" ({said})" if said else ""


_KINDS = {Kind.TENSOR: "tensor", Kind.SCALAR: "Python number", Kind.ANY: ""}


def _gradient(step: Step) -> str:
    if step.obstacle is not None:
        return f"no gradient flows through it: {step.obstacle}"
    return "gradients flow through it" if step.doubt is None else f"probably no gradient flows through it: {step.doubt}"


def _reported(one: Verdict) -> str:
    refused = f" (its fix was rejected: {one.refused})" if one.refused else ""
    return f"Reported as {one.code} {one.name} ({one.confidence}): {one.message}{refused}."


def _silent(verdicts: Sequence[Verdict], *, most: int) -> Iterator[str]:
    """Why the other rules do not report the expression, rules with the same reason in one sentence."""
    alike: dict[tuple[bool, str], list[Verdict]] = {}
    for one in verdicts:
        alike.setdefault((one.outcome == SILENT, one.why), []).append(one)
    groups = sorted(alike.items(), key=lambda group: (group[0][0], -len(group[1])))
    told = groups if len(groups) <= most else groups[: most - 1]
    for (_, why), rules in told:
        named = rules if len(rules) <= _NAMED + 1 else rules[:_NAMED]
        more = f" and {len(rules) - len(named)} others" if len(rules) > len(named) else ""
        yield f"Not reported as {', '.join(one.code for one in named)}{more}: {why}."
    left = sum(len(rules) for _, rules in groups[len(told) :])
    if left:
        yield f"{left} other rules do not apply; `--output-format json` says why not."


def pole_phrase(node: Node, pole: Pole, story: Story) -> str:
    """A pole in the words of the source: "probs = 0: the value is -inf"."""
    operand = "the result" if pole.name == "result" else _operand_text(node, pole.name, story) or pole.name
    ends = {"pinf": "= inf", "ninf": "= -inf", "nan": "= nan", "low": "= its lowest", "high": "= its largest"}
    compared = {"zero": "=", "neg": "<", "pos": ">"}
    at = f"{compared[pole.cls]} {shown(-pole.shift)}" if pole.cls in compared else ends[pole.cls]
    return f"{operand} {at}: the {'gradient' if pole.gradient else 'value'} is {pole.gives}"


def _operand_text(node: Node, name: str, story: Story) -> str:
    if name in story.operands:
        return brief(story.operands[name])
    source = node.get(name)
    step = next((step for step in story.steps if source is not None and step.node.index == source.index), None)
    return brief(step.text) if step is not None else ""


# JSON


def render_explanations_json(explanations: Iterable[Explanation], path: str) -> str:
    """One object: ``version``, ``filename`` and a list of ``expressions``. Places are 1-based, ends exclusive."""
    shown = {"version": VERSION, "filename": path, "expressions": [_as_object(one) for one in explanations]}
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def _as_object(explanation: Explanation) -> dict[str, object]:
    story = explanation.story
    return {
        "text": story.step.text,
        **_range(story.step.span),
        "steps": [_step(step) for step in story.steps],
        "steps_left_out": story.left_out,
        "gradient_flows": story.step.obstacle is None,
        "poles": [_pole(one, story) for one in story.poles],
        "void_guards": [{"text": step.text, **_range(step.span), "why": why} for step, why in story.void],
        "rules": [_verdict(one) for one in explanation.verdicts],
        "cause_of": [
            {"code": d.code, "name": d.name, "confidence": str(d.confidence), **_range(d.span)}
            for d in explanation.causes
        ],
    }


def _step(step: Step) -> dict[str, object]:
    v = step.value
    return {
        "text": step.text,
        **_range(step.span),
        "op": step.sort,
        "spelling": step.spelling or None,
        "framework": step.framework or None,
        "condition": step.condition or None,
        "range": [_number(v.lo), _number(v.hi)],
        "health": {SIGNS[cls].replace(" ", ""): v.reach(cls).name.lower() for cls in CLASSES},
        "evidence": [
            {
                "class": SIGNS[b.cls].replace(" ", ""),
                "reach": b.reach.name.lower(),
                "basis": b.basis,
                "why": b.evidence.text if b.evidence is not None else None,
                "row": b.span.row if b.span is not None else None,
            }
            for b in step.beliefs
        ],
        "rules_out": [SIGNS[cls].replace(" ", "") for cls in step.guards],
        "dtype": None if v.kind is Kind.SCALAR else v.format.name,
        "kind": v.kind.value,
        "gradient": {"flows": step.obstacle is None, "why_not": step.obstacle, "doubt": step.doubt},
        "called_from": [span.row for span in step.called],
    }


def _pole(one: Hazard | Cleared, story: Story) -> dict[str, object]:
    met = isinstance(one, Hazard)
    return {
        "where": pole_phrase(one.node, one.pole, story),
        "gives": one.pole.gives,
        "gradient": one.pole.gradient,
        "met": met,
        "reach": one.reach.name.lower() if isinstance(one, Hazard) else None,
        "why": one.evidence.text if isinstance(one, Hazard) else one.why,
    }


def _verdict(one: Verdict) -> dict[str, object]:
    return {
        "code": one.code,
        "name": one.name,
        "outcome": one.outcome,
        "confidence": None if one.confidence is None else str(one.confidence),
        "level_row": one.row or None,
        "message": one.message or None,
        "why": one.why or None,
        "fix_refused": one.refused or None,
    }


def _number(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def _range(span: Span) -> dict[str, object]:
    return {
        "cell": span.cell,
        "location": {"row": span.row, "column": span.column},
        "end_location": {"row": span.end_row, "column": span.end_column},
    }
