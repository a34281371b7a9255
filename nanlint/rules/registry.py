"""What a rule is, the decorator that enters one, and what a rule says of a place.

Rules themselves are in files of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeAlias

from nanlint.diagnostic import Applicability, Confidence
from nanlint.graph.node import Node
from nanlint.hazards.level import Level, Seen
from nanlint.housekeeping import RulePage, page_beside
from nanlint.ops.value import POSSIBLE, Origin, Reach

if TYPE_CHECKING:
    from nanlint.fixes.codemod import Codemod
    from nanlint.hazards.facts import Facts
    from nanlint.hazards.record import Form, Hazard

#: what a rule yields; it may return the reason, in words, why it yields nothing
Findings: TypeAlias = "Generator[Finding, None, Any]"
Check: TypeAlias = "Callable[[Any, Facts], Iterator[Finding]]"

RULES: dict[str, Rule] = {}


class NothingToSay(Exception):
    """Ends a rule, as a ``return`` with the reason would."""


#: the frameworks in which a hazard exists unless its rule says otherwise
FRAMEWORKS = "torch tensorflow jax numpy"


@dataclass(frozen=True)
class Finding:
    """What a rule says of a place: the op, what is judged, the causes with what each does, the codemod that mends it.

    ``judged``: the record whose level it has, with what the rule saw besides; a rule may state a level instead.

    ``at``: the expression to underline where it is not the op's own (a call that leads to it). ``hazard``: the pole
    that makes it so; filled in where the rule was asked about one. ``causes``: where what is bad is made; a comment
    there may silence the finding. ``notes``: what is shown with them and is none, such as where the value is used.
    """

    node: Node
    message: str
    effect: str
    judged: Hazard | Form | Confidence
    causes: tuple[tuple[Node, str], ...] = ()
    fix: Codemod | None = None
    at: ast.AST | None = None
    hazard: Hazard | None = None
    notes: tuple[tuple[Node, str], ...] = ()

    @cached_property
    def level(self) -> Level:
        """How sure it is, and by which row."""
        return (
            Level(Reach(self.judged + 1), "stated", "its rule says so")
            if isinstance(self.judged, Confidence)
            else self.judged.level
        )

    @property
    def confidence(self) -> Confidence:
        return self.level.confidence

    @property
    def site(self) -> ast.AST | None:
        """The expression to underline: ``at``, or the op's own."""
        return self.at if self.at is not None else self.node.site


@dataclass(frozen=True, kw_only=True)
class Rule(RulePage):
    """A rule about numbers, and the ops it asks about. Its page is ``<name>.md`` beside it, or its docstring.

    ``hazards``: it is asked about hazards of these ops; ``nodes``: about every node of these ops. ``after``: rules
    that have the first word on a hazard. ``frameworks``: those in which the hazard exists, each with its programs on
    the rule's page."""

    check: Check
    hazards: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    frameworks: frozenset[str] = frozenset(FRAMEWORKS.split())

    @property
    def page(self) -> str:
        return page_beside(self.check.__module__, self.name) or cleandoc(self.check.__doc__ or "")


#: groups of rules whose findings are about numbers that become nan or inf, not about lost gradients, losses or data
OF_NUMBERS = ("NL1", "NL2", "NL3", "NL4", "NL5")


def about_numbers(rule: Rule, finding: Finding) -> bool:
    """Whether a finding says that a number or a gradient becomes nan or inf; what costs digits only is possible."""
    if rule.origin:
        return finding.hazard is not None
    if not rule.code.startswith(OF_NUMBERS):
        return False
    return finding.hazard is not None or finding.confidence > Confidence.POSSIBLE


def rule(
    code: str,
    name: str,
    *,
    hazards: str = "",
    nodes: str = "",
    after: str = "",
    fixable: Applicability | None = None,
    frameworks: str = FRAMEWORKS,
    preview: bool = False,
) -> Callable[[Check], Check]:
    """Enter a rule. ``hazards`` and ``nodes`` are space-separated ops, ``after`` space-separated codes.

    ``frameworks``: those in which the hazard exists, where it does not in all of them (there is no gradient in NumPy).
    A rule about nodes that comes after others leaves them their hazards.
    """

    def enter(check: Check) -> Check:
        RULES[code] = Rule(
            code,
            name,
            fixable,
            preview=preview,
            check=check,
            hazards=frozenset(hazards.split()),
            nodes=frozenset(nodes.split()),
            after=frozenset(after.split()),
            frameworks=frozenset(frameworks.split()),
        )
        return check

    return enter


def confidence(reach: Reach) -> Confidence:
    """Confidence that a reach gives. Raises NothingToSay, which ends the rule, below possible."""
    if reach < POSSIBLE:
        raise NothingToSay("its confidence would be below possible")
    return Confidence(reach - 1)


def in_numpy(hazard: Hazard) -> Seen:
    """What it means for an infinity that it is one of NumPy's: little, if all that speaks for it is that nobody looked,
    or that two numbers may be equal."""
    return Seen.WEAK_IN_NUMPY if hazard.evidence.origin in (Origin.UNGUARDED, Origin.COINCIDENCE) else Seen.IN_NUMPY
