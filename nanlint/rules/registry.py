"""What a rule is, the decorator that enters one, and what a rule says of a place.

Rules themselves are in files of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeAlias

from nanlint.diagnostic import Applicability, Confidence
from nanlint.graph.node import Node
from nanlint.housekeeping import RulePage, page_beside
from nanlint.ops.value import POSSIBLE, Origin, Reach

if TYPE_CHECKING:
    from nanlint.analysis.facts import Facts
    from nanlint.analysis.hazards import Hazard
    from nanlint.fixes.codemod import Codemod

#: what a rule yields; it may return the reason, in words, why it yields nothing
Findings: TypeAlias = "Generator[Finding, None, Any]"
Check: TypeAlias = "Callable[[Any, Facts], Iterator[Finding]]"

RULES: dict[str, Rule] = {}

#: why a rule says nothing of what it weighed and found harmless
LOWERED = "its confidence would be below possible"


class NothingToSay(Exception):
    """Ends a rule, as a ``return`` with the reason would."""


#: the frameworks in which a hazard exists unless its rule says otherwise
FRAMEWORKS = "torch tensorflow jax numpy"


@dataclass(frozen=True)
class Finding:
    """What a rule says of a place: the op, the causes with what each does, how sure, and the codemod that mends it.

    ``at``: the expression to underline where it is not the op's own (a call that leads to it). ``hazard``: the pole
    that makes it so; filled in where the rule was asked about one. ``causes``: where what is bad is made; a comment
    there may silence the finding. ``notes``: what is shown with them and is none, such as where the value is used.
    """

    node: Node
    message: str
    effect: str
    confidence: Confidence
    causes: tuple[tuple[Node, str], ...] = ()
    fix: Codemod | None = None
    at: ast.AST | None = None
    hazard: Hazard | None = None
    notes: tuple[tuple[Node, str], ...] = ()

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
    most: Confidence = Confidence.CERTAIN,
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


def confidence(reach: Reach, *, lowered: int = 0, otherwise: str = LOWERED) -> Confidence:
    """Confidence that a reach gives, lowered by some steps. Raises NothingToSay, which ends the rule, below possible.

    ``otherwise``: the reason that the rule gives then.
    """
    level = int(reach) - 1 - lowered
    if level < 1:
        raise NothingToSay(otherwise)
    return Confidence(level)


def milder(hazard: Hazard) -> int:
    """Steps by which an infinity is lowered where it may be meant, as in NumPy: what is possible stays so.

    Unless all that speaks for it is that nobody looked, or that two numbers may be equal.
    """
    weak = hazard.evidence.origin in (Origin.UNGUARDED, Origin.COINCIDENCE)
    return int(weak or hazard.reach > POSSIBLE)
