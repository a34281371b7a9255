"""What the truth of one condition says of others: the same one, its negation, its parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from nanlint.graph.node import CONST, REFINE, TUPLE, Graph, Node
from nanlint.graph.path import Known, PathCondition

#: facts about a condition itself, on the path taken: that it is true, or false
TRUE, FALSE = "true", "false"
TRUTHS = frozenset({TRUE, FALSE})

#: a comparison with the two ends of an interval: not between them
OUTSIDE = "outside"
#: what the functions of NumPy, PyTorch and JAX take for close, where no tolerance is given
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-5, 1e-8

MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
OPPOSITE = {**NEGATED, "is": "isnot", "isnot": "is"}


def without_not(cond: Node, truth: bool) -> tuple[Node, bool]:
    """The condition behind negations, and its truth where ``cond`` is ``truth``."""
    while cond.op in (REFINE, "not") and "x" in cond.args:
        cond, truth = cond["x"], truth != (cond.op == "not")
    return cond, truth


def settled(graph: Graph, cond: Node, truth: bool) -> Iterator[tuple[int, str, Node]]:
    """Which conditions are true and which false where ``cond`` is ``truth``, however they are written: as facts."""
    cond, truth = without_not(cond, truth)
    if (cond.op == "and" and truth) or (cond.op == "or" and not truth):
        for part in cond.args.values():
            yield from settled(graph, part, truth)
    yield cond.key, TRUE if truth else FALSE, cond
    yield graph.key("not", {"x": cond}, {}), FALSE if truth else TRUE, cond
    opposite = OPPOSITE.get(cond.op)
    if opposite is not None:
        yield graph.key(opposite, cond.args, cond.attrs), FALSE if truth else TRUE, cond
    if cond.op in MIRRORED:
        swapped = {"a": cond["b"], "b": cond["a"]}
        yield graph.key(MIRRORED[cond.op], swapped, cond.attrs), TRUE if truth else FALSE, cond
        yield graph.key(NEGATED[MIRRORED[cond.op]], swapped, cond.attrs), FALSE if truth else TRUE, cond


def of_nothing(cond: Node, truth: bool) -> bool:
    """Whether a condition is that an array has no elements."""
    cond, truth = without_not(cond, truth)
    if cond.op in ("eq", "ne") and cond["a"].op == "size" and cond["b"].attrs.get("value") == 0:
        return (cond.op == "eq") == truth
    return cond.op == "size" and not truth


def truth_of(cond: Node, facts: Known) -> bool | None:
    """Whether the path taken says that a condition holds, or that it does not; None if it says nothing."""
    cond, truth = without_not(cond, True)
    known = said_of(cond.key, facts)
    return None if known is None else known == truth


def said_of(key: int, facts: Known) -> bool | None:
    """Whether the path taken says that a condition, by key, is true."""
    return next((said == TRUE for said, _ in facts.get(key, ()) if said in TRUTHS), None)


def parting(a: PathCondition, b: PathCondition) -> tuple[Node, bool] | None:
    """The condition at which two paths part, and what it is on the first; None where nothing tells them apart."""
    _, keys, _ = a.up_to(b)
    for key in keys:
        for said, cond in a.get(key, ()):
            if said in TRUTHS and cond.key == key:
                other = truth_of(cond, b)
                if other is not None and other != (said == TRUE):
                    return cond, said == TRUE
    return None


def narrowest_last(facts: Iterable[tuple[str, Node]]) -> list[tuple[str, Node]]:
    """What is known of one expression, in an order in which each tells the most: on which side of an interval first."""
    return sorted(facts, key=lambda fact: fact[0] == OUTSIDE)


def apart(graph: Graph, center: Node, radius: float) -> tuple[str, Node] | None:
    """What holds of a number that is further than ``radius`` from a literal; None where it is no literal."""
    number = center.attrs.get("value") if center.op == CONST else None
    if not isinstance(number, (int, float)) or isinstance(number, bool) or not math.isfinite(number):
        return None
    ends = (graph.add(CONST, {}, {"value": number + by}, None) for by in (-radius, radius))
    return OUTSIDE, graph.add(TUPLE, dict(zip("01", ends, strict=True)), {}, None)
