"""Fixes are read back: the mended text is lowered and asked for findings, and must be the old one but for the fix.

A fix is offered only if the mended text parses, nothing new is found beside what was replaced, a safe one ends its
finding, and the graph is the old one with the replaced expression in it: a new computation of the values that the old
one was computed of. Read are the functions that are changed, and some that call them. This is one mechanism for all
codemods; none of them is trusted.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from nanlint.analysis.epsilons import small
from nanlint.diagnostic import Applicability, Confidence, Fix
from nanlint.fixes.file import File
from nanlint.fixes.keeping import Kept, Unseen
from nanlint.frontend.equivalence import Likeness, Problem
from nanlint.graph.node import Node, unrefined
from nanlint.hazards.facts import Facts
from nanlint.proof.mending import mended_slices, uncured_by_formulas
from nanlint.proof.pairing import Differences
from nanlint.proof.slice import Slice
from nanlint.source import Source
from nanlint.source.decoding import SourceError
from nanlint.source.edits import Taken, edited
from nanlint.source.pairing import Pairing, Stretch, Unpaired

#: a finding as its rule's code and the number of the piece of syntax that it is about, None inside of what changed
Known: TypeAlias = "tuple[str, int | None]"


@dataclass(frozen=True)
class Told:
    """What is found in a text: code, the piece of syntax that it is about, how sure."""

    code: str
    site: ast.AST
    confidence: Confidence


@dataclass(frozen=True)
class Offer:
    """A fix and the finding that it mends. ``slices``: what can be executed to show that."""

    fix: Fix
    code: str
    site: ast.AST
    slices: Sequence[Slice] = ()


@dataclass
class Readback:
    """Reads mended texts of one file, and keeps what is known of the text as it is.

    ``analyse``: what may be asked of a text, of the functions on some of its ``rows``. ``tell``: what is found in it.
    """

    source: Source
    analyse: Callable[[Source, Collection[int]], Facts]
    tell: Callable[[Facts], Sequence[Told]]
    minimum: Confidence
    rows: Collection[int] = ()

    def refused(self, offers: Sequence[Offer], forms: Iterable[Fix]) -> dict[int, str]:
        """The offers, by index, that are not to be made, and why. ``forms``: all that the fixes may take."""
        placed = [self.source.placed(edit.span) for form in forms for edit in form.edits]
        rows = frozenset(row for span in placed for row in range(span.row, span.end_row + 1))
        if rows != self.rows:
            self.release()
            self.rows = rows
        refused: dict[int, str] = {}
        waiting = list(range(len(offers)))
        while waiting:
            group: list[int] = []
            rest: list[int] = []
            taken = Taken()
            first = offers[waiting[0]].fix
            for index in waiting:
                fix = offers[index].fix
                alike = (fix.applicability, fix.changes) == (first.applicability, first.changes)
                (group if alike and taken.takes(fix.edits) else rest).append(index)
            waiting = rest
            refused |= self.wrong({index: offers[index] for index in group})
        return refused

    def release(self) -> None:
        """Let go of what is known of the text as it is."""
        known = [vars(self).pop(name, None) for name in ("facts", "found", "kept")]
        if known[0] is not None:
            known[0].release()

    @cached_property
    def facts(self) -> Facts:
        """Of the text as it is, where the offers change it."""
        return self.analyse(self.source, self.rows)

    @cached_property
    def found(self) -> Sequence[Told]:
        """What is found there."""
        return self.tell(self.facts)

    def wrong(self, group: Mapping[int, Offer]) -> dict[int, str]:
        """Those of some compatible offers that are wrong: judged together, and without those that are to blame.

        Where it does not show which are, each half is judged by itself.
        """
        indices, offers = list(group), list(group.values())
        problem = self.problem(offers)
        if problem is None:
            return {}
        blamed, text = problem
        if blamed:
            rest = {index: group[index] for number, index in enumerate(indices) if number not in blamed}
            return {indices[number]: said for number, said in blamed.items()} | (self.wrong(rest) if rest else {})
        if all(offer.fix == offers[0].fix for offer in offers):
            return dict.fromkeys(group, text)
        middle = len(indices) // 2
        return self.wrong({i: group[i] for i in indices[:middle]}) | self.wrong({i: group[i] for i in indices[middle:]})

    def problem(self, offers: Sequence[Offer]) -> tuple[Mapping[int, str], str] | None:
        """What is wrong with the text that some compatible fixes make: by those that are to blame, and in a word."""
        source = self.source
        edits = [edit for offer in offers for edit in offer.fix.edits]
        try:
            mended = edited(source, edits)
            if len(mended.failures) > len(source.failures):
                return {}, "the file would not parse"
            pairing = Pairing(source, mended, edits)
            facts = self.analyse(mended, pairing.rows_after(self.rows))
        except Unpaired:
            return {}, "the surrounding code would change its meaning"
        except SourceError as error:
            return {}, str(error)
        try:
            blamed: dict[int, str] = {}
            functions: set[ast.AST] = set()
            for piece, text in self.differences(facts, pairing, offers):
                if isinstance(text, Unseen) and offers[0].fix.applicability is not Applicability.SAFE:
                    break
                makers = self.makers_of(piece, pairing, offers)
                if not (makers or blamed):
                    return {}, text
                # further on in a function it may come of the same
                there = {self.kept.file.outline.function(offers[number].site) for number in makers}
                if functions.isdisjoint(there):
                    blamed |= dict.fromkeys(makers, text)
                    functions |= there
                if len(blamed) == len(offers):
                    break
            open_still = all(isinstance(text, Unseen) for text in blamed.values())
            if open_still and (found := self.new_finding(facts, pairing, offers)) is not None:
                return found
            blamed = blamed or dict(self.uncured(facts, pairing, offers))
            return (blamed, next(iter(blamed.values()))) if blamed else None
        finally:
            facts.release()

    def makers_of(self, piece: ast.AST | None, pairing: Pairing, offers: Sequence[Offer]) -> Collection[int]:
        """The offers whose edits bring a piece of the mended text."""
        stretches = pairing.replaced_by(piece) if piece is not None else ()
        met = [
            {number for number, offer in enumerate(offers) if any(one.holds(own) for own in self.stretches(offer))}
            for one in stretches
        ]
        return met[0] if len(met) == 1 else ()

    def differences(self, facts: Facts, pairing: Pairing, offers: Sequence[Offer]) -> Iterator[Problem]:
        """What the mended text computes that it should not: of other values, or other numbers of them.

        What is wrong in any case comes first.
        """

        def also(node: Node) -> bool:
            """The author's epsilon, where the fix says that it changes numbers by that."""
            return offers[0].fix.changes and small(unrefined(node), facts.value)

        likeness = Likeness(self.facts.lowering, facts.lowering, pairing, also)
        yield from likeness.problems()
        kept = list(self.kept.problems(pairing, likeness, facts))
        yield from (one for one in kept if not isinstance(one[1], Unseen))
        exact = offers[0].fix.applicability is Applicability.SAFE
        differences = Differences(self.facts, facts, likeness, pairing, exact=exact)
        if not exact:
            yield from differences.harms()
        if not offers[0].fix.changes:
            yield from differences.problems()
            sites = [offer.site for offer in offers]
            if differences.ended and (self.kept.means_nan(pairing) or differences.asks_for_nan(sites)):
                yield None, "the nan is intended here"
        yield from (one for one in kept if isinstance(one[1], Unseen))

    def uncured(self, facts: Facts, pairing: Pairing, offers: Sequence[Offer]) -> Iterator[tuple[int, str]]:
        """The unsafe fixes after which the input that shows the finding fails as before; safe ones end it."""
        for number, offer in enumerate(offers):
            if offer.fix.applicability is Applicability.UNSAFE:
                said = [uncured_by_formulas(one, mended_slices(one, pairing, facts)) for one in offer.slices]
                if said and all(said):
                    yield number, f"it would still give {said[0]}"

    @cached_property
    def kept(self) -> Kept:
        """Asks what fixes keep beside the numbers."""
        return Kept(File(self.facts))

    def stretches(self, offer: Offer) -> Iterator[Stretch]:
        """Where the edits of an offer stand in the text as it is."""
        for edit in offer.fix.edits:
            span = self.source.placed(edit.span)
            yield Stretch(self.source.offset(span.row, span.column), self.source.offset(span.end_row, span.end_column))

    def new_finding(
        self, facts: Facts, pairing: Pairing, offers: Sequence[Offer]
    ) -> tuple[Mapping[int, str], str] | None:
        """The code of a finding that should not be there: one beside what was replaced, or one that was to be mended.

        An unsafe fix may leave its finding to the next round, where it is mended further.
        """
        after = self.tell(facts)
        # contexts are the same object everywhere
        inside = {id(node) for node in pairing.brought if not isinstance(node, ast.expr_context)}
        rounds = {offer.code for offer in offers if offer.fix.applicability is not Applicability.SAFE}
        # on what is around the replacement another rule may have the word now
        beside = [
            one
            for one in after
            if one.code not in rounds and not any(id(node) in inside for node in ast.walk(one.site))
        ]
        for minimum in {Confidence.POSSIBLE, self.minimum}:
            # what is found in the text as it is takes long to find: it is asked for only where something is left
            if not beside:
                continue
            known = counted(self.found, pairing, minimum)
            # where one rule had the word, another may have it now
            told = {site for _, site in known if site is not None}
            new = [one for one in counted(beside, pairing, minimum) - known if one[1] not in told]
            if new:
                return {}, f"{min(new, key=str)[0]} would be reported"
            left = counted(after, pairing, minimum)
            for number, offer in enumerate(offers):
                here = offer.code, pairing.place(offer.site)
                if here[0] not in rounds and left[here] and left[here] >= counted(self.found, pairing, minimum)[here]:
                    said = f"{offer.code} would still be reported"
                    return {number: said}, said
        return None


def counted(found: Iterable[Told], pairing: Pairing, least: Confidence) -> Counter[Known]:
    """How many findings there are of each rule about each piece of syntax."""
    return Counter((one.code, pairing.place(one.site)) for one in found if one.confidence >= least)
