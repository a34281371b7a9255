"""NL408."""

from __future__ import annotations

from nanlint.analysis.algebra import monomial
from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.log_space import (
    closed,
    empty_rows,
    log_addition,
    masked_by_infinity,
    selected_again,
    unguarded_shift,
)
from nanlint.diagnostic import Applicability
from nanlint.fixes.finite_shift import FiniteShift
from nanlint.fixes.log_add import LogAdd
from nanlint.graph.node import LOOP, Node
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.op import Pole
from nanlint.ops.value import LIKELY, NEVER, POSSIBLE, Evidence, Origin, Reach
from nanlint.rules.registry import Finding, Findings, rule

NAN = Pole("result", "nan", "nan")
#: what features are multiplied by: scores, and no logarithms of what may be 0
PRODUCTS = frozenset({"dot", "einsum", "linear"})


@rule("NL408", "infinite-max-shift", nodes="exp", fixable=Applicability.SAFE)
def infinite_max_shift(exp: Node, facts: Facts) -> Findings:
    if facts.hazards.masked_by(exp, NAN) is not None:
        return "a later selection removes the NaN"
    added = log_addition(exp)
    if added is not None:
        terms = (added.a, added.b)
        if any(facts.value(t).ninf is NEVER or facts.value(t).constant is not None for t in terms):
            return "one of the terms is never -inf"
        judged = form(Seen.OF_DATA, not all(of_log_space(t, facts) for t in terms) and Seen.UNSURE)
        message = "handwritten logaddexp: -inf - -inf = nan if both are log(0)"
        cause = ((added.difference, "-inf - -inf = nan"),)
        yield Finding(added.total, message, "logaddexp(-inf, -inf) = -inf", judged, cause, LogAdd(added))
        return
    shift = unguarded_shift(exp["x"])
    if shift is None:
        return "no maximum is subtracted from the exponent"
    weighed: tuple[Reach, Evidence | None] = (NEVER, None)
    masked = masked_by_infinity(shift.x, facts.value)
    if shift.itself:
        because = "is the element itself if there is no other one"
        weighed = LIKELY, Evidence(because, shift.maximum, origin=Origin.EMPTY)
    elif masked is not None and not selected_again(exp, masked):
        weighed = empty_rows(masked, facts.value)
    elif (
        masked is None
        and closed(exp)
        and not any(facts.bare(n).op in PRODUCTS for n in monomial(shift.x, facts.value).above)
    ):
        weighed = POSSIBLE, Evidence("is -inf for a row of zeros in log space", shift.maximum, origin=Origin.INTENT)
    reach, note = weighed
    if note is None:
        return "no evidence that a whole row is -inf"
    yield Finding(
        shift.difference,
        "shift by a maximum that may be -inf itself: -inf - -inf = nan",
        "-inf - -inf = nan",
        form(reach=reach),
        ((note.node, note.text),) if note.node is not None else (),
        FiniteShift(shift) if closed(exp) or shift.itself else None,
    )


def of_log_space(term: Node, facts: Facts) -> bool:
    """Whether a term is given from outside, or carried along a recursion: of which -inf is the usual start."""
    return facts.bare(term).op in UNKNOWNS | {LOOP}
