"""NL106."""

from __future__ import annotations

from nanlint.analysis.algebra import Term, beside, monomial, ratio, terms
from nanlint.diagnostic import Applicability
from nanlint.fixes.codemod import Codemod
from nanlint.fixes.forms import LOG_TWO_COSH, LOGADDEXP, each
from nanlint.fixes.logsumexp import LogSumExp
from nanlint.fixes.rewrite import Rewrite
from nanlint.graph.node import Node
from nanlint.hazards.exponentials import REDUCTIONS, overflow, overflowing, shifted
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.rules.registry import Finding, Findings, rule


@rule("NL106", "log-of-sum-of-exp", nodes="log log1p", fixable=Applicability.SAFE)
def log_of_sum_of_exp(log: Node, facts: Facts) -> Findings:
    parts = monomial(log["x"], facts.value)
    found = next((f for factor in parts.above if (f := summed(factor, facts)) is not None), None)
    if found is None or facts.scalar(log):
        return "no sum of exponentials that overflow"
    exp, unsure = found
    if exp.op == "exp" and len(parts.above) > 1 and not any(f.op in REDUCTIONS for f in parts.above):
        unsure = True
    yield Finding(
        log,
        "log of a sum of exponentials without subtracting the maximum: inf for large, -inf for small exponents",
        "log(inf) = inf, log(0) = -inf",
        form(Seen.OF_TRAINED, unsure and Seen.UNSURE),
        ((exp, overflow(exp, facts)),),
        stable(log, facts),
    )


def summed(factor: Node, facts: Facts) -> tuple[Node, bool] | None:
    """The overflowing exponential in a sum, a mean, or a sum of terms (cosh written out, or by its name).

    Less sure where not all terms are exponentials or numbers: something else may be what is large. So it is of a
    product of several: a polynomial of exponentials is no sum that someone forgot to shift.
    """
    if factor.op in ("cosh", *REDUCTIONS):
        exp = overflowing(factor, facts)
        if exp is None:
            return None
        return exp, exp.op == "exp" and shifted([exp], facts)
    parts = [t for t in terms(factor) if facts.value(t.node).constant is None]
    if len(parts) < 2 and beside(factor, 1, facts.value) is None:
        return None
    exps = [None if t.negative or weighed_by_difference(t.node, facts) else overflowing(t.node, facts) for t in parts]
    first = next((e for e in exps if e is not None), None)
    if first is None or any(t.negative for t in parts) or (len(parts) == 1 and is_exp(parts[0], facts)):
        return None
    every = [e for e in exps if e is not None]
    unsure = None in exps or (all(e.op == "exp" for e in every) and shifted(every, facts))
    return first, unsure


def weighed_by_difference(term: Node, facts: Facts) -> bool:
    """Whether a term is a product with a difference of what is computed, not with what a share leaves of 1.

    That may be negative, so the exponentials are no sum whose logarithm could be taken apart.
    """
    weights = (f for f in monomial(term, facts.value).above if facts.value(f).lo < 0)
    return any(t.negative for f in weights if beside(f, 1, facts.value) is None for t in terms(f))


def is_exp(term: Term, facts: Facts) -> bool:
    """Whether a term is a single exponential: 1 plus it is another rule's."""
    return facts.bare(term.node).op == "exp"


def stable(log: Node, facts: Facts) -> Codemod | None:
    """The logarithm as a logsumexp, a logaddexp of two, or that of cosh."""
    inner = facts.bare(log["x"])
    if log.op != "log":
        return None
    if inner.op == "cosh":
        return Rewrite(log, each(LOG_TWO_COSH, "form - math.log(2)"), {"x": inner["x"]})
    if inner.op in REDUCTIONS:
        return log_sum(log, inner, facts)
    return log_add(log, inner, facts)


def log_sum(log: Node, total: Node, facts: Facts) -> LogSumExp | None:
    """Of a sum or mean of exponentials, each times a weight."""
    summand = facts.bare(total["x"])
    if summand.op == "exp":
        return LogSumExp(log, total, summand)
    if summand.op == "mul":
        for one, other in (("a", "b"), ("b", "a")):
            if facts.bare(summand[one]).op == "exp":
                return LogSumExp(log, total, facts.bare(summand[one]), summand[other])
    return None


def log_add(log: Node, inner: Node, facts: Facts) -> Rewrite | None:
    """Of two exponentials, or half of them."""
    parts = monomial(inner, facts.value)
    if len(parts.above) != 1 or parts.below or parts.number not in (1, 0.5):
        return None
    exps = [facts.bare(t.node) for t in terms(parts.above[0])]
    if len(exps) != 2 or any(e.op != "exp" for e in exps):
        return None
    a, b = (e["x"] for e in exps)
    pattern = "form" if parts.number == 1 else "form - math.log(2)"
    if ratio(a, b, facts.value) == -1:
        return Rewrite(log, each(LOG_TWO_COSH, pattern), {"x": a if facts.bare(a).op != "neg" else b})
    return Rewrite(log, each(LOGADDEXP, pattern), {"a": a, "b": b})
