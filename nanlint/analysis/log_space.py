"""Infinities in log space: shifts by a maximum that may be -inf itself, rows that a mask leaves nothing of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nanlint.analysis.algebra import terms
from nanlint.analysis.forms import UNKNOWNS
from nanlint.analysis.geometry import whole
from nanlint.analysis.names import CAUSAL, says
from nanlint.analysis.structure import Evaluate, bare, same, uses
from nanlint.graph.node import CONST, LOOP, PARAM, PHI, REFINE, Node, walk
from nanlint.ops.value import CERTAIN, INF, LIKELY, NEVER, POSSIBLE, Evidence, Kind, Origin, Reach

#: nodes looked at on the way from an operand to what it is made of
MAX_STEPS = 40
#: ops on the way to a shift that keep it finite
FINITE = frozenset({"clamp", "maximum", "nan_to_num", "relu"})
#: ops that make or tell an order of positions
ORDERED = frozenset({"sparse_part", "arange", "range", "cumsum", "argmax", "argsort", "eye"})
#: ops that hand on what they are given, or parts of it
HANDING_ON = frozenset({"view", "cast", "part", "dropout", REFINE})


# shifts


@dataclass(frozen=True)
class Shift:
    """``difference`` = x - shift, with a shift that is the maximum of x, or on some path ``itself`` x."""

    difference: Node
    x: Node
    maximum: Node
    itself: bool


def unguarded_shift(exponent: Node) -> Shift | None:
    """The shift of an exponent by a maximum, with nothing that keeps the maximum finite."""
    difference = bare(exponent)
    if difference.op != "sub":
        return None
    x, maximum, itself = difference["a"], None, False
    pending, seen = [difference["b"]], set[int]()
    while pending and len(seen) < MAX_STEPS:
        node = bare(pending.pop())
        if node.index in seen:
            continue
        seen.add(node.index)
        if node.op in FINITE or (node.op == "where" and node.attrs.get("python") is None):
            return None
        if node.op == "max":
            # of x, or along one axis after the other of what it has become
            inner = bare(node["x"])
            maximum = node if same(inner, x) or inner.index in seen or inner.op == "max" else maximum
        elif same(node, x):
            itself = True
        elif node.op in (PHI, LOOP):
            pending += [node[k] for k in ("a", "b", "pre", "back") if k in node.args]
    return Shift(difference, x, maximum, itself) if maximum is not None else None


@dataclass(frozen=True)
class LogAddition:
    """max(a, b) + log1p(exp(-|a - b|)): ``total``, of a ``difference`` of two terms."""

    total: Node
    difference: Node
    a: Node
    b: Node


def log_addition(exp: Node) -> LogAddition | None:
    """The logaddexp written out of which ``exp`` is a part."""
    node = bare(exp["x"])
    if node.op == "neg" and bare(node["x"]).op == "abs":
        difference = bare(bare(node["x"])["x"])
        if difference.op != "sub":
            return None
        a, b = difference["a"], difference["b"]
    elif node.op == "sub" and bare(node["a"]).op == "minimum" and bare(node["b"]).op == "maximum":
        difference, largest = node, bare(node["b"])
        a, b = largest["a"], largest["b"]
    else:
        return None
    both = {bare(a).key, bare(b).key}
    sums = (u for user in seen_by(exp) for u in (seen_by(user) if user.op == "add" else (user,)))
    for log in (u for u in sums if u.op in ("log", "log1p")):
        for total in (u for u in seen_by(log) if u.op == "add"):
            for largest in (bare(total[k]) for k in ("a", "b")):
                if largest.op == "maximum" and {bare(largest[k]).key for k in ("a", "b")} == both:
                    return LogAddition(total, difference, a, b)
    return None


def seen_by(node: Node) -> Iterator[Node]:
    """The uses of a node, behind views of it."""
    return uses(node, lambda user, used: bare(user) is bare(used), 20)


# masks


@dataclass(frozen=True)
class Masked:
    """A place where -inf is put: ``node`` selects or adds it, ``mask`` is 0 (or, not ``keeps``, not 0) there.

    ``added``: it is added and not selected, so that what it hides still gets its gradient. ``second``: it is the
    second choice of the selection, not the first.
    """

    node: Node
    mask: Node
    keeps: bool
    added: bool
    second: bool


def masked_by_infinity(x: Node, evaluate: Evaluate) -> Masked | None:
    """Where the -inf of a tensor was put by a mask: where(mask, x, -inf), x[~mask] = -inf, x + log(mask)."""
    pending, seen = [(x, False)], set[int]()
    while pending and len(seen) < MAX_STEPS:
        node, added = pending.pop()
        node = bare(node)
        if node.index in seen:
            continue
        seen.add(node.index)
        if node.op == "where" and "cond" in node.args and bare(node["cond"]).op not in ("isinf", "isfinite", "isnan"):
            for name, keeps in (("b", True), ("a", False)):
                if is_minus_infinity(node[name], evaluate):
                    mask, truth = read_mask(node["cond"], keeps)
                    return Masked(node, mask, truth, added, keeps)
            pending += [(node[k], added) for k in ("a", "b")]
        elif node.op == "log" and added and is_mask(node["x"], evaluate):
            return Masked(node, *read_mask(node["x"], truth=True), added, second=False)
        elif node.op in ("add", "sub"):
            pending += [(node["a"], True), (node["b"], True)]
        elif node.op in ("mul", "div", PHI):
            pending += [(node[k], added) for k in ("a", "b") if k in node.args]
    return None


def is_mask(node: Node, evaluate: Evaluate) -> bool:
    """Whether a value is 0 or 1, and 0 at times: its logarithm is how a mask is written in log space."""
    v = evaluate(node)
    return v.whole and v.lo == 0 and v.hi == 1 and v.zero >= POSSIBLE and v.kind is not Kind.SCALAR


def is_minus_infinity(node: Node, evaluate: Evaluate) -> bool:
    v = evaluate(node)
    return v.hi == -INF or (v.constant == -INF and v.ninf is CERTAIN)


def read_mask(cond: Node, truth: bool) -> tuple[Node, bool]:
    """The mask that a condition reads, and whether ``truth`` of the condition is where the mask is not 0."""
    for _ in range(MAX_STEPS):
        cond = bare(cond)
        number = cond["b"].attrs.get("value") if "b" in cond.args and cond["b"].op == CONST else None
        if cond.op == "not":
            cond, truth = cond["x"], not truth
        elif (cond.op, number) in LITERAL:
            truth = truth is LITERAL[cond.op, number]
            cond = cond["a"]
        else:
            break
    return cond, truth


#: comparisons of a mask with a literal, and whether they hold where it is not 0
LITERAL: dict[tuple[str, Any], bool] = {
    ("eq", 0): False,
    ("ne", 0): True,
    ("gt", 0): True,
    ("eq", 1): True,
    ("ne", 1): False,
    ("lt", 1): False,
    ("lt", 0.5): False,
    ("gt", 0.5): True,
}


def empty_rows(masked: Masked, evaluate: Evaluate) -> tuple[Reach, Evidence | None]:
    """Whether a mask leaves nothing of some row, and why.

    Likely where it is the product of a mask with itself along another axis: a padded position is masked from all.
    Never for a triangle, which keeps the diagonal. Likely for a mask that is given: no caller is told to leave
    something of each row. What is computed to be a mask may, possibly.
    """
    mask = bare(masked.mask)
    if triangular(mask) or (masked.keeps and evaluate(mask).peak):
        return NEVER, None
    if mask.op in ("mul", "and") and masked.keeps and outer(mask):
        return LIKELY, Evidence("is 0 in the whole row of a padded position", mask, origin=Origin.EMPTY)
    if mask.op in ("or", "maximum", "add") and not masked.keeps and outer(mask):
        return LIKELY, Evidence("is set in the whole row of a padded position", mask, origin=Origin.EMPTY)
    given = whole(mask).op == PARAM
    return LIKELY if given else POSSIBLE, Evidence("may cover a whole row", mask, origin=Origin.EMPTY)


def outer(mask: Node) -> bool:
    """m[:, :, None] * m[:, None, :]: one mask along two axes, written apart."""
    sites = [mask[k].site for k in ("a", "b")]
    if whole(mask["a"]).key != whole(mask["b"]).key or None in sites:
        return False
    return len({ast.dump(site) for site in sites if site is not None}) == 2


def triangular(mask: Node) -> bool:
    """Whether a triangle of ones, or an order of positions, is part of a mask, or what is called so."""
    made_of = walk(bare(mask), lambda n: map(bare, n.args.values()), MAX_STEPS)
    return any(n.op in ORDERED or (n.op in UNKNOWNS and says(n.name.rpartition(".")[2], CAUSAL)) for n in made_of)


def closed(exp: Node) -> bool:
    """Whether exponentials are summed and the logarithm is taken: a sum in log space, where -inf is a legal 0."""
    pending, seen = [(exp, False)], {exp.index}
    while pending and len(seen) < MAX_STEPS:
        node, summed = pending.pop()
        for user in node.users:
            if user.index in seen:
                continue
            seen.add(user.index)
            if summed and user.op in ("log", "log2"):
                return True
            if user.op in ("view", "mul", "cast", "part", "add", REFINE, PHI, LOOP):
                pending.append((user, summed))
            elif user.op in ("sum", "dot", "einsum", "mean"):
                pending.append((user, True))
    return False


def selected_again(node: Node, masked: Masked) -> bool:
    """Whether a selection by the same mask, or by what is left of its rows, takes what came of it."""

    def selects(user: Node) -> bool:
        cond = user.get("cond")
        if user.op not in ("where", PHI) or cond is None:
            return user.op == "nan_to_num"
        mask, _ = read_mask(cond, truth=True)
        return mask.op in ("any", "all", "sum", "isnan", "isfinite", "isinf") or same(mask, masked.mask)

    return any(map(selects, uses(node, lambda user, _: user.op in HANDING_ON, MAX_STEPS)))


# 0 * inf


@dataclass(frozen=True)
class ZeroTimesInfinity:
    """A product whose factor ``zero`` is 0 exactly where ``infinite`` is -inf or inf, and ``why`` it is there."""

    zero: Node
    infinite: Node
    why: Evidence


def zero_times_infinity(
    product: Node, evaluate: Evaluate, *, known: Evidence | None = None
) -> ZeroTimesInfinity | None:
    """A mask times an infinity, or a probability times its own logarithm where a mask has put -inf.

    ``known``: what says that logits are -inf, where no mask in sight does.
    """
    for infinite, zero in ((product["a"], product["b"]), (product["b"], product["a"])):
        number = evaluate(infinite).constant
        if number in (INF, -INF) and evaluate(infinite).kind is Kind.SCALAR:
            why = evaluate(zero).evidence("zero")
            if evaluate(zero).zero >= LIKELY and evaluate(zero).kind is not Kind.SCALAR and why is not None:
                return ZeroTimesInfinity(zero, infinite, why)
            continue
        for term in (bare(t.node) for t in terms(infinite)):
            source = bare(term["x"]) if term.op == "log_softmax" else term
            masked = masked_by_infinity(source, evaluate)
            if masked is not None and same_mask(zero, masked):
                why = Evidence("puts -inf where the other factor is 0", masked.node, origin=Origin.INTENT)
            elif probability_of(zero, term, source) and masked is not None:
                why = Evidence("puts -inf into the logits", masked.node, origin=Origin.INTENT)
            else:
                why = known if probability_of(zero, term, source) else None
            if why is not None:
                return ZeroTimesInfinity(zero, infinite, why)
    return None


def same_mask(zero: Node, masked: Masked) -> bool:
    """Whether a factor is the mask itself, 0 where it puts -inf."""
    mask, keeps = read_mask(zero, truth=True)
    return keeps is masked.keeps and mask.op != CONST and same(mask, masked.mask)


def probability_of(zero: Node, term: Node, source: Node) -> bool:
    """Whether a factor is the exponential of a term: softmax(x) of log_softmax(x) (or x), exp(t) of t, exp(x - max)."""
    core = bare(zero)
    if core.op == "softmax":
        return same(core["x"], source)
    if core.op != "exp":
        return False
    exponent = bare(core["x"])
    shifted = unguarded_shift(exponent)
    return same(exponent, term) or (shifted is not None and same(shifted.x, term))
