"""From a source to its diagnostics: graph, hazards, rules; then the codemods of what was found."""

from __future__ import annotations

import ast
import os
import traceback
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias, cast

from nanlint.diagnostic import STYLES, Annotation, Applicability, Confidence, Diagnostic, Fix, Part, Probe, Span
from nanlint.fixes.codemod import choices
from nanlint.fixes.file import File
from nanlint.fixes.place import Place, display
from nanlint.frontend.lower import lower
from nanlint.frontend.worth import NAN, frameworks_named
from nanlint.graph.node import Node
from nanlint.graph.written import SIGNED, written_operands
from nanlint.hazards.expressions import elsewhere
from nanlint.hazards.facts import Facts
from nanlint.hazards.level import Level, Seen, level
from nanlint.hazards.record import Hazard
from nanlint.housekeeping import RuleFailed
from nanlint.interrupt import OutOfBudget, checkpoint
from nanlint.ops.catalogue import catalogue
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spellings
from nanlint.ops.value import POSSIBLE
from nanlint.proof.slice import Slice, Slicing
from nanlint.rules.registry import RULES, Finding, NothingToSay, Rule, about_numbers
from nanlint.source import Source
from nanlint.source.project import view_of
from nanlint.source.roots import FRAMEWORKS
from nanlint.source.suppression import may_silence

if TYPE_CHECKING:
    from nanlint.fixes.readback import Readback

#: ops of nearly every function: a rule that asks about them finds them where something else made it worth a look
COMMON = frozenset(
    {"add", "sub", "mul", "neg", "sum", "part", "view", "cast", "tensor", "full"}
    | {"maximum", "minimum", "clamp", "eq", "ne", "test", "is", "isnot"}
)

#: ops that saturate: a function that calls one may hand it on to where it breaks
SATURATING = frozenset({"softmax", "sigmoid"})

#: frameworks whose ops fixes may rewrite: an operator's (None) and the known ones', not the user's own functions
REWRITTEN = frozenset({None, "torch", "tensorflow", "keras", "jax", "numpy", "scipy", "math"})

#: calls through which one place is shown to fail
MAX_SLICES = 3


#: picks findings, by index, that are silenced where their causes are
Silenced: TypeAlias = Callable[[Sequence[Diagnostic]], Collection[int]]


@dataclass(frozen=True, eq=False)
class Occurrence:
    """A finding in one of the calls that lead to its place; ``diagnostic``: what its rule says of it."""

    rule: Rule
    finding: Finding
    diagnostic: Diagnostic

    @property
    def place(self) -> tuple[str, Span]:
        """The rule's code and the expression that is underlined."""
        return self.rule.code, self.diagnostic.span

    def standing_for(self, codes: Collection[str]) -> Occurrence:
        """The same, in place of the findings of other rules."""
        said = self.diagnostic
        return replace(self, diagnostic=replace(said, others=said.others | set(codes))) if codes else self

    @property
    def calls(self) -> tuple[ast.AST, ...]:
        """The calls that lead there; none for the function by itself."""
        return self.finding.node.calls


def diagnose(
    source: Source,
    *,
    select: Callable[[str], bool] = lambda code: True,
    ops: Mapping[str, object] | None = None,
    in_full: Confidence = Confidence.POSSIBLE,
    silenced: Silenced = lambda found: (),
    readback: bool = True,
    style: str = STYLES[0],
) -> list[Diagnostic]:
    """All findings of the rules that ``select`` takes (by code), sorted.

    ``style``: the kind of form that fixes have where they can.

    ``ops`` is the user's part of the catalogue. Those that are less sure than ``in_full`` are without their fixes, and
    without what can be executed. A finding that is ``silenced`` for one cause is there for another one, too. Without
    ``readback`` fixes are as their codemods made them, for those who neither make nor show one: that takes less time.
    Raises Unparsable for a source that is not Python.
    """
    facts = analysed(source, ops or {})
    try:
        return sorted(diagnosed(facts, select, in_full, silenced, readback, style), key=Diagnostic.sort_key)
    finally:
        facts.release()


def diagnosed(
    facts: Facts, select: Callable[[str], bool], in_full: Confidence, silenced: Silenced, readback: bool, style: str
) -> Iterator[Diagnostic]:
    """The same of what was analysed, in the order in which it is found."""
    found: list[Occurrence] = []
    with suppress(OutOfBudget):
        found.extend(each_occurrence(facts, select))
    if not found:
        return
    hidden = [found[index] for index in sorted(silenced([one.diagnostic for one in found]))]
    hidden_groups = grouped(hidden, lambda one: (one.place, one.diagnostic.causes))
    groups = [*by_precedence(remaining(found, hidden)), *hidden_groups.values()]
    of_file = [Seen.OF_TESTS] if facts.gradient.roles.of_tests else []
    brief = [group for group in groups if level(surest(group).finding.level, of_file).confidence < in_full]
    for group in brief:
        one = surest(group)
        yield at_level(one.diagnostic, level(one.finding.level, of_file))
    groups = [group for group in groups if group not in brief]
    if not groups:
        return
    forms = fixes_of(facts, [plainest(group).finding for group in groups], style)
    slicing = Slicing(facts)
    slices = [slices_of(slicing, surest(group), group) for group in groups]
    reading = reader(facts, select, in_full) if readback and any(forms) else None
    fixes, refused = chosen(reading, groups, slices, forms) if reading is not None else (list(map(first, forms)), {})
    helped = [index for index, fix in enumerate(fixes) if fix is not None and fix.style == "helper"]
    # where one calls a function that the file has already, it is not made for one call
    helped = [] if any(fix is not None and len(fix.edits) == 1 for fix in map(fixes.__getitem__, helped)) else helped
    if reading is not None:
        if forms != (others := without_helper(forms, helped, style)):
            fixes, refused = chosen(reading, groups, slices, others)
        reading.release()
    for index, (group, fix) in enumerate(zip(groups, fixes, strict=True)):
        one = surest(group)
        seen = [*of_file, *in_the_end(facts, group, slices[index])]
        yield replace(
            at_level(one.diagnostic, level(one.finding.level, seen)),
            fix=fix,
            refused=refused.get(index, ""),
            slices=slices[index],
            probe=probe_of(facts, one.finding),
        )


def occurrences(facts: Facts, select: Callable[[str], bool]) -> list[Occurrence]:
    """What the rules that ``select`` takes find in the file, in the order in which it is found."""
    return list(each_occurrence(facts, select))


def each_occurrence(facts: Facts, select: Callable[[str], bool]) -> Iterator[Occurrence]:
    heard = may_silence(facts.source)
    for rule, finding in findings(facts, lambda rule: select(rule.code)):
        span = facts.span_of(finding.site)
        if span is not None:
            others = silent(facts, rule, finding, span, select) if heard else frozenset()
            yield Occurrence(rule, finding, draft(facts, rule, finding, span, others))


def draft(facts: Facts, rule: Rule, finding: Finding, span: Span, others: frozenset[str]) -> Diagnostic:
    """The diagnostic of a finding, without what takes time to find out."""
    return Diagnostic(
        path=facts.source.path,
        span=span,
        code=rule.code,
        name=rule.name,
        message=finding.message,
        confidence=finding.confidence,
        row=finding.level.row,
        effect=finding.effect,
        sink=finding.hazard.sink.words if finding.hazard is not None else "",
        causes=(*annotated(facts, finding.causes), *annotated(facts, finding.notes, note=True)),
        hazard=finding.hazard.node.op if finding.hazard is not None and not rule.origin else "",
        others=others,
    )


def silent(facts: Facts, rule: Rule, finding: Finding, span: Span, select: Callable[[str], bool]) -> frozenset[str]:
    """The rules that would report the same hazard, had it been left to them: comments may name these, too."""
    own, node = finding.hazard, finding.node
    weighed = (facts.hazards.weigh(node, pole) for pole in facts.hazards.own_poles(node)) if own is None else (own,)
    hazards = [one for one in weighed if isinstance(one, Hazard)]
    asked = ((one, h) for h in hazards for one in RULES.values() if h.node.op in one.hazards and select(one.code))
    return frozenset(
        one.code
        for one, hazard in asked
        if one is not rule and any(facts.span_of(other.site) == span for other in run_rule(one, hazard, facts)[0])
    )


def grouped(
    occurrences: Iterable[Occurrence], key: Callable[[Occurrence], Hashable]
) -> dict[Hashable, list[Occurrence]]:
    groups: dict[Hashable, list[Occurrence]] = {}
    for one in occurrences:
        groups.setdefault(key(one), []).append(one)
    return groups


def surest(group: Iterable[Occurrence]) -> Occurrence:
    """The first of those with the highest confidence."""
    return max(group, key=lambda one: one.finding.confidence)


def plainest(group: Iterable[Occurrence]) -> Occurrence:
    """The one that is fixed, for all calls: that of the function by itself, or the nearest to it."""
    return min(group, key=lambda one: (one.finding.fix is None, len(one.calls), -one.finding.confidence))


def by_precedence(occurrences: Iterable[Occurrence]) -> list[list[Occurrence]]:
    """Occurrences by rule and place, where several rules are about one hazard only those of one.

    That is the rule that has precedence; where its finding is only possible, a surer rule. What a rule says of the form
    of an expression is another fact: it stands beside what is only possible, and hides it nowhere.
    """
    groups = grouped(occurrences, lambda one: one.place)
    best = {one.place: one for one in map(surest, groups.values())}
    instead: dict[Hashable, set[str]] = {}
    for (code, span), one in list(best.items()):
        earlier = [first for first in one.rule.after if (first, span) in best]
        if not earlier:
            continue
        highest = max(best[first, span].finding.confidence for first in earlier)
        if highest > Confidence.POSSIBLE or (one.finding.confidence <= highest and not one.rule.nodes):
            del best[code, span]
        elif not one.rule.nodes:
            for first in earlier:
                del best[first, span]
                instead.setdefault((code, span), set()).add(first)
    return [[one.standing_for(instead.get(place, ())) for one in groups[place]] for place in best]


def remaining(occurrences: Sequence[Occurrence], hidden: Collection[Occurrence]) -> list[Occurrence]:
    """Occurrences without the hidden ones, and without those at the same place over which these have precedence.

    They have it over those in the same call, and in the function by itself. Another call may have causes of its own.
    """

    def preceded(one: Occurrence) -> bool:
        return any(
            (first.rule.code in one.rule.after or first.rule.code in one.diagnostic.others)
            and first.diagnostic.span == one.diagnostic.span
            and (not one.calls or first.calls in ((), one.calls))
            for first in hidden
        )

    return [one for one in occurrences if one not in hidden and not preceded(one)]


def at_level(diagnostic: Diagnostic, judged: Level) -> Diagnostic:
    """A diagnostic with its level, and the row that decided."""
    return replace(diagnostic, confidence=judged.confidence, row=judged.row)


def in_the_end(facts: Facts, group: Iterable[Occurrence], slices: Iterable[Slice]) -> Iterator[Seen]:
    """What speaks against a certain finding: no ordinary input is seen to fail, or nothing comes to it, or of it."""
    sure = [one.finding for one in group if one.finding.confidence is Confidence.CERTAIN]
    if not sure:
        return
    # what searches is imported by those alone who have something to show
    from nanlint.proof.ranges import fails_ordinarily

    if (slices or sure[0].hazard is not None) and not any(map(fails_ordinarily, slices)):
        yield Seen.NOT_SHOWN
    if not any(facts.hazards.happens(one.node) for one in sure):
        yield Seen.NOT_TAKEN


def analysed(
    source: Source,
    ops: Mapping[str, object],
    watched: Collection[int] = (),
) -> Facts:
    """What may be asked of a source. Raises Unparsable if it is not Python.

    ``watched``: rows of which more is asked than what is wrong with them.
    """
    return analysed_by(source, catalogue(ops), watched)


def analysed_by(source: Source, spellings: Spellings, watched: Collection[int], *, alone: bool = False) -> Facts:
    """The same, by a catalogue; ``alone``: of the functions on the rows watched, and those that come to them."""
    words = pole_words(spellings, frozenset(RULES))
    package = package_of(source.path)
    lowering = lower(
        source.tree, spellings, frameworks_of(source), words, package, watched, view_of(source), alone=alone
    )
    return Facts(source, lowering)


def fixes_of(facts: Facts, findings: Sequence[Finding], style: str) -> list[tuple[Fix, ...]]:
    """The forms that the fix of each finding may take, the best first."""
    found: list[tuple[Fix, ...]] = [()] * len(findings)
    mended = [
        (index, finding, finding.fix, finding.site)
        for index, finding in enumerate(findings)
        if finding.fix is not None and finding.site is not None and finding.node.framework in REWRITTEN
    ]
    if not mended:
        return found
    file = File(facts)
    for index, finding, codemod, site in mended:
        checkpoint()
        # Python says of what is inside of an f-string only since 3.12 where it is
        if not any(isinstance(parent, ast.JoinedStr) for parent, _ in file.outline.above(site)):
            found[index] = choices(codemod, Place(file, finding.node), style)
    file.release()
    helped = [index for index, forms in enumerate(found) if any(fix.style == "helper" for fix in forms)]
    return without_helper(found, helped, style)


def without_helper(forms: Sequence[tuple[Fix, ...]], helped: Sequence[int], style: str) -> list[tuple[Fix, ...]]:
    """The forms of fixes without a function that only one of them would call, unless that is the style."""
    alone = helped if len(helped) == 1 and style != "helper" else ()
    return [tuple(f for f in one if i not in alone or f.style != "helper") for i, one in enumerate(forms)]


def reader(facts: Facts, select: Callable[[str], bool], in_full: Confidence) -> Readback:
    """What reads the mended texts of a file."""
    from nanlint.fixes.readback import Readback, Told

    def tell(facts: Facts) -> list[Told]:
        first = map(surest, by_precedence(occurrences(facts, select)))
        return [Told(one.rule.code, cast(ast.AST, one.finding.site), one.finding.confidence) for one in first]

    def analyse(mended: Source, watched: Collection[int]) -> Facts:
        return analysed_by(mended, facts.lowering.spellings, watched, alone=True)

    return Readback(facts.source, analyse, tell, in_full)


def read_back(
    reading: Readback,
    groups: Sequence[Sequence[Occurrence]],
    slices: Sequence[tuple[Slice, ...]],
    forms: Sequence[Sequence[Fix]],
    fixes: Sequence[Fix | None],
) -> dict[int, str]:
    """The fixes of groups of findings, by index, that are not right where they are read back, and why.

    ``forms``: all that each may take.
    """
    made = [index for index, fix in enumerate(fixes) if fix is not None and may_be_made(fix)]
    if not made:
        return {}
    from nanlint.fixes.readback import Offer

    offers = [
        Offer(cast(Fix, fixes[index]), one.rule.code, cast(ast.AST, one.finding.site), slices[index])
        for index in made
        for one in [surest(groups[index])]
    ]
    try:
        said = reading.refused(offers, (form for index in made for form in forms[index] if may_be_made(form)))
    except OutOfBudget:
        said = dict.fromkeys(range(len(offers)), "there was no time left to check it")
    return {made[number]: why for number, why in said.items()}


def may_be_made(fix: Fix) -> bool:
    """Whether a fix can be read back: one with edits, of this file alone."""
    return bool(fix.edits) and not fix.elsewhere and fix.applicability is not Applicability.DISPLAY


def chosen(
    reading: Readback,
    groups: Sequence[Sequence[Occurrence]],
    slices: Sequence[tuple[Slice, ...]],
    forms: Sequence[Sequence[Fix]],
) -> tuple[list[Fix | None], dict[int, str]]:
    """The first form of each fix that is right where it is read back; without any, what a reader sees of the first.

    And why the first was refused, by index, where none is left.
    """
    fixes, why = [first(one) for one in forms], dict[int, str]()
    forms = list(forms)
    waiting, number = list(range(len(forms))), 0
    while waiting:
        tried = [forms[i][number] if i in waiting and number < len(forms[i]) else None for i in range(len(forms))]
        for i in waiting:
            fixes[i] = tried[i]
        refused = read_back(reading, groups, slices, forms, tried)
        for i, said in refused.items():
            forms[i] = with_unseen(forms[i], number, said)
        why = refused | why
        waiting = [i for i in refused if number + 1 < len(forms[i]) and may_be_made(forms[i][number + 1])]
        for i in refused.keys() - set(waiting):
            fixes[i] = demoted(forms[i][0])
        number += 1
    why = {i: text for i, text in why.items() if (fix := fixes[i]) is None or not fix.edits}
    return fixes, why


def with_unseen(forms: Sequence[Fix], number: int, said: str) -> Sequence[Fix]:
    """The forms of a fix, with one that is wrong only for what is not seen as an unsafe one behind the safe ones."""
    from nanlint.fixes.keeping import Unseen

    form = forms[number]
    if not isinstance(said, Unseen) or form.applicability is not Applicability.SAFE:
        return forms
    later = replace(form, applicability=Applicability.UNSAFE, message=f"{form.message}: {said}")
    rest = sorted((later, *forms[number + 1 :]), key=lambda one: one.applicability is not Applicability.SAFE)
    return (*forms[: number + 1], *rest)


def first(forms: Sequence[Fix]) -> Fix | None:
    """The best form of a fix."""
    return forms[0] if forms else None


def demoted(fix: Fix) -> Fix | None:
    """A fix that is not to be made, as what a reader sees of it."""
    return display(fix.display) if fix.display else None


def slices_of(slicing: Slicing, one: Occurrence, group: Iterable[Occurrence]) -> tuple[Slice, ...]:
    """What can be executed to show a finding: as the function by itself has it, then as it is called."""
    if not about_numbers(one.rule, one.finding):
        return ()
    alike = [other.finding for other in group if other.finding.confidence == one.finding.confidence]
    nearest = sorted(alike, key=lambda other: len(other.node.calls))[:MAX_SLICES]
    found = (slicing.slice_of(other.node, other.hazard, [cause for cause, _ in other.causes]) for other in nearest)
    return tuple(program for program in found if program is not None)


def probe_of(facts: Facts, finding: Finding) -> Probe | None:
    """What a run watches of a finding: the op, its operands where they stand, the pole; or the parts of a form."""
    node, hazard = finding.node, finding.hazard
    own = part_of(facts, node)
    if own is None:
        return None
    probe = Probe(own.span, node.op, facts.framework(node), own.operands)
    if hazard is None or hazard.node is not node:
        shown = (*finding.causes, *finding.notes)
        parts = (part_of(facts, cause) for cause, _ in shown if cause.op in OPS and cause is not node)
        cancels = (("result", 0.0, "zero"),) if node.op in SIGNED else ()
        probe = replace(probe, poles=own.poles or cancels)
        return replace(probe, parts=tuple(part for part in parts if part is not None and part.span != own.span))
    pole = hazard.pole
    broken = pole.gradient or hazard.guard is not None
    poles = ((pole.name, pole.shift, pole.cls),)
    return replace(probe, operand=pole.name, shift=pole.shift, cls=pole.cls, gradient=broken, poles=poles)


def part_of(facts: Facts, node: Node) -> Part | None:
    """Where an op stands, and its operands."""
    span = facts.span(node)
    if span is None:
        return None
    operands = ((name, facts.span_of(e)) for name, e in written_operands(node))
    written = tuple((name, place) for name, place in operands if place is not None and place != span)
    return Part(span, written, node.op, tuple(measured(node.op, written)))


def measured(op: str, written: Sequence[tuple[str, Span]]) -> Iterator[tuple[str, float, str]]:
    """What tells how near an op is to breaking: its poles; of how many elements a reduction is."""
    known = OPS.get(op)
    yield from ((one.name, one.shift, one.cls) for one in (known.poles if known is not None else ()) if not one.also)
    if known is not None and known.reduction and not known.poles:
        yield from ((name, 0.0, "empty") for name, _ in written[:1])


def annotated(facts: Facts, texts: Iterable[tuple[Node, str]], *, note: bool = False) -> Iterator[Annotation]:
    """Nodes with their texts where they stand, without those that have no place of their own."""
    for node, text in texts:
        span = facts.span(node)
        place = Annotation(span, text) if span is not None else elsewhere(facts, node, text)
        if place is not None and text:
            yield replace(place, note=note)


def findings(facts: Facts, select: Callable[[Rule], bool]) -> Iterable[tuple[Rule, Finding]]:
    """What every rule that is asked for says; on a hazard the first one that speaks has the last word."""
    return ((answer.rule, finding) for answer in answers(facts, select) for finding in answer.findings)


#: why a rule that gives no other reason says nothing
NO_FORM = "this pattern does not occur here"


@dataclass(frozen=True, eq=False)
class Answer:
    """What one rule said of one op, or of one of its hazards: findings, or why it has none."""

    rule: Rule
    node: Node
    hazard: Hazard | None
    findings: tuple[Finding, ...] = ()
    reason: str = ""


def run_rule(rule: Rule, subject: Hazard | Node, facts: Facts) -> tuple[list[Finding], str]:
    """What a rule says of a subject, and the reason that it returns. Raises RuleFailed for a plugin's."""
    if rule.origin:
        with blamed(rule):
            found, reason = exhausted(rule, subject, facts)
            found = plugin_findings(rule, found)
    else:
        found, reason = exhausted(rule, subject, facts)
    sure = [one for one in found if one.level.reach >= POSSIBLE]
    return sure, reason or (found[0].level.why if len(sure) < len(found) else "")


def exhausted(rule: Rule, subject: Hazard | Node, facts: Facts) -> tuple[list[Finding], str]:
    """All that a rule yields, and the text that it returns; of what is no generator all that is in it."""
    found: list[Finding] = []
    try:
        iterator = iter(rule.check(subject, facts))
        while True:
            found.append(next(iterator))
    except StopIteration as end:
        return found, end.value if isinstance(end.value, str) else ""
    except NothingToSay as end:
        return found, str(end)


@contextmanager
def blamed(rule: Rule) -> Iterator[None]:
    """What a plugin's rule raises is its own."""
    try:
        yield
    except RuleFailed:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if not frame.filename.startswith(os.path.dirname(os.path.dirname(__file__)))]
        frame = (own or list(frames))[-1]
        place = f"line {frame.lineno} of {os.path.basename(frame.filename)}"
        raise RuleFailed(f"{rule.code} of {rule.origin} failed: {type(error).__name__}: {error} ({place})") from error


def plugin_findings(rule: Rule, said: Iterable[object]) -> list[Finding]:
    """The findings of a plugin's rule, if they are findings."""
    found = []
    for one in said:
        if not isinstance(one, Finding):
            raise RuleFailed(f"{rule.code} of {rule.origin} yields {one!r}, which is not a Finding")
        found.append(one)
    return found


def answers(facts: Facts, select: Callable[[Rule], bool]) -> Iterator[Answer]:
    """The answers of all rules that are asked for, without those that have neither a finding nor a reason."""
    rules = in_order(tuple(rule for rule in RULES.values() if select(rule)))
    by_op: dict[str, list[Rule]] = {}
    for rule in rules:
        for op in rule.hazards:
            by_op.setdefault(op, []).append(rule)
    claimed: dict[int, Rule] = {}
    for rule in rules:
        checkpoint()
        for node in facts.nodes(rule.nodes) if rule.nodes else ():
            found, reason = run_rule(rule, node, facts)
            for finding in found:
                if not (rule.after or rule.origin) and (
                    finding.node is node or finding.confidence > Confidence.POSSIBLE
                ):
                    claimed.setdefault(node.index, rule)
            if found or reason:
                yield Answer(rule, node, None, tuple(found), reason)
    for hazard in facts.all_hazards():
        claim = claimed.get(hazard.node.index)
        own, others = by_origin(by_op.get(hazard.node.op, []))
        told = list(by_first(own, hazard, facts) if claim is None else superseded(own, hazard, claim))
        yield from told
        said = {answer.rule.code: answer.rule for answer in told if answer.findings}
        if claim is not None:
            said[claim.code] = claim
        for rule in others:
            first = next((said[code] for code in sorted(rule.after) if code in said), None)
            yield from by_first([rule], hazard, facts) if first is None else superseded([rule], hazard, first)


def by_origin(rules: Iterable[Rule]) -> tuple[list[Rule], list[Rule]]:
    """Our own rules, and those of plugins: of these each is asked, but for those that it lets speak first."""
    own: list[Rule] = []
    others: list[Rule] = []
    for rule in rules:
        (others if rule.origin else own).append(rule)
    return own, others


def by_first(rules: Sequence[Rule], hazard: Hazard, facts: Facts) -> Iterator[Answer]:
    """The answers to a hazard, up to the first rule that has findings; those after it are not asked."""
    for position, rule in enumerate(rules):
        found, reason = run_rule(rule, hazard, facts)
        if found:
            void = tuple((one.number, one.why) for one in facts.epsilons(hazard.node))
            with_hazard = (
                replace(finding, hazard=finding.hazard or hazard, notes=(*finding.notes, *void)) for finding in found
            )
            yield Answer(rule, hazard.node, hazard, tuple(with_hazard))
            yield from superseded(rules[position + 1 :], hazard, rule)
            return
        yield Answer(rule, hazard.node, hazard, (), reason or NO_FORM)


def superseded(rules: Iterable[Rule], hazard: Hazard, by: Rule) -> Iterator[Answer]:
    """The answers of rules that another one leaves nothing to say."""
    return (Answer(rule, hazard.node, hazard, (), f"already reported as {by.code}") for rule in rules if rule is not by)


@lru_cache(maxsize=8)
def in_order(rules: tuple[Rule, ...]) -> Sequence[Rule]:
    """Rules such that each comes after those it lets speak first."""
    pending: list[Rule] = sorted(rules, key=lambda r: r.code)
    ordered: list[Rule] = []
    while pending:
        codes = {r.code for r in pending}
        ready = [r for r in pending if not r.after & codes] or pending[:1]
        ordered.extend(ready)
        pending = [r for r in pending if r not in ready]
    return ordered


def frameworks_of(source: Source) -> tuple[str, ...]:
    """The frameworks a file imports, before those it mentions or has through its project; all where none is seen."""
    named, text = frameworks_named(source.tree, ()), source.text
    found = (*named, *(f for f in FRAMEWORKS if f in text and f not in named))
    if "autograd" in text and "jax" not in found:
        found = (*found, "jax")
    if not found and (view := view_of(source)) is not None:
        near = groupby(view.packages_behind(source.tree), key=itemgetter(0))
        used = (frozenset[str]().union(*(packages for _, packages in modules)) for _, modules in near)
        found = next(filter(None, (tuple(f for f in FRAMEWORKS if f in packages) for packages in used)), ())
    return found or FRAMEWORKS


def package_of(path: str) -> tuple[str, ...]:
    """The package a file lies in, as far as its path shows one of the known frameworks' own source trees."""
    parts = PurePath(path).parts[:-1]
    found: tuple[str, ...] = ()
    for i in range(len(parts) - 1, -1, -1):
        if not parts[i].isidentifier():
            break
        if parts[i] in FRAMEWORKS:
            found = parts[i:]
    return found


@lru_cache(maxsize=8)
def pole_words(spellings: Spellings, codes: frozenset[str]) -> frozenset[str]:
    """Names that make a function worth lowering: of ops with a pole, of those that rules ask about, and NaN itself."""
    asked = {name for name, op in OPS.items() if op.breaks}
    asked = asked.union(*(RULES[code].nodes | RULES[code].hazards for code in codes))
    wanted = asked - COMMON | SATURATING
    words = {name.rpartition(".")[2] for name, op in spellings.ops() if op in wanted}
    return frozenset(words | NAN | {"gradient", "GradientTape", "compile"})
