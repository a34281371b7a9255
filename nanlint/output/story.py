"""What ``nanlint explain`` prints: the story of an expression for a reader at a terminal, and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nanlint.diagnostic import Span
from nanlint.explaining import FIRES, HIDDEN, SILENCED, SILENT, UNSELECTED, Explanation, Verdict
from nanlint.graph.node import REFINE, Node
from nanlint.hazards.record import RULED_OUT, Cleared, Hazard, moved
from nanlint.hazards.story import CLASSES, SIGNS, Belief, Step, Story, interval, shown
from nanlint.ops.op import OPS, Pole
from nanlint.ops.value import Kind, Reach, Value

#: of the JSON; raised when a key changes its meaning or goes
VERSION = 1

REACHES = {
    Reach.NEVER: ("never", "dim"),
    Reach.UNKNOWN: ("?", "dim"),
    Reach.POSSIBLE: ("possible", "yellow"),
    Reach.LIKELY: ("likely", "bold yellow"),
    Reach.CERTAIN: ("certain", "bold red"),
}
#: classes that are nothing to worry about wherever they are reached
HARMLESS = frozenset({"neg", "pos"})
OUTCOMES = {
    FIRES: ("fires", "bold red"),
    HIDDEN: ("below the threshold", "yellow"),
    SILENCED: ("silenced", "cyan"),
    UNSELECTED: ("not selected", "dim"),
    SILENT: ("", "dim"),
}
KINDS = {Kind.TENSOR: "tensor", Kind.SCALAR: "Python number", Kind.ANY: ""}
_ALIKE = 3  # rules silent for one reason are told in one line from here on
_LONGEST = 60  # characters of source that a line of the tables shows


def render_explanations(explanations: Sequence[Explanation], path: str, *, width: int, colour: bool) -> str:
    """The stories of one place, one after the other."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    for number, explanation in enumerate(explanations):
        if number:
            console.print()
        for part in _parts(explanation, path):
            console.print(part)
    return "".join(line.rstrip(" ") + "\n" for line in out.getvalue().splitlines())


def _parts(explanation: Explanation, path: str) -> Iterator[RenderableType]:
    story = explanation.story
    place = story.step.span
    yield Text.assemble((f"{path}:{place.start}", "bold"), " ", story.step.text)
    yield Text()
    yield Text("How it is computed", "bold blue")
    if story.left_out:
        steps = "a step" if story.left_out == 1 else f"{story.left_out} steps"
        yield Padding(Text(f"({steps} further away left out)", "dim"), (0, 0, 0, 2))
    yield Padding(_chain(story), (0, 0, 0, 2))
    yield Text()
    yield Text("Possible values", "bold blue")
    yield Padding(_health(story), (0, 0, 0, 2))
    if story.poles:
        yield Text()
        yield Text("Where it breaks", "bold blue")
        yield Padding(_poles(story), (0, 0, 0, 2))
    yield Text()
    yield Text("Rules", "bold blue")
    yield Padding(_verdicts(explanation.verdicts, story), (0, 0, 0, 2))
    for other in explanation.causes:
        text = f"It is a cause of {other.code} {other.name} [{other.confidence}] at {line_of(other.span)}."
        yield Padding(Text(text), (0, 0, 0, 2))


def line_of(span: Span) -> str:
    """The line that a place is on, as one says it."""
    return f"line {span.row}" if span.cell is None else f"line {span.row} of cell {span.cell}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _chain(story: Story) -> Table:
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(justify="right", style="blue", no_wrap=True)
    table.add_column(overflow="fold")
    for step in story.steps:
        table.add_row(step.span.start, Text(f"{_short(step.text)}", "bold"))
        for line in told(step, story.step):
            table.add_row("", line)
    for step, why in story.void:
        table.add_row(step.span.start, Text.assemble((step.text, "bold"), f" is not an effective guard: {why}"))
    return table


def told(step: Step, subject: Step) -> Iterator[Text]:
    """What is said of a step in the story of ``subject``; of gradients only there and where one stops."""
    op = OPS.get(step.node.op)
    of_gradient = step is subject or (op is not None and op.stops_gradient)
    yield Text(" · ".join(filter(None, _nature(step, of_gradient))))
    if step.called:
        lines = ", ".join(str(span.row) for span in step.called)
        yield Text(f"called from line{'s' if len(step.called) > 1 else ''} {lines}", "dim")
    alike: dict[tuple[Reach, str], list[str]] = {}
    for belief in step.beliefs:
        if belief.cls not in HARMLESS or belief.evidence is not None:
            alike.setdefault((belief.reach, _basis(belief, step)), []).append(SIGNS[belief.cls])
    for (reach, basis), signs in alike.items():
        word, style = REACHES[reach]
        *first, last = signs
        many = f"{', '.join(first)} and {last} are " if first else f"{last} is "
        yield Text.assemble(many, (word, style), f", {basis}")
    if step.guards:
        classes = ", ".join(SIGNS[cls] for cls in step.guards)
        by = "the condition" if step.node.op == REFINE else "it"
        yield Text.assemble((f"guard: {by} rules out {classes}", "green"))


def _nature(step: Step, of_gradient: bool) -> Iterator[str]:
    """What a step is: the op, how it is written, what carries it, its range, whether gradients flow."""
    yield f"where {step.condition}" if step.condition else step.sort
    if step.spelling and step.spelling.rpartition(".")[2] != step.sort:
        yield f"called as {step.spelling}"
    elif step.spelling:
        yield step.spelling
    yield " ".join(filter(None, _carrier(step.value)))
    known = interval(step.value)
    yield "any number" if known == "[-inf, inf]" else f"in {known}" if "," in known else f"is {known}"
    if of_gradient:
        yield step.gradient


def _carrier(v: Value) -> Iterator[str]:
    if v.whole:
        yield "whole"
    elif v.kind is not Kind.SCALAR:
        yield v.format.name
    yield KINDS[v.kind] or ("numbers" if v.whole else "")


def _basis(belief: Belief, step: Step) -> str:
    evidence = belief.evidence
    if evidence is None:
        return "without evidence" if belief.reach < Reach.CERTAIN else "by definition of the operation"
    elsewhere = belief.span is not None and (belief.span.cell, belief.span.row) != (step.span.cell, step.span.row)
    where = f" ({line_of(belief.span)})" if belief.span is not None and elsewhere else ""
    return f"{'by its name' if evidence.named else 'derived'}: {evidence.text}{where}"


def _health(story: Story) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", justify="right", style="blue", no_wrap=True)
    table.add_column("", overflow="ellipsis", no_wrap=True, max_width=36)
    for cls in CLASSES:
        table.add_column(SIGNS[cls], no_wrap=True)
    for step in story.steps:
        name = f"where {step.condition}" if step.condition else step.text
        table.add_row(step.span.start, name, *(_reach(step.value, cls) for cls in CLASSES))
    return table


def _reach(v: Value, cls: str) -> Text:
    word, style = REACHES[v.reach(cls)]
    return Text(word, "" if cls in HARMLESS and v.reach(cls) >= Reach.POSSIBLE else style)


def _poles(story: Story) -> Table:
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(overflow="fold", ratio=2)
    table.add_column(overflow="fold", ratio=3)
    met = [one for one in story.poles if isinstance(one, Hazard)]
    for one in story.poles:
        if isinstance(one, Hazard) or all(one.pole != other.pole for other in met):
            table.add_row(pole_phrase(one.node, one.pole, story), outcome(one))
    return table


def outcome(one: Hazard | Cleared) -> Text:
    """Whether a place where an op breaks is met, and why."""
    if isinstance(one, Cleared):
        v = one.value if one.why == RULED_OUT else None
        known = f": it is in {interval(moved(v, -one.pole.shift))}" if v is not None else ""
        return Text.assemble(("not reached", "green"), f", {one.why}{known}")
    word, style = REACHES[one.reach]
    named = "by its name" if one.evidence.named else "derived"
    behind = f"; a later {one.guard.op} hides the value, not the gradient" if one.guard is not None else ""
    return Text.assemble(("reached", style), f", {word} ({named}: {one.evidence.text}{behind})")


def pole_phrase(node: Node, pole: Pole, story: Story) -> str:
    """A pole in the words of the source: "probs = 0 gives -inf"."""
    operand = _operand_text(node, pole.name, story)
    gives = f"the gradient is {pole.gives}" if pole.gradient else f"the value is {pole.gives}"
    return f"{_in_class(operand, pole.cls, -pole.shift)}: {gives}"


def _in_class(operand: str, cls: str, at: float) -> str:
    ends = {"pinf": "= inf", "ninf": "= -inf", "nan": "= nan", "low": "= its lowest", "high": "= its largest"}
    compared = {"zero": "=", "neg": "<", "pos": ">"}
    return f"{operand} {compared[cls]} {shown(at)}" if cls in compared else f"{operand} {ends[cls]}"


def _operand_text(node: Node, name: str, story: Story) -> str:
    if name == "result":
        return "the result"
    if name in story.operands:
        return _short(story.operands[name])
    source = node.get(name)
    step = next((step for step in story.steps if source is not None and step.node.index == source.index), None)
    return _short(step.text) if step is not None else name


def _verdicts(verdicts: Sequence[Verdict], story: Story) -> RenderableType:
    if not verdicts:
        return Text(f"no rule checks {story.step.sort}", "dim")
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    alike: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.outcome != SILENT:
            table.add_row(*_row(one))
        else:
            alike.setdefault(one.why, []).append(one)
    for why, silent in alike.items():
        if len(silent) < _ALIKE:
            for one in silent:
                table.add_row(*_row(one))
        else:
            table.add_row(
                Text(silent[0].code, "dim"), Text(f"and {len(silent) - 1} others", "dim"), _others(silent, why)
            )
    return table


def _row(one: Verdict) -> tuple[Text, Text, Text]:
    word, style = OUTCOMES[one.outcome]
    level = f" [{one.confidence}]" if one.confidence is not None and one.outcome in (FIRES, SILENCED) else ""
    head = f"{word}{level}: " if word else ""
    what = f"{one.message} ({one.why})" if one.outcome == FIRES else one.why
    refused = f"; its fix was rejected: {one.refused}" if one.refused else ""
    return Text(one.code, style), Text(one.name, style), Text.assemble((head, style), what, refused)


def _others(silent: Sequence[Verdict], why: str) -> Text:
    codes = " ".join(one.code for one in silent[1:])
    return Text.assemble(why, (f" ({codes})", "dim"))


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
